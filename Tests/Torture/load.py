"""Concurrent clients that send a workload and record the responses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from history import History, Record
from wire import Connection, ConnectionLost
from workload import Workload

Ports = Callable[[], int]
"""Returns the port for the next request."""


class Client:
    """Sends requests one after another, over one connection to each server."""

    def __init__(self, name: str, lists: int, port: int | Ports, history: History) -> None:
        self.workload = Workload(name, lists)
        self._history = history
        self._port = port
        self._connections: dict[int, Connection] = {}

    def send(self, request: tuple[Record, dict[str, str]]) -> Record:
        record, headers = request
        port = self._port if isinstance(self._port, int) else self._port()
        connection = self._connections.setdefault(port, Connection(port))
        self._history.begin(record)
        record.start = time.monotonic()
        try:
            answer = connection.send(record.method, record.path, {"Client-Id": record.name} | headers, record.body)
            # With this code, the outcome is as unknown as after a lost response.
            if b'"outcome_unknown"' not in answer.body:
                record.answer = answer
            if "etag" in answer.headers and record.path.startswith("/lists/"):
                self.workload.seen[record.list] = answer.headers["etag"]
        except ConnectionLost:
            pass
        record.end = time.monotonic()
        self._history.add(record)
        return record

    def run(self, stop: Callable[[Record], bool]) -> None:
        try:
            while not stop(self.send(self.workload.next())):
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
        runs = [Client(f"{seed}.{index}", lists, port, history).run for index in range(clients)]
        self._threads = [threading.Thread(target=run, args=(self._stop,), daemon=True) for run in runs]

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
    client = Client(f"{seed}.setup", lists, port, history)
    for index in range(lists):
        client.send(client.workload.put(f"list-{index}", {}))


def read_lists(port: int | Ports, name: str, lists: int, history: History) -> None:
    """Each list's document, recorded like any other read."""
    client = Client(name, lists, port, history)
    for index in range(lists):
        client.send(client.workload.read(f"list-{index}"))
