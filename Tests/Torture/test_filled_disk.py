"""The store itself has filled the disk. Lists can still be deleted, and permanent deletions make room for new lists."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from pathlib import Path

import check_command
from report import Result, Setting
from server import DidNotStart, Server
from waiting import wait_until
from wire import Answer, Connection

MOST_LISTS = 400
# After this number of consecutive refusals, the disk is full.
ENOUGH_REFUSALS = 20
# A list takes 1 % of the disk.
TASKS = 8


def filled_disk(setting: Setting, folder: Path) -> Result:
    violations: list[str] = []
    summaries: list[str] = []
    with ExitStack() as mounts:
        disk = folder / "small"
        disk.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk)],
            capture_output=True,
            check=False,
        )
        if mounted.returncode != 0:
            return Result("skipped: mounting is not allowed here", [])
        mounts.callback(subprocess.run, ["umount", "-l", str(disk)], check=False)
        # The server uses a link. The name of its own log is made from the link's name, so the log is on another disk.
        (disk / "lists.db").touch()
        store = folder / "filled.db"
        store.symlink_to(disk / "lists.db")
        lists: list[str] = []
        for end in ("SIGTERM", "kill -9", "SIGTERM"):
            with Server(setting.program, store) as server:
                made = _fill(server, lists, violations)
                if end == "SIGTERM":
                    server.stop()
            try:
                with Server(setting.program, store) as server:
                    violations += _readiness(server)
                    violations += _make_room(server, lists)
                    server.stop()
            except DidNotStart as failure:
                violations.append(f"after {end} the server did not start: {failure}")
                break
            summaries.append(f"{made} lists filled it, {end}, {len(lists)} after room was made")
        violations += check_command.faults(setting.program, store)
    return Result("; ".join(summaries), violations)


def _send(server: Server, method: str, path: str, body: bytes | None = None) -> Answer:
    connection = Connection(server.port)
    try:
        return connection.send(method, path, {}, body)
    finally:
        connection.close()


def _body(name: str) -> bytes:
    text = "x" * 8_000
    tasks = [{"id": f"{name}-{n}", "title": "", "data": {"text": text}} for n in range(TASKS)]
    return json.dumps({"title": name, "tasks": tasks}).encode()


def _fill(server: Server, lists: list[str], violations: list[str]) -> int:
    """Creates lists until the disk is full, and returns their number."""
    refusals = made = 0
    while refusals < ENOUGH_REFUSALS:
        name = f"l{len(lists)}-{server.port}-{made}-{refusals}"
        answer = _send(server, "PUT", f"/lists/{name}", _body(name))
        if answer.status == 201:
            lists.append(name)
            made += 1
            refusals = 0
            if made > MOST_LISTS:
                violations.append("the disk did not fill")
                break
        elif answer.status == 503:
            refusals += 1
        else:
            violations.append(f"a full disk: {answer.status} {answer.body!r}")
            break
    return made


def _readiness(server: Server) -> list[str]:
    """Checks that a server that can't write is not ready, before a client has tried to write: its first commit is its own."""
    wait_until(lambda: server.metric("reorderd_commit_changes_count") + server.metric("reorderd_commits_failed_total"),
               "the first commit")
    ready = _send(server, "GET", "/readyz/writes").status
    written = _send(server, "PUT", "/lists/readiness", _body("readiness")).status
    if written == 201:
        _send(server, "DELETE", "/lists/readiness?permanent=true")
    return [] if (written == 201) == (ready == 200) else [f"after a restart, /readyz/writes: {ready}, a write: {written}"]


def _make_room(server: Server, lists: list[str]) -> list[str]:
    """Checks that all lists can be read, deletes half of them, and creates half of that number again."""
    found: list[str] = []
    for name in lists:
        answer = _send(server, "GET", f"/lists/{name}")
        if answer.status != 200 or len(json.loads(answer.body)["tasks"]) != TASKS:
            found.append(f"after a restart, {name}: {answer.status}")
    gone = lists[: len(lists) // 2]
    del lists[: len(gone)]
    for name in gone:
        # The first deletion moves the list to the bin, where it takes as much space as before.
        for query in ("", "?permanent=true"):
            answer = _send(server, "DELETE", f"/lists/{name}{query}")
            if answer.status != 204:
                found.append(f"deleting a list on a full disk failed: {answer.status}")
                return found
    for number in range(len(gone) // 2):
        name = f"again-{server.port}-{number}"
        answer = _send(server, "PUT", f"/lists/{name}", _body(name))
        if answer.status != 201:
            found.append(f"creating a list failed after deleting others: {answer.status}")
            return found
        lists.append(name)
    return found
