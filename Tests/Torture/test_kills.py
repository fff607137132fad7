"""kill -9 at random moments under load, repeatedly with the same file."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

from report import Result, Setting
from scene import Scene


def kills(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.kills")
    rounds = setting.pick(8, 200)
    scene = Scene(setting, folder, "kills")
    violations = scene.make()
    slowest_start = 0.0
    for number in range(rounds):
        # Without a cache each list leaves memory as soon as possible, and is loaded again.
        with scene.start(options=random.choice(([], ["--cache-bytes", "0"]))) as server:
            slowest_start = max(slowest_start, server.seconds_to_listen)
            scene.read(server)
            load = scene.load(server, clients=random.choice((4, 16, 48)))
            time.sleep(random.uniform(0.01, 0.5))
            server.kill()
            load.join()
        violations += [f"kill {number}: {text}" for text in scene.check_all()]
        if violations:
            break
    violations += scene.restart_and_check()
    figures = scene.checker.figures
    return Result(
        f"{rounds} kills, {figures.requests} requests, {figures.acknowledged} changes "
        f"acknowledged, of {figures.unanswered} unanswered writes {figures.unanswered_applied} "
        f"applied, {scene.checker.compared} tasks compared, slowest start {slowest_start * 1000:.0f} ms",
        violations,
    )
