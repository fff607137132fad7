"""A client that sends requests continuously while other clients misbehave."""

from __future__ import annotations

import threading
import time

from server import Server
from wire import Connection, ConnectionLost


class Probe:
    """Sends each request on a new connection, and waits for the response up to a time limit."""

    PAUSE_SECONDS = 0.01
    LEAST = 20

    def __init__(self, server: Server, patience_seconds: float, path: str = "/lists/demo") -> None:
        self._port = server.port
        self._patience_seconds = patience_seconds
        self._path = path
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.seconds: list[float] = []
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
            connection = Connection(self._port, self._patience_seconds)
            try:
                answer = connection.send("GET", self._path, {}, None)
                if answer.status == 200:
                    self.seconds.append(time.monotonic() - start)
                else:
                    self.failures.append(f"status {answer.status}")
            except ConnectionLost as failure:
                self.failures.append(f"after {time.monotonic() - start:.1f} s: {failure}")
            finally:
                connection.close()
            self._ends.wait(self.PAUSE_SECONDS)

    @property
    def figures(self) -> str:
        return f"{100 * self._share:.2f} % of {self._count} probes, the slowest {1000 * max(self.seconds, default=0):.0f} ms"

    @property
    def violations(self) -> list[str]:
        """Faults: fewer than 99 % of the probes got a response, or too few were sent."""
        if not self.has_asked_enough:
            return [f"only {self._count} probes"]
        return [] if self._share >= 0.99 else [f"probes: {self.figures}: {self.failures[:3]}"]

    @property
    def has_asked_enough(self) -> bool:
        return self._count >= self.LEAST

    @property
    def _count(self) -> int:
        return len(self.seconds) + len(self.failures)

    @property
    def _share(self) -> float:
        return len(self.seconds) / max(1, self._count)
