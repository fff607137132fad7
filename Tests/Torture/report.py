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

    @property
    def patience_seconds(self) -> float:
        """How much later than promised something may be. The long form measures; the short one is for
        any machine, however busy."""
        return 1 if self.is_long else 60


Test = Callable[[Setting, Path], Result]


def attempt(name: str, test: Test, setting: Setting) -> Result:
    """Runs a test in a folder of its own. A test that does not come to its end has failed."""
    with tempfile.TemporaryDirectory(prefix=f"reorderd-torture-{name}-") as folder:
        try:
            return test(setting, Path(folder))
        except Exception:
            return Result("it did not come to its end", [traceback.format_exc()])


def run(name: str, test: Test, setting: Setting) -> bool:
    """Runs a test, and tells how it went."""
    started = time.monotonic()
    result = attempt(name, test, setting)
    verdict = "FAILED" if result.violations else "held"
    seconds = time.monotonic() - started
    print(f"-- {name}: {verdict}, {seconds:.0f} s: {result.figures}", flush=True)
    for violation in result.violations[:SHOWN]:
        print(f"     {violation[:1500]}")
    if len(result.violations) > SHOWN:
        print(f"     … and {len(result.violations) - SHOWN} more")
    return not result.violations
