"""Many clients use few lists, without faults. All must see one consistent history."""

from __future__ import annotations

import time
from pathlib import Path

from checker import Checker
from history import History
from load import Load, make_lists
from report import Result, Setting
from server import Server

CLIENTS = 64
LISTS = 10
UNCACHED = ["--cache-bytes", "0"]


def consistency(setting: Setting, folder: Path) -> Result:
    usual = _run(setting, folder / "usual.db", setting.pick(4_000, 100_000), [])
    # Without a cache each list leaves memory as soon as possible, and is loaded again.
    uncached = _run(setting, folder / "uncached.db", setting.pick(1_500, 20_000), UNCACHED)
    return Result(
        f"{usual.figures}; without a cache {uncached.figures}",
        usual.violations + uncached.violations,
    )


def _run(setting: Setting, store: Path, requests: int, options: list[str]) -> Result:
    history = History()
    seed = f"{setting.seed}.{store.stem}"
    with Server(setting.program, store, options=options) as server:
        make_lists(server.port, seed, LISTS, history)
        started = time.monotonic()
        Load(server.port, seed, CLIENTS, LISTS, history, requests).start().join()
        seconds = time.monotonic() - started
        server.stop()
    checker = Checker()
    violations = checker.check(store, history.records)
    figures = checker.figures
    if figures.unanswered:
        violations.append(f"{figures.unanswered} writes got no response")
    return Result(
        f"{figures.requests} requests of {CLIENTS} clients to {LISTS} lists in {seconds:.0f} s, "
        f"{figures.acknowledged} changes acknowledged, {figures.reads} reads, "
        f"{checker.fold.compared} documents and tasks compared with the fold",
        violations,
    )
