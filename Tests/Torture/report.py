"""The report of a run: one line of figures for each test, and every violation."""

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
    """The parameters of a test run."""

    program: Path
    seed: int
    is_long: bool

    def pick(self, short: int, long: int) -> int:
        return long if self.is_long else short

    def is_late(self, seconds: float, guaranteed: float) -> bool:
        """Whether something took longer than guaranteed. Only the long form says so: it needs a quiet machine."""
        return self.is_long and seconds > guaranteed + 1


Test = Callable[[Setting, Path], Result]


def attempt(name: str, test: Test, setting: Setting) -> Result:
    """Runs a test in its own folder. A test that raises an exception has failed."""
    with tempfile.TemporaryDirectory(prefix=f"reorderd-torture-{name}-") as folder:
        try:
            return test(setting, Path(folder))
        except Exception:
            return Result("the test did not finish", [traceback.format_exc()])


def run(name: str, test: Test, setting: Setting) -> bool:
    """Runs a test, and prints its result."""
    started = time.monotonic()
    result = attempt(name, test, setting)
    verdict = "FAILED" if result.violations else "held"
    seconds = time.monotonic() - started
    lines = [f"-- {name}: {verdict}, {seconds:.0f} s: {result.figures}"]
    lines += [f"     {violation[:1500]}" for violation in result.violations[:SHOWN]]
    if len(result.violations) > SHOWN:
        lines.append(f"     … and {len(result.violations) - SHOWN} more")
    print("\n".join(lines), flush=True)
    return not result.violations
