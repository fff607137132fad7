"""Generates a client from openapi.json, builds it, and runs a session of requests with it."""

import os
import subprocess
import tempfile
from pathlib import Path

import contract_server
import environment

PACKAGE = "reorderd_client"


def run(program, seed, is_long):
    programs = environment.make()
    with tempfile.TemporaryDirectory(prefix="reorderd-client-") as folder:
        source, built, log = (Path(folder, name) for name in ("source", "built", "log"))
        quietly(
            log,
            programs / "openapi-generator-cli", "generate",
            "--generator-name", "python",
            "--input-spec", environment.ROOT / "openapi.json",
            "--output", source,
            "--additional-properties", f"packageName={PACKAGE},projectName=reorderd-client",
            "--global-property", "apiTests=false,modelTests=false",
        )
        check_names(source / PACKAGE / "models")
        quietly(
            log,
            programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--no-build-isolation", "--target", built, source,
        )
        with contract_server.running(program, "--log-level", "error") as address:
            subprocess.run(
                [programs / "python", "-B", Path(__file__).with_name("client_session.py"), address],
                check=True,
                env={**os.environ, "PYTHONPATH": str(built)},
            )


def quietly(log, *command):
    """Runs a command, and prints its long output only if it fails."""
    with log.open("w") as output:
        # The generator looks for Java among the environment's programs.
        path = f"{command[0].parent}{os.pathsep}{os.environ['PATH']}"
        result = subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, "PATH": path}
        )
    assert result.returncode == 0, log.read_text()


def check_names(models):
    """The generator derives the name of an unnamed schema from its place in the file. All schemas must have names."""
    names = sorted(path.stem for path in models.glob("*.py"))
    assert len(names) > 40, names
    strange = [name for name in names if name.endswith("_inner") or "_of" in name or name.startswith("inline_") or name[-1].isdigit()]
    assert not strange, f"unnamed schemas: {strange}"
    print(f"{len(names)} generated models, each with a name from the file")
