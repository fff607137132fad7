"""Responses wait for the sync of the log: slow syncs, failing syncs, and power failures."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random

from checker import Checker
from history import History
from report import Result, Setting
from scene import Scene
from server import DidNotStart
from systemcalls import TRACE, cut_power, durable_log_bytes
from waiting import HANG_SECONDS, wait_until

# The syncs of the thread that opens a file whose log a crash has left: one before the log is emptied, and three that name the opening.
# strace counts the syncs of each thread.
START_SYNCS = 4
SYNC_FAILED, CANT_OPEN, STOPPED_WITHOUT_COMMITS = 74, 73, 75
"""Exit codes in `reorderd serve --help`."""
DELAY = 0.25


def slow_syncs(setting: Setting, folder: Path) -> Result:
    """Each sync takes a long time. A response that shows a change earlier did not wait for its sync."""
    scene = Scene(setting, folder, "slow")
    violations = scene.make()
    delay = f"inject=fdatasync:delay_enter={int(DELAY * 1e6)}"
    with scene.start(["--seccomp-bpf", "-e", "trace=fdatasync", "-e", delay]) as server:
        load = scene.load(server, clients=24)
        wait_until(lambda: _changes(scene.history) >= setting.pick(150, 2_000), "enough changes")
        server.kill()
        load.join()
    begin = scene.history.records[0].start
    violations += scene.check()
    shown, early = _too_early(scene.checker, begin)
    violations += early
    violations += scene.restart_and_check()
    return Result(
        f"syncs of {DELAY * 1000:.0f} ms, {shown} responses that show a change of this run, "
        f"{len(early)} of them before its sync",
        violations,
    )


def _changes(history: History) -> int:
    """The number of changes that the server has acknowledged."""
    return sum(record.answer is not None and b'"changed":true' in record.answer.body for record in list(history.records))


def _too_early(checker: Checker, begin: float) -> tuple[int, list[str]]:
    """The number of responses that showed a change of this run, and those that arrived before the change's sync can have ended."""
    shown = 0
    early: list[str] = []
    for seen in checker.seen:
        maker = checker.makers.get(seen.version)
        if not maker or maker.start < begin:
            continue
        shown += 1
        age = seen.record.end - maker.start
        if age < DELAY:
            early.append(f"shown {age * 1000:.0f} ms after {maker} began: {seen.record}")
    return shown, early


def failed_syncs(setting: Setting, folder: Path) -> Result:
    """EIO from the Nth sync, and a disk that loses the data that was not synced.

    The first syncs belong to the start, and have a test of their own.
    """
    random = Random(f"{setting.seed}.failed-syncs")
    candidates = range(START_SYNCS + 1, START_SYNCS + 51)
    numbers = candidates if setting.is_long else sorted(random.sample(candidates, 6))
    violations: list[str] = []
    acknowledged = at_stake = 0
    for number in numbers:
        scene = Scene(setting, folder, f"eio-{number}")
        found = scene.make()
        log_bytes = scene.log.stat().st_size
        # Only the log's syncs: SQLite also syncs the directory, and continues if that fails.
        fault = ["-P", str(scene.log), "-e", f"inject=fdatasync:error=EIO:when={number}"]
        with scene.start([*TRACE, *fault]) as server:
            load = scene.load(server, clients=random.choice((2, 8, 24)))
            code = server.wait()
            load.join()
        if code != SYNC_FAILED:
            found.append(f"exit code {code} instead of {SYNC_FAILED}")
        durable = durable_log_bytes(scene.trace, server.process.pid, scene.log, log_bytes)
        at_stake += cut_power(scene.log, durable, random)
        found += scene.check()
        found += scene.restart_and_check()
        acknowledged += scene.checker.figures.acknowledged
        violations += [f"EIO at sync {number}: {text}" for text in found]
        if found:
            break
    violations += _failed_sync_of_the_directory(setting, folder)
    for number in range(1, START_SYNCS + 1):
        violations += _failed_sync_of_the_start(setting, folder, number)
    return Result(
        f"EIO at {len(numbers)} syncs, {acknowledged} changes acknowledged, "
        f"{at_stake} bytes not synced and lost, exit code {SYNC_FAILED} each time",
        violations,
    )


