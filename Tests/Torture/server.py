"""A server with a store, under strace if a test injects faults."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import uuid
from pathlib import Path

from server_process import DidNotStart, ServerProcess
from waiting import wait_until
from wire import Answer, Connection, ConnectionLost

__all__ = ["DidNotStart", "Server"]


class Server(ServerProcess):
    """`reorderd serve` with a store and a free port; with `strace` if it gets arguments for it.

    `store` is a file. With a URL it is only the name for the files of this process.
    """

    def __init__(
        self,
        program: Path,
        store: Path,
        strace: list[str] | None = None,
        options: list[str] | None = None,
        url: str | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        command = [str(program), "serve", "--port", "0", "--store", url or f"file:{store}"]
        command += options or []
        if strace is not None:
            # -D: the tracer is the grandchild, so that the child process is the server and its exit code is the server's.
            command = ["strace", "-D", "-f", "--quiet=attach,personality", *strace, *command]
        # Python ignores SIGXFSZ, and the server inherits that: a write past the file size limit must return an error.
        environment = os.environ | (environment or {})
        log = store.with_name(store.name + ".log")
        super().__init__(command, log, restore_signals=False, env=environment)

    def get(self, path: str) -> Answer:
        connection = Connection(self.port)
        try:
            return connection.send("GET", path, {}, None)
        finally:
            connection.close()

    def send(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> Answer:
        """Repeats a request until the server is available. With its key it is applied once."""
        text = None if body is None else json.dumps(body).encode()
        headers = {"Idempotency-Key": f"send-{uuid.uuid4()}"} | (headers or {})
        connection = Connection(self.port)

        def attempt() -> Answer | None:
            with contextlib.suppress(ConnectionLost):
                answer = connection.send(method, path, headers, text)
                if answer.status != 503 and b"request_in_progress" not in answer.body:
                    return answer
            return None

        answer = wait_until(attempt, f"{method} {path} gets a response")
        connection.close()
        return answer

    def metric(self, name: str) -> float:
        """The value of a metric without labels."""
        return float(re.search(rf"^{name} (\S+)$", self.get("/metrics").body.decode(), re.MULTILINE)[1])

    @property
    def tracer(self) -> int:
        """The process id of strace."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"^TracerPid:\s*(\d+)$", status, re.MULTILINE)[1])

    def has_ended(self) -> bool:
        """Whether the process has ended, even if strace still keeps it."""
        return Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(") ", 1)[1].startswith("Z")

    def token(self, list_name: str, version: int) -> str:
        """A version of a list with the store's epoch, as in `since`."""
        epoch = self.get(f"/lists/{list_name}").headers["etag"].strip('"').partition("-")[2]
        return f"{version}-{epoch}"

    def limit_file_size(self, size: int) -> None:
        """Limits the size of files: the write that crosses the limit is short, and the next one fails."""
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
