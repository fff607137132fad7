"""The server's process: starts it, observes it, and ends it by its own id only."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from pathlib import Path

from wire import Answer, Connection


class DidNotStart(Exception):
    """The server ended before it listened. `code` is its exit code, `log` its log."""

    def __init__(self, code: int, log: str) -> None:
        super().__init__(f"exit code {code}: {log.strip()}")
        self.code = code
        self.log = log


class Server:
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
    ) -> None:
        self._log_path = store.with_name(store.name + ".log")
        command = [str(program), "serve", "--port", "0", "--store", url or f"file:{store}"]
        command += options or []
        if strace is not None:
            # -D: the tracer is the grandchild, so that the child process is the server and its exit code is the server's.
            command = ["strace", "-D", "-f", "--quiet=attach,personality", *strace, *command]
        started = time.monotonic()
        with self._log_path.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                # Python ignores SIGXFSZ, and the server inherits that: a write past the file size limit
                # must return an error.
                restore_signals=False,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        if "listening on" not in line:
            raise DidNotStart(self.process.wait(), self.log)
        self.seconds_to_listen = time.monotonic() - started
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def log(self) -> str:
        return self._log_path.read_text(errors="replace")

    def get(self, path: str) -> Answer:
        connection = Connection(self.port)
        try:
            return connection.send("GET", path, {}, None)
        finally:
            connection.close()

    def kill(self) -> int:
        """Kills the process if it still runs, and returns the exit code."""
        if self.process.poll() is None:
            self.process.kill()
        return self._wait()

    def terminate(self, timeout_seconds: float = 60) -> int:
        """Stops the server with SIGTERM, like an operator."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
        return self._wait()

    def wait(self, timeout_seconds: float) -> int | None:
        """The exit code if the server ends by itself in that time, else None."""
        try:
            return self.process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            return None

    def limit_file_size(self, size: int) -> None:
        """Limits the size of files: the write that crosses the limit is short, and the next one fails."""
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    @property
    def resident_bytes(self) -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    @property
    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    @property
    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _wait(self) -> int:
        code = self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        return code