def _failed_sync_of_the_directory(setting: Setting, folder: Path) -> list[str]:
    """If the log's name may not be durable, the server must not acknowledge anything."""
    scene = Scene(setting, folder, "eio-directory")
    found = scene.make()
    fault = ["-P", str(folder), "-e", "trace=fsync", "-e", "inject=fsync:error=EIO"]
    try:
        with scene.start(fault):
            found.append("the server starts, though syncing the directory fails")
    except DidNotStart as failure:
        if failure.code != CANT_OPEN or str(folder) not in failure.log:
            found.append(f"syncing the directory fails: {failure}")
    return found + scene.restart_and_check()


def _failed_sync_of_the_start(setting: Setting, folder: Path, number: int) -> list[str]:
    """EIO from one of the first syncs ends the server before it listens."""
    scene = Scene(setting, folder, f"eio-start-{number}")
    found = scene.make()
    try:
        with scene.start(["-P", str(scene.log), *TRACE, "-e", f"inject=fdatasync:error=EIO:when={number}"]):
            found.append(f"the server starts, though sync {number} fails")
    except DidNotStart as failure:
        if failure.code != SYNC_FAILED:
            found.append(f"sync {number} of the start fails: {failure}")
    return found + scene.restart_and_check()


def stalled_stop(setting: Setting, folder: Path) -> Result:
    """SIGTERM while a sync does not end: the process ends without it, and no response says that nothing was changed."""
    scene = Scene(setting, folder, "stalled")
    violations = scene.make()
    stall = f"inject=fdatasync:delay_enter={HANG_SECONDS * 1_000_000}:when={START_SYNCS + 1}+"
    with scene.start(["-P", str(scene.log), "-e", "trace=fdatasync", "-e", stall]) as server:
        load = scene.load(server, clients=8)
        wait_until(lambda: _all_wait(scene.history, clients=8), "all clients wait for the sync")
        server.send_signal(signal.SIGTERM)
        # strace would keep the ended process until the delay has passed.
        wait_until(server.has_ended, "the server ends")
        os.kill(server.tracer, signal.SIGKILL)
        code = server.wait()
        load.join()
    if code != STOPPED_WITHOUT_COMMITS:
        violations.append(f"exit code {code} instead of {STOPPED_WITHOUT_COMMITS}: {server.log[-1500:]}")
    records = scene.history.records
    unknown = sum(record.is_write and record.answer is None for record in records)
    if unknown == 0:
        violations.append("no write was in progress at the end")
    # The reads that wait for these writes.
    violations += scene.check(allowed=frozenset({503}))
    violations += scene.restart_and_check()
    return Result(
        f"{unknown} writes with an unknown outcome, exit code {STOPPED_WITHOUT_COMMITS}", violations
    )


def _all_wait(history: History, clients: int) -> bool:
    """Whether all clients wait for responses, and none gets one for a second."""
    waiting = list(history.unanswered)
    if len(waiting) < clients or not any(record.is_write for record in list(history.unanswered.values())):
        return False
    time.sleep(1)
    return list(history.unanswered) == waiting


def power_cuts(setting: Setting, folder: Path) -> Result:
    """The process ends at a random moment, and data that was not synced is lost."""
    random = Random(f"{setting.seed}.power-cuts")
    rounds = setting.pick(6, 100)
    scene = Scene(setting, folder, "power")
    violations = scene.make()
    at_stake = 0
    for number in range(rounds):
        log_bytes = scene.log.stat().st_size if scene.log.exists() else 0
        with scene.start(TRACE) as server:
            load = scene.load(server, clients=random.choice((4, 16, 48)))
            wait_until(lambda: len(scene.history.records) > 20, "the first responses")
            time.sleep(random.uniform(0, 0.5))
            server.kill()
            load.join()
        durable = durable_log_bytes(scene.trace, server.process.pid, scene.log, log_bytes)
        at_stake += cut_power(scene.log, durable, random)
        found = scene.check()
        violations += [f"cut {number}: {text}" for text in found]
        if found:
            break
    violations += scene.restart_and_check()
    figures = scene.checker.figures
    return Result(
        f"{rounds} power cuts, {figures.acknowledged} changes acknowledged, {at_stake} bytes not "
        f"synced and lost, of {figures.unanswered} unanswered writes "
        f"{figures.unanswered_applied} applied",
        violations,
    )
