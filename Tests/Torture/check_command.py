"""`reorderd check STORE` exits with 0 if the store is correct, and with 1 if it found faults."""

from __future__ import annotations

import subprocess
from pathlib import Path

from waiting import HANG_SECONDS


def check(program: Path, store: Path | str) -> tuple[int, str]:
    """Runs the command on a store. Returns its exit code and the end of its output. No server may use a file."""
    checked = subprocess.run(
        [program, "check", store], capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )
    return checked.returncode, (checked.stdout + checked.stderr)[-500:]


def faults(program: Path, store: Path | str) -> list[str]:
    """The faults that the command finds in a store that must be correct."""
    code, output = check(program, store)
    return [] if code == 0 else [f"check: {code}: {output}"]
