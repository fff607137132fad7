"""Undos of large changes: the memory of one undo, and SIGTERM while 300 undos wait."""

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
# The list is read from the store once more, and its document twice. A task has about 100 bytes in each.
BYTES_PER_TASK = 2 << 10
# Memory that threads and the allocator keep.
ROOM_BYTES = 24 << 20


def undos(setting: Setting, folder: Path) -> Result:
    # A debug build checks the whole list after each operation, so the time grows with the square of the tasks. If an undo
    # copied the list for each operation, its memory would grow in the same way: 430 MiB for 3,000 tasks. For 1,000 tasks, 28
    # MiB are allowed.
    tasks = setting.pick(1_000, 20_000)
    store = folder / "lists.db"
    violations: list[str] = []
    options = ["--max-body-bytes", str(64 << 20)]
    with Server(setting.program, store, options=options) as server:
        versions = [_delete_all_tasks(server, f"l{number}", tasks) for number in range(LISTS)]
        grown = _growth(server, "l0", versions[0])
        allowed = tasks * (BYTES_PER_OPERATION + BYTES_PER_TASK) + ROOM_BYTES
        if grown > allowed:
            violations.append(f"an undo of {tasks} operations took {grown >> 20} MiB")
        statuses, seconds, code = _stop_behind_undos(server, versions, setting)
        if code != 0:
            violations.append(f"the server ended with exit code {code}: {server.log[-500:]}")
        if seconds > STOP_SECONDS + setting.patience_seconds:
            violations.append(f"the server took {seconds:.1f} s to stop")
        # A change that was just undone cannot be undone again: 409.
        if not set(statuses) <= {200, 409, 503, None}:
            violations.append(f"the undos' statuses are {dict(statuses)}")
    violations += check_command.faults(setting.program, store)
    return Result(
        f"an undo of {tasks} operations took {grown >> 10} KiB; SIGTERM during {UNDOS} undos took "
        f"{seconds:.1f} s; their statuses are {dict(statuses)}",
        violations,
    )


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
    content = {
        "title": name,
        "sections": [{"id": "s", "title": "s"}],
        "tasks": [
            {"id": f"{name}.{number:032d}", "title": f"Task {number}", "section": "s"}
            for number in range(tasks)
        ],
    }
    _send(server, "PUT", f"/lists/{name}", content)
    return _send(server, "DELETE", f"/lists/{name}/sections/s?tasks=delete")


def _growth(server: Server, name: str, version: int) -> int:
    """The maximum growth of the server's memory, in bytes, during the undo of a change."""
    status = Path(f"/proc/{server.process.pid}/status")
    Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")
    before = server.resident_bytes
    _send(server, "POST", f"/lists/{name}/undo", {"version": version})
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) * 1024 - before


def _stop_behind_undos(
    server: Server, versions: list[int], setting: Setting
) -> tuple[Counter[int | None], float, int]:
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

    # The first list's change is undone already.
    numbers = [1 + number % (LISTS - 1) for number in range(UNDOS)]
    threads = [threading.Thread(target=undo, args=(number,), daemon=True) for number in numbers]
    for thread in threads:
        thread.start()
    for _ in threads:
        sent.acquire()
    started = time.monotonic()
    code = server.terminate(STOP_SECONDS + setting.patience_seconds + 60)
    seconds = time.monotonic() - started
    for thread in threads:
        thread.join(60)
    return statuses, seconds, code
