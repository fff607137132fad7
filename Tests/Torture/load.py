"""Concurrent clients that send a workload and record the responses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from history import History, Record
from wire import Connection, ConnectionLost
from workload import Request, Workload

Stop = Callable[[Record], bool]


Ports = Callable[[], int]
"""Returns the port for the next request."""


class Client:
    """Sends requests one after another, over one connection to each server."""

    def __init__(
        self, name: str, port: int | Ports, workload: Workload, history: History
    ) -> None:
        self._name = name
        self._workload = workload
        self._history = history
        self._port = port
        self._connections: dict[int, Connection] = {}
        self._count = 0

    @property
    def _connection(self) -> Connection:
        port = self._port if isinstance(self._port, int) else self._port()
        if port not in self._connections:
            self._connections[port] = Connection(port)
        return self._connections[port]

    def send(self, request: Request) -> Record:
        self._count += 1
        record = Record(
            name=f"{self._name}-{self._count}",
            list=request.list,
            kind=request.kind,
            method=request.method,
            path=request.path,
            body=request.encoded,
            start=0,
            task=request.task,
            target=request.target,
        )
        headers = {"Client-Id": record.name} | (request.headers or {})
        if request.lines:
            headers["Content-Type"] = "application/x-ndjson"
        self._history.begin(record)
        record.start = time.monotonic()
        try:
            answer = self._connection.send(record.method, record.path, headers, record.body)
            # With this code, the outcome is as unknown as after a lost response.
            if b'"outcome_unknown"' not in answer.body:
                record.answer = answer
            if "etag" in answer.headers and request.task is None:
                self._workload.seen[request.list] = answer.headers["etag"]
        except ConnectionLost:
            pass
        record.end = time.monotonic()
        self._history.add(record)
        return record

    def run(self, stop: Stop) -> None:
        try:
            while not stop(self.send(self._workload.next())):
                pass
        finally:
            for connection in self._connections.values():
                connection.close()


class Load:
    """Several concurrent clients. They stop on request, and when the server no longer responds."""

    def __init__(
        self,
        port: int | Ports,
        seed: str,
        clients: int,
        lists: int,
        history: History,
        requests: int | None = None,
        survives: bool = False,
    ) -> None:
        """`survives`: clients continue after a lost response, because other servers run."""
        self._survives = survives
        self._stopped = threading.Event()
        self._left = requests
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(
                target=Client(
                    f"{seed}.{index}", port, Workload(f"{seed}.{index}", lists), history
                ).run,
                args=(self._stop,),
                daemon=True,
            )
            for index in range(clients)
        ]

    def start(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        """Lets each client finish its request, and waits for the clients."""
        self._stopped.set()
        self.join()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _stop(self, record: Record) -> bool:
        if record.answer is None and not self._survives:
            return True
        if record.answer is None or record.answer.status == 503:
            # Retry-After asks for a longer pause; this one is enough here.
            time.sleep(0.05)
        if self._left is not None:
            with self._lock:
                self._left -= 1
                if self._left <= 0:
                    self._stopped.set()
        return self._stopped.is_set()


def make_lists(port: int | Ports, seed: str, lists: int, history: History) -> None:
    """Creates each list, so that clients have tasks to move."""
    workload = Workload(f"{seed}.setup", lists)
    client = Client(f"{seed}.setup", port, workload, history)
    for index in range(lists):
        client.send(workload.first(f"list-{index}"))


def read_lists(port: int | Ports, name: str, lists: int, history: History) -> None:
    """Each list's document, recorded like any other read."""
    workload = Workload(name, lists)
    client = Client(name, port, workload, history)
    for index in range(lists):
        path = f"/lists/list-{index}"
        client.send(Request("document", f"list-{index}", "GET", path))
