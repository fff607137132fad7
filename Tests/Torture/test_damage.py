"""A truncated file or a flipped bit must be detected or have no effect. It must never lose data silently.

A client that reads one list cannot notice some damage to SQLite's own structure, such as a missing entry of an index. Then
`reorderd check` must find it.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import check_command
from report import Result, Setting
from scene import Scene
from server import DidNotStart, Server
from wire import Answer, Connection, ConnectionLost

Contents = dict[str, Any]
"""The responses by the paths of lists and tasks; None for what does not exist."""
LISTS = 5
HEADER_BYTES = 100
LOG_HEADER_BYTES = 32
SILENT = "lost silently"


def damage(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.damage")
    stopped, violations = _make(setting, folder, "stopped", lambda server: server.terminate())
    killed, found = _make(setting, folder, "killed", lambda server: server.kill())
    violations += found
    contents = {scene.store: _read(setting, scene, folder / f"whole-{scene.store.stem}") for scene in (stopped, killed)}
    outcomes: Counter[str] = Counter()
    for number in range(setting.pick(30, 600)):
        scene, name = random.choice(
            [(stopped, stopped.store.name), (killed, killed.store.name), (killed, killed.log.name)]
        )
        place = folder / f"damaged-{number}"
        place.mkdir()
        store = _copy(scene, place)
        done = _harm(random, place / name)
        is_log = name == scene.log.name
        outcome, found = _look(setting, store, contents[scene.store], is_log)
        kind = "log" if is_log else "file"
        outcomes[f"{kind} {outcome}"] += 1
        violations += [f"{name}, {done}: {text}" for text in found]
        shutil.rmtree(place)
    summary = ", ".join(f"{count} × {outcome}" for outcome, count in sorted(outcomes.items()))
    return Result(summary, violations)


def _make(
    setting: Setting, folder: Path, name: str, end: Callable[[Server], int]
) -> tuple[Scene, list[str]]:
    """A file with history and snapshots, and its expected content."""
    scene = Scene(setting, folder, name, LISTS)
    found = scene.make()
    with scene.start() as server:
        scene.load(server, clients=8, requests=1500).join()
        scene.read(server)
        end(server)
    return scene, found + scene.check()


def _read(setting: Setting, scene: Scene, place: Path) -> Contents:
    """What a copy without damage contains. It was compared with what clients have seen."""
    place.mkdir()
    contents: Contents = {}
    with Server(setting.program, _copy(scene, place)) as server:
        for number in range(LISTS):
            path = f"/lists/list-{number}"
            contents[path] = _content(server.get(path))
            for task in (contents[path] or {}).get("tasks", []):
                contents[f"/tasks/{task['id']}"] = _content(server.get(f"/tasks/{task['id']}"))
        server.stop()
    return contents


def _copy(scene: Scene, place: Path) -> Path:
    for source in (scene.store, scene.log, scene.mark):
        if source.exists():
            shutil.copyfile(source, place / source.name)
    return place / scene.store.name


def _harm(random: Random, file: Path) -> str:
    content = bytearray(file.read_bytes())
    header = LOG_HEADER_BYTES if file.name.endswith("-wal") else HEADER_BYTES
    kind = random.choice(("header bit", "bit", "bit", "bit", "garbage", "zeros", "truncated"))
    position = random.randrange(header if kind == "header bit" else len(content))
    match kind:
        case "header bit" | "bit":
            content[position] ^= 1 << random.randrange(8)
        case "garbage":
            content[position : position + 64] = random.randbytes(len(content[position:][:64]))
        case "zeros":
            content[position : position + 4096] = bytes(len(content[position:][:4096]))
        case _:
            del content[position:]
    file.write_bytes(content)
    return f"{kind} at {position}"


def _look(
    setting: Setting, store: Path, contents: Contents, is_log: bool
) -> tuple[str, list[str]]:
    """Starts the server on the file. Returns the outcome, and the faults."""
    try:
        server = Server(setting.program, store)
    except DidNotStart as failure:
        if failure.code <= 0:
            return "crash", [f"the server crashed instead of refusing to start: {failure}"]
        if str(store) not in failure.log:
            return "refused", [f"the message does not name the refused file: {failure}"]
        return "refused at the start", []
    with server:
        try:
            connection = Connection(server.port)
            outcome, found = _ask(connection, contents, is_log)
            connection.close()
        except ConnectionLost as lost:
            return "crash", [f"{lost}, exit code {server.kill()}: {server.log[-1500:]}"]
        code = server.terminate()
        if code != 0:
            found.append(f"SIGTERM ended the server with exit code {code}: {server.log[-1500:]}")
    return outcome, found + _ask_check(setting, store, outcome)


def _ask(connection: Connection, contents: Contents, is_log: bool) -> tuple[str, list[str]]:
    """Compares all lists and tasks in responses with those of the whole file."""
    is_reported = False
    found: list[str] = []
    for path, right in contents.items():
        answer = connection.send("GET", path, {}, None)
        if answer.status >= 500:
            is_reported = True
        elif _content(answer) != right:
            found.append(f"silently lost: {path} -> {answer.status} {answer.body[:200]!r}")
    if found and not is_log:
        return f"{SILENT}, found by check", []
    if found:
        return SILENT, found[:1]
    return "reported when read" if is_reported else "without effect", []


def _content(answer: Answer) -> Any:
    """The task, or the list's document without the store's epoch; None for a refusal."""
    if answer.status != 200:
        return None
    content = json.loads(answer.body)
    content.pop("epoch", None)
    return content


def _ask_check(setting: Setting, store: Path, outcome: str) -> list[str]:
    """Checks that `reorderd check` finds the damage that a client found, or could not find."""
    code, output = check_command.check(setting.program, store)
    if code not in (0, 1):
        return [f"check ended with {code}: {output}"]
    if code == 0 and outcome != "without effect":
        return [f"check reports a clean store, though it was {outcome}"]
    return []
