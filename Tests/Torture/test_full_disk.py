"""Writes that fail: clients are told, nothing of it stays, and it ends as soon as there is room."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

from checker import Figures
from report import Result, Setting
from scene import Scene, wait_until
from server import Server

Fault = Callable[[Server], None]


def full_disk(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.full-disk")
    violations: list[str] = []
    left_out = ""
    seen: dict[str, Figures] = defaultdict(Figures)

    def note(name: str, scene: Scene, found: list[str]) -> None:
        seen[name].unavailable += scene.checker.figures.unavailable
        seen[name].acknowledged += scene.checker.figures.acknowledged
        violations.extend(f"{name}: {text}" for text in found)

    for name, result in (("ENOSPC", "error=ENOSPC"), ("nothing written", "retval=0")):
        for attempt in range(setting.pick(1, 10)):
            # Later than what an opening writes.
            first = random.randrange(30, 80)
            fault = f"inject=pwrite64:{result}:when={first}..{first + random.randrange(20, 60)}"
            scene = Scene(setting, folder, f"{result}-{attempt}")
            found = scene.make()
            strace = ["--seccomp-bpf", "-e", "trace=pwrite64", "-e", fault]
            with scene.start(strace) as server:
                found += _survive(scene, server)
            note(name, scene, found + scene.restart_and_check())
    for attempt in range(setting.pick(1, 10)):
        scene = Scene(setting, folder, f"short-{attempt}")
        found = scene.make()
        with scene.start() as server:
            limit = scene.log.stat().st_size + random.randrange(1, 40_000)
            server.limit_file_size(limit)
            found += _survive(scene, server, lambda server: server.limit_file_size(-1))
        note("write cut short", scene, found + scene.restart_and_check())
    with ExitStack() as mounts:
        if small := _mount(folder / "small", mounts):
            scene = Scene(setting, small, "full")
            found = scene.make()
            ballast = small / "ballast"
            with scene.start() as server:
                _fill(ballast, leave=100_000)
                found += _survive(scene, server, lambda _: ballast.unlink())
            note("full tmpfs", scene, found + scene.restart_and_check())
        else:
            left_out = "; full tmpfs: left out, mounting is not allowed here"
    told = (
        f"{name}: {figures.unavailable} × 503, {figures.acknowledged} changes acknowledged"
        for name, figures in seen.items()
    )
    return Result("; ".join(told) + left_out, violations)


def _survive(scene: Scene, server: Server, relieve: Fault = lambda _: None) -> list[str]:
    """Load until writes fail, then until they succeed again without a restart."""
    history = scene.history
    load = scene.load(server, clients=8)

    def statuses() -> list[int]:
        records = [record for record in list(history.records) if record.is_write]
        return [record.answer.status for record in records if record.answer]

    failed = wait_until(lambda: 503 in statuses(), 20)
    relieve(server)

    def recovered() -> bool:
        seen = statuses()
        last = len(seen) - seen[::-1].index(503) if 503 in seen else 0
        return sum(status in (200, 201) for status in seen[last:]) > 40

    works_again = wait_until(recovered, 20)
    load.stop()
    code = server.terminate()
    found = scene.check(allowed={503})
    if not failed:
        found.append("no write failed: the fault did not come")
    if not works_again:
        found.append("writes did not succeed again by themselves")
    if code != 0:
        found.append(f"SIGTERM ended it with exit code {code}")
    return found


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
    """Takes all room but some bytes."""
    written = 0
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                written += file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(max(0, written - leave))
