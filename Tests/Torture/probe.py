"""A client that sends requests continuously while other clients misbehave."""

from __future__ import annotations

import threading
import time

from server import Server
from wire import Connection, ConnectionLost


class Probe:
    """Sends each request on a new connection, and waits for the response."""

    PAUSE_SECONDS = 0.01
    LEAST = 20

    def __init__(self, server: Server) -> None:
        self._port = server.port
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._seconds: list[float] = []
        self.failures: list[str] = []

    def __enter__(self) -> Probe:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ends.is_set():
            start = time.monotonic()
            connection = Connection(self._port)
            try:
                answer = connection.send("GET", "/lists/demo", {}, None)
                if answer.status != 200:
                    self.failures.append(f"a probe got the status {answer.status}")
            except ConnectionLost as failure:
                self.failures.append(f"a probe got no response: {failure}")
            finally:
                connection.close()
            self._seconds.append(time.monotonic() - start)
            self._ends.wait(self.PAUSE_SECONDS)

    @property
    def figures(self) -> str:
        return f"{len(self._seconds)} probes, the slowest {1000 * max(self._seconds):.0f} ms"

    @property
    def has_asked_enough(self) -> bool:
        return len(self._seconds) >= self.LEAST
