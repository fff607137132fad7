"""kill -9 at random moments under load, repeatedly with the same file."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import check_command
from checker import Checker
from history import History
from load import Load, make_lists, read_lists
from report import Result, Setting
from server import Server

LISTS = 5


def kills(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.kills")
    store = folder / "lists.db"
    rounds = setting.pick(8, 200)
    checker = Checker()
    violations: list[str] = []
    slowest_start = 0.0
    for number in range(rounds):
        history = History()
        seed = f"{setting.seed}.{number}"
        options = random.choice(([], ["--cache-bytes", "0"]))
        with Server(setting.program, store, options=options) as server:
            slowest_start = max(slowest_start, server.seconds_to_listen)
            if number == 0:
                make_lists(server.port, seed, LISTS, history)
            # The state after the restart, before new writes.
            read_lists(server.port, f"{seed}.restart", LISTS, history)
            load = Load(server.port, seed, random.choice((4, 16, 48)), LISTS, history).start()
            time.sleep(random.uniform(0.01, 0.5))
            server.kill()
            load.join()
        found = checker.check(store, history.records)
        found += check_command.faults(setting.program, store)
        violations += [f"kill {number}: {text}" for text in found]
        if found:
            break
    violations += _last_start(setting, store, checker)
    figures = checker.figures
    return Result(
        f"{rounds} kills, {figures.requests} requests, {figures.acknowledged} changes "
        f"acknowledged, of {figures.unanswered} unanswered writes {figures.unanswered_applied} "
        f"applied, slowest start {slowest_start * 1000:.0f} ms",
        violations,
    )


def _last_start(setting: Setting, store: Path, checker: Checker) -> list[str]:
    history = History()
    with Server(setting.program, store) as server:
        read_lists(server.port, f"{setting.seed}.end", LISTS, history)
        server.stop()
    return checker.check(store, history.records)
