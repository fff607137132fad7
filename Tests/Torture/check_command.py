"""`reorderd check STORE` exits with 0 if the store is correct, and with 1 if it found faults."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from waiting import HANG_SECONDS

_NO_SUCH_COMMAND = 64


@dataclass(frozen=True, slots=True)
class Verdict:
    code: int
    said: str

    @property
    def is_clean(self) -> bool:
        return self.code == 0


def check(program: Path, store: Path | str) -> Verdict | None:
    """Runs the command on a store that no server uses. None if the program does not have the command."""
    checked = subprocess.run(
        [program, "check", store], capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )
    if checked.returncode == _NO_SUCH_COMMAND:
        return None
    return Verdict(checked.returncode, (checked.stdout + checked.stderr)[-500:])


def faults(program: Path, store: Path | str) -> list[str]:
    """The faults that the command finds in a store that must be correct."""
    verdict = check(program, store)
    return [] if not verdict or verdict.is_clean else [f"check: {verdict.code}: {verdict.said}"]
