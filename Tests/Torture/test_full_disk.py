"""Writes that fail: clients get errors, nothing is stored, and writes succeed again when the disk has room."""

from __future__ import annotations

import json
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

from checker import Figures
from report import Result, Setting
from scene import Scene
from server import Server
from waiting import wait_until
from wire import Connection

Fault = Callable[[Server], None]
MOST_WRITES = 5_000
"""More writes than any of the injected faults lets through, and than fail after the fault."""


def full_disk(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.full-disk")
    violations: list[str] = []
    left_out = ""
    seen: dict[str, Figures] = defaultdict(Figures)

    def note(name: str, scene: Scene, found: list[str]) -> None:
        seen[name].unavailable += scene.checker.figures.unavailable
        seen[name].acknowledged += scene.checker.figures.acknowledged
        violations.extend(f"{name}: {text}" for text in found)

    def rounds() -> Iterator[int]:
        # If the program fails in one round, it would fail in every round, and slowly.
        return (number for number in range(setting.pick(3, 10)) if not violations)

    for name, result in (("ENOSPC", "error=ENOSPC"), ("nothing written", "retval=0")):
        for attempt in rounds():
            # The fault comes after the writes that open the store.
            first = random.randrange(30, 80)
            fault = f"inject=pwrite64:{result}:when={first}..{first + random.randrange(20, 60)}"
            scene = Scene(setting, folder, f"{result}-{attempt}")
            found = scene.make()
            # During a slow sync, the other clients send. So most faults are in an append of several changes.
            slow = "inject=fdatasync:delay_exit=20000"
            strace = ["--seccomp-bpf", "-e", "trace=pwrite64,fdatasync", "-e", fault, "-e", slow]
            with scene.start(strace) as server:
                found += _survive(scene, server)
            note(name, scene, found + scene.restart_and_check())
    for attempt in rounds():
        scene = Scene(setting, folder, f"short-{attempt}")
        found = scene.make()
        with scene.start() as server:
            limit = scene.log.stat().st_size + random.randrange(1, 40_000)
            server.limit_file_size(limit)
            found += _survive(scene, server, lambda server: server.limit_file_size(-1))
        note("write cut short", scene, found + scene.restart_and_check())
    readiness, found = _readiness(setting, folder)
    violations += [f"readiness: {text}" for text in found]
    with ExitStack() as mounts:
        if small := _mount(folder / "small", mounts):
            scene = Scene(setting, small, "full")
            found = scene.make()
            ballast = small / "ballast"
            with scene.start() as server:
                _fill(ballast, leave=100_000)
                found += _survive(scene, server, lambda _: ballast.unlink())
            found += scene.restart_and_check()
            _fill(ballast, leave=40_000)
            with scene.start() as server:
                found += _readiness_at_the_start(server)
            note("full tmpfs", scene, found)
        else:
            left_out = "; full tmpfs: skipped, mounting is not allowed here"
    summaries = (
        f"{name}: {figures.unavailable} × 503, {figures.acknowledged} changes acknowledged"
        for name, figures in seen.items()
    )
    return Result("; ".join(summaries) + readiness + left_out, violations)


def _readiness(setting: Setting, folder: Path) -> tuple[str, list[str]]:
    """A server that cannot write is not ready, logs this in a few lines, and becomes ready again by itself."""
    found: list[str] = []
    writes = setting.pick(500, 5000)
    body = json.dumps({"title": "x" * 4000}).encode()
    with Server(setting.program, folder / "readiness.db") as server:
        connection = Connection(server.port)

        def write() -> int:
            return connection.send("POST", "/lists", {}, body).status

        if write() != 201 or server.get("/readyz/writes").status != 200:
            found.append("a server with free disk space is not ready")
        server.limit_file_size((folder / "readiness.db-wal").stat().st_size)
        start = time.monotonic()
        statuses = [write() for _ in range(writes)]
        refused = statuses.count(503)
        # Writes that still fit into the log's file succeed.
        if refused < writes // 2:
            found.append(f"only {refused} of {writes} writes failed: the fault did not happen")
        if server.get("/readyz/writes").status != 503:
            found.append("a server that cannot write reports that it is ready for writes")
        if server.get("/readyz").status != 200:
            found.append("a server that can read reports that it is not ready")
        if server.get("/healthz").status != 200:
            found.append("a server that cannot write reports that it is not alive")
        # Two kinds of lines. Each is logged at the beginning, and then once in ten seconds.
        most = 2 * (2 + (time.monotonic() - start) / 10)
        lines = [line for line in server.log.splitlines() if " error " in line]
        if not 1 <= len(lines) <= most:
            found.append(f"{len(lines)} lines about {refused} failed writes")
        server.limit_file_size(-1)
        # No client writes in the meantime.
        wait_until(lambda: server.get("/readyz/writes").status == 200, "the server becomes ready by itself")
        if " commits succeed again " not in server.log:
            found.append("the log does not report that commits succeed again")
        if write() != 201:
            found.append("a ready server refuses a write")
        connection.close()
        server.stop()
    return f"; readiness: {refused} × 503, {len(lines)} lines", found


def _readiness_at_the_start(server: Server) -> list[str]:
    """A server that cannot write is not ready, before a client has tried to write: its first commit is its own."""
    wait_until(
        lambda: server.metric("reorderd_commit_changes_count") + server.metric("reorderd_commits_failed_total"),
        "the first commit",
    )
    ready = server.get("/readyz/writes").status
    connection = Connection(server.port)
    written = connection.send("POST", "/lists", {}, b'{"title": "x"}').status
    connection.close()
    return [] if (ready, written) == (503, 503) else [f"with a full disk, /readyz/writes: {ready}, a write: {written}"]


def _survive(scene: Scene, server: Server, relieve: Fault = lambda _: None) -> list[str]:
    """Sends requests until writes fail, then until they succeed again without a restart."""
    history = scene.history
    load = scene.load(server, clients=8)

    def statuses() -> list[int]:
        records = [record for record in list(history.records) if record.is_write]
        return [record.answer.status for record in records if record.answer]

    wait_until(lambda: 503 in statuses() or len(statuses()) > MOST_WRITES, "writes fail")
    failed = 503 in statuses()
    relieve(server)

    def recovered() -> bool:
        seen = statuses()
        last = len(seen) - seen[::-1].index(503) if 503 in seen else 0
        return sum(status in (200, 201) for status in seen[last:]) > 40

    found: list[str] = []
    if failed:
        most = len(statuses()) + MOST_WRITES
        wait_until(lambda: recovered() or len(statuses()) > most, "writes succeed again by themselves")
        if not recovered():
            found.append(f"writes still fail after {MOST_WRITES} more")
    else:
        found.append("no write failed: the fault did not happen")
    load.stop()
    server.stop()
    return found + scene.check(allowed=frozenset({503}))


def _mount(folder: Path, mounts: ExitStack) -> Path | None:
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        return None
    mounts.callback(subprocess.run, ["umount", "-l", str(folder)], check=False)
    return folder


def _fill(ballast: Path, leave: int) -> None:
    """Fills the disk except for some bytes."""
    written = 0
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                written += file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, written - leave))
