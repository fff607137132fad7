"""Fault tests of the real process. `scripts/torture --help` tells how to run them."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from report import Setting, Test, run
from test_consistency import consistency
from test_damage import damage
from test_full_disk import full_disk
from test_kills import kills
from test_sync import failed_syncs, power_cuts, slow_syncs

TESTS: dict[str, Test] = {
    "consistency": consistency,
    "kills": kills,
    "power-cuts": power_cuts,
    "slow-syncs": slow_syncs,
    "failed-syncs": failed_syncs,
    "full-disk": full_disk,
    "damage": damage,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument("program", type=Path, help="the server to test")
    parser.add_argument("tests", nargs="*", choices=[[], *TESTS], help="all, where none is named")
    parser.add_argument("--long", action="store_true", help="the long form of each test")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    setting = Setting(arguments.program.resolve(), arguments.seed, arguments.long)
    print(f"seed {setting.seed}, {'long' if setting.is_long else 'short'} form", flush=True)
    held = [run(name, TESTS[name], setting) for name in arguments.tests or TESTS]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
