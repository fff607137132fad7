"""Undos of large changes: the memory of one undo of each kind, and SIGTERM while 300 undos wait."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from pathlib import Path

import check_command
from report import Result, Setting
from server import Server
from wire import Connection, ConnectionLost

UNDOS = 300
LISTS = 10
# The server's guarantee.
STOP_SECONDS = 10
BYTES_PER_OPERATION = 2 << 10
# Memory that threads and the allocator keep.
ROOM_BYTES = 48 << 20


def undos(setting: Setting, folder: Path) -> Result:
    store = folder / "lists.db"
    violations: list[str] = []
    options = ["--max-body-bytes", str(64 << 20)]
    with Server(setting.program, store, options=options) as server:
        figures = _memory(server, setting.pick(6_000, 50_000), violations)
        tasks = setting.pick(1_000, 20_000)
        versions = [_delete_all_tasks(server, f"l{number}", tasks) for number in range(LISTS)]
        statuses, seconds = _stop_behind_undos(server, versions)
        if setting.is_late(seconds, STOP_SECONDS):
            violations.append(f"the server took {seconds:.1f} s to stop")
        # A change that was just undone cannot be undone again: 409.
        if not set(statuses) <= {200, 409, 503, None}:
            violations.append(f"the undos' statuses are {dict(statuses)}")
    violations += check_command.faults(setting.program, store)
    return Result(
        f"{figures}; SIGTERM during {UNDOS} undos of {tasks} operations took {seconds:.1f} s; their statuses are "
        f"{dict(statuses)}",
        violations,
    )


def _memory(server: Server, tasks: int, violations: list[str]) -> str:
    """Undoes large changes of a list, and compares their memory with that of a small one. An undo that copied the list for each
    operation took 140 KiB and more for each."""
    name, half = "large", tasks // 2
    _send(server, "PUT", f"/lists/{name}", _content(name, tasks))
    version = _send(server, "PATCH", f"/tasks/{_task(name, 0)}", {"title": "new"})
    least, _, version = _measure(server, name, version)
    figures = [f"an undo in a list of {tasks} tasks takes {least >> 10} KiB"]
    block = [_task(name, number) for number in range(0, tasks, 2)]
    for kind, operations, change in (
        ("deletion", tasks, ("DELETE", f"/lists/{name}/sections/s?tasks=delete", None)),
        ("undone deletion", tasks, None),
        ("block move", half, ("POST", f"/lists/{name}/move", {"tasks": block, "section": None, "position": 0})),
        ("undone block move", half, None),
    ):
        if change:
            version = _send(server, *change)
        grown, seconds, version = _measure(server, name, version)
        figures.append(f"of the {kind} of {operations} operations {grown >> 10} KiB in {seconds:.1f} s")
        if grown > least + operations * BYTES_PER_OPERATION + ROOM_BYTES:
            violations.append(f"the undo of the {kind} of {operations} operations took {grown >> 20} MiB")
        if kind == "undone deletion":
            # The list has its tasks again.
            version = _undo(server, name, version)
    return ", ".join(figures)


def _task(name: str, number: int) -> str:
    return f"{name}.{number:032d}"


def _send(server: Server, method: str, path: str, body: object = None) -> int:
    """Sends a request, and returns the list's version."""
    connection = Connection(server.port)
    try:
        content = None if body is None else json.dumps(body).encode()
        answer = connection.send(method, path, {}, content)
    finally:
        connection.close()
    assert answer.status < 300 and answer.version, answer
    return answer.version


def _delete_all_tasks(server: Server, name: str, tasks: int) -> int:
    """Creates a list, deletes its section with all tasks, and returns the version of the deletion."""
    _send(server, "PUT", f"/lists/{name}", _content(name, tasks))
    return _send(server, "DELETE", f"/lists/{name}/sections/s?tasks=delete")


def _content(name: str, tasks: int) -> object:
    return {
        "title": name,
        "sections": [{"id": "s", "title": "s"}],
        "tasks": [
            {"id": _task(name, number), "title": f"Task {number}", "section": "s"}
            for number in range(tasks)
        ],
    }


def _undo(server: Server, name: str, version: int) -> int:
    return _send(server, "POST", f"/lists/{name}/undo", {"version": version})


def _measure(server: Server, name: str, version: int) -> tuple[int, float, int]:
    """Undoes a change. Returns the bytes by which the server grew at most, the time in seconds, and the list's new version.

    The allocator keeps freed memory for each thread. So the server grows with the first few undos, and then no more."""
    before = server.resident_bytes
    status = Path(f"/proc/{server.process.pid}/status")
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")
    started = time.monotonic()
    version = _undo(server, name, version)
    seconds = time.monotonic() - started
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) * 1024 - before, seconds, version


def _stop_behind_undos(server: Server, versions: list[int]) -> tuple[Counter[int | None], float]:
    """Returns the number of each status, and the time that the server took to stop."""
    statuses: Counter[int | None] = Counter()
    lock = threading.Lock()
    sent = threading.Semaphore(0)

    def undo(number: int) -> None:
        connection = Connection(server.port)
        status = None
        body = json.dumps({"version": versions[number]}).encode()
        sent.release()
        try:
            status = connection.send("POST", f"/lists/l{number}/undo", {}, body).status
        except ConnectionLost:
            # The request arrived after the server had stopped listening.
            pass
        finally:
            connection.close()
        with lock:
            statuses[status] += 1

    threads = [
        threading.Thread(target=undo, args=(number % LISTS,), daemon=True) for number in range(UNDOS)
    ]
    for thread in threads:
        thread.start()
    for _ in threads:
        sent.acquire()
    started = time.monotonic()
    server.stop()
    seconds = time.monotonic() - started
    for thread in threads:
        thread.join()
    return statuses, seconds
