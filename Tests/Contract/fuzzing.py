"""Runs Schemathesis against a server: requests that openapi.yaml allows, others that it does not, and sequences."""

import os
import subprocess
from pathlib import Path

import contract_server
import environment
from waiting import HANG_SECONDS

FOLDER = Path(__file__).parent
# Per operation and phase. The short form takes about a minute.
EXAMPLES = 40
EXAMPLES_LONG = 500


def run(program, seed, is_long):
    programs = environment.make()
    seed = 1 if seed is None else seed
    examples = EXAMPLES_LONG if is_long else EXAMPLES
    print(f"seed {seed}; for another one: scripts/contract fuzzing --seed N", flush=True)
    # The schema of a webhook's URL allows both schemes.
    with contract_server.running(program, "--log-level", "error", "--webhook-allow-http") as address:
        subprocess.run(
            [
                programs / "schemathesis", "--no-color",
                "--config-file", FOLDER / "schemathesis.toml",
                "run", f"{address}/openapi.yaml",
                "--seed", str(seed), "--max-examples", str(examples),
                "--checks", "all", "--mode", "all", "--phases", "examples,coverage,fuzzing,stateful",
                "--request-timeout", str(HANG_SECONDS), "--continue-on-failure", "--generation-database", "none", "--warnings", "off",
            ],
            check=True,
            cwd=environment.FOLDER,
            env={**os.environ, "PYTHONPATH": str(FOLDER), "PYTHONDONTWRITEBYTECODE": "1"},
        )
