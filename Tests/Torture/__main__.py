"""Fault tests of the real process. `scripts/torture --help` explains how to run them."""

from __future__ import annotations

import argparse
import random
import signal
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "Support"))
import seeded_bugs
from processes import names_from, run_together
from report import Setting, run
from suite import MEASUREMENTS, TESTS


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/torture",
        usage="scripts/torture [--program FILE] [options] [TEST ...]",
        description=__doc__,
    )
    parser.add_argument("program", type=Path, help=argparse.SUPPRESS)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="TEST",
        help=f"one of {', '.join(TESTS)} ({', '.join(MEASUREMENTS)} only with --long); "
        "with --seeded-bugs the name of a bug; default: all",
    )
    parser.add_argument("--long", action="store_true", help="the long form of each test, one after the other")
    parser.add_argument("--from-pipe", type=int, help=argparse.SUPPRESS)
    parser.add_argument(
        "--seeded-bugs",
        action="store_true",
        help="tests the tests: builds each bug of seeded-bugs into a copy, which must fail the tests",
    )
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_intermixed_args()
    tests = [name for name in TESTS if arguments.long or name not in MEASUREMENTS]
    kind, known = ("bug", seeded_bugs.NAMES) if arguments.seeded_bugs else ("test", tests)
    names = arguments.names or known
    if unknown := [name for name in names if name not in known]:
        parser.error(f"unknown {kind} {', '.join(unknown)}; the {kind}s are {', '.join(known)}")
    # So that the servers that this program started end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    setting = Setting(arguments.program.resolve(), arguments.seed, arguments.long)
    if arguments.from_pipe:
        names = names_from(arguments.from_pipe)
    else:
        print(f"seed {setting.seed}, {'long' if setting.is_long else 'short'} form", flush=True)
    if arguments.seeded_bugs:
        return 0 if seeded_bugs.all_caught(setting, names) else 1
    if not (arguments.from_pipe or setting.is_long):
        return run_together(Path(__file__).parent, [setting.program, "--seed", str(setting.seed)], names)
    held = [run(name, TESTS[name], setting) for name in names]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
