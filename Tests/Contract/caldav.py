"""Apps that use CalDAV: models of clients that reorder lists, attacks, and clients and test suites that others wrote (`Tests/CalDAV`)."""

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "CalDAV"))
import attacks
import ordering
import others
import proxied
import round_trip


def run(program, seed, is_long):
    for part in (ordering, attacks, proxied, round_trip, others):
        started = time.monotonic()
        part.run(program, seed, is_long)
        print(f"{part.__name__}: {time.monotonic() - started:.0f} s", flush=True)
