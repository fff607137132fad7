"""What a run tells: one line of figures a test, and every violation."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SHOWN = 5


@dataclass(slots=True)
class Result:
    figures: str
    violations: list[str]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a test is run with."""

    program: Path
    seed: int
    is_long: bool

    def pick(self, short: int, long: int) -> int:
        return long if self.is_long else short


Test = Callable[[Setting, Path], Result]


def run(name: str, test: Test, setting: Setting) -> bool:
    """Runs a test in a folder of its own, and tells how it went."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"reorderd-torture-{name}-") as folder:
        try:
            result = test(setting, Path(folder))
        except Exception:
            result = Result("it did not come to its end", [traceback.format_exc()])
    seconds = time.monotonic() - started
    verdict = "FAILED" if result.violations else "held"
    print(f"-- {name}: {verdict}, {seconds:.0f} s: {result.figures}", flush=True)
    for violation in result.violations[:SHOWN]:
        print(f"     {violation[:1500]}")
    if len(result.violations) > SHOWN:
        print(f"     … and {len(result.violations) - SHOWN} more")
    return not result.violations
