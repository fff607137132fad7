"""Clients that ask for large responses and do not read them: each a different window of one list, or another page of its
changes. The memory of all responses together is bounded, and other requests get responses meanwhile."""

from __future__ import annotations

import json
import socket
from collections import Counter
from pathlib import Path

from report import Result, Setting
from server import Server
from waiting import HANG_SECONDS, wait_until
from wire import Connection

WINDOWS = 200
PAGES = 50
# Clients share the server's limit: each may use a quarter.
CLIENTS = 5
CACHE_BYTES = 64 << 20
CHANGES = 60
TASKS_PER_CHANGE = 100


class Unread:
    """A client that sends a request and reads only the head of the response."""

    def __init__(self, port: int, address: str, path: str) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.settimeout(HANG_SECONDS)
        self._socket.bind((address, 0))
        self._socket.connect(("127.0.0.1", port))
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def read_status(self) -> int:
        head = b""
        while b"\r\n\r\n" not in head:
            data = self._socket.recv(256)
            assert data, head
            head += data
        return int(head.split(b" ", 2)[1])

    def close(self) -> None:
        self._socket.close()


def unread_responses(setting: Setting, folder: Path) -> Result:
    tasks = setting.pick(10_000, 100_000)
    limit = setting.pick(16, 128) << 20
    options = ["--max-body-bytes", str(64 << 20), "--max-responses-bytes", str(limit)]
    options += ["--cache-bytes", str(CACHE_BYTES)]
    violations: list[str] = []
    with Server(setting.program, folder / "lists.db", options=options) as server:
        size = _make_list(server, tasks)
        changes = len(server.get(f"/lists/l/changes?since={server.token('l', 1)}").body)
        # Responses that are not sent have to be rendered too, a few at a time.
        room = CACHE_BYTES + 16 * size
        wanted = WINDOWS * size + PAGES * changes
        assert wanted > 2 * (limit + room), "the responses must exceed the limit clearly"
        statuses: Counter[int] = Counter()
        grown = []
        # Memory that is not returned would be counted in the second round.
        before = server.resident_bytes
        for _ in range(2):
            Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")
            statuses += _flood(server)
            grown.append(_peak_bytes(server) - before)
        if max(grown) > limit + room:
            violations.append(f"the server grew by {max(grown) >> 20} MiB, {(limit + room) >> 20} are allowed")
        if set(statuses) != {200, 503}:
            violations.append(f"the statuses are {dict(statuses)}")
        # The responses' share is free again as soon as the server has noticed that the clients have left.
        wait_until(lambda: server.get("/lists/l").status == 200, "the memory of responses is free again")
        server.stop()
    return Result(
        f"{WINDOWS} windows of {size >> 10} KiB and {PAGES} pages of {changes >> 10} KiB, not read, twice: the server grew by "
        f"{grown[0] >> 20} and {grown[1] >> 20} MiB, the limit of responses is {limit >> 20} MiB; statuses {dict(statuses)}",
        violations,
    )


def _make_list(server: Server, tasks: int) -> int:
    """Creates a list and changes it. Returns the size of its document."""
    connection = Connection(server.port)
    entries = [{"id": f"t{number}", "title": f"Task {number} with a title"} for number in range(tasks)]
    body = json.dumps({"title": "l", "tasks": entries}).encode()
    assert connection.send("PUT", "/lists/l", {}, body).status == 201
    for change in range(CHANGES):
        ops = [
            {"op": "create", "id": f"c{change}.{number}", "title": "x" * 200}
            for number in range(TASKS_PER_CHANGE)
        ]
        assert connection.send("POST", "/lists/l/batch", {}, json.dumps({"ops": ops}).encode()).status == 200
    size = len(connection.send("GET", "/lists/l", {}, None).body)
    connection.close()
    return size


def _flood(server: Server) -> Counter[int]:
    """Sends all requests, and then reads the heads of the responses. Returns the number of each status."""
    paths = [f"/lists/l?offset={number}" for number in range(WINDOWS)]
    paths += [f"/lists/l/changes?since={server.token('l', 1 + number % CHANGES)}" for number in range(PAGES)]
    clients = [
        Unread(server.port, f"127.0.0.{2 + number % CLIENTS}", path) for number, path in enumerate(paths)
    ]
    statuses: Counter[int] = Counter()
    probe = Connection(server.port)
    for client in clients:
        statuses[client.read_status()] += 1
        assert probe.send("GET", "/healthz", {}, None).status == 200
    probe.close()
    for client in clients:
        client.close()
    return statuses


def _peak_bytes(server: Server) -> int:
    """The maximum of the server's memory since `clear_refs` was written."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    lines = dict(line.split(":", 1) for line in status.splitlines())
    return int(lines["VmHWM"].split()[0]) * 1024
