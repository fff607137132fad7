"""The one launcher of a server's process: starts it, waits until it listens, observes it, and ends it by its own id only."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from waiting import HANG_SECONDS

_ADDRESS = re.compile(r"https?://\S+:(\d+)")


class DidNotStart(Exception):
    """The process ended before it listened. `code` is its exit code, `log` its log."""

    def __init__(self, code: int, log: str) -> None:
        super().__init__(f"exit code {code}: {log.strip()}")
        self.code = code
        self.log = log


class ServerProcess:
    """A process that prints a line with its address when it listens, and ends on SIGTERM.

    `log` is the file for its standard error. Without `log`, standard error is discarded. Other options are those of `Popen`.
    """

    def __init__(self, command: list[Any], log: Path | None = None, **options: Any) -> None:
        self._log_path = log
        started = time.monotonic()
        with open(log or os.devnull, "wb") as errors:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                **options,
            )
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline().decode()
        address = _ADDRESS.search(self.line)
        if address is None:
            raise DidNotStart(self._wait(), self.log)
        self.seconds_to_listen = time.monotonic() - started
        self.url = address[0]
        self.port = int(address[1])

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def log(self) -> str:
        return self._log_path.read_text(errors="replace") if self._log_path else ""

    def kill(self) -> int:
        """Kills the process if it still runs, and returns the exit code."""
        if self.process.poll() is None:
            self.process.kill()
        return self._wait()

    def terminate(self) -> int:
        """Stops the server with SIGTERM, like an operator. Returns the exit code."""
        self.send_signal(signal.SIGTERM)
        return self.wait()

    def stop(self) -> None:
        """Stops the server, which must end properly."""
        code = self.terminate()
        assert code == 0, f"SIGTERM ended the server with exit code {code}: {self.log[-1500:]}"

    def send_signal(self, number: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)

    def wait(self) -> int:
        """Waits until the server ends by itself, and returns the exit code."""
        self.process.wait(HANG_SECONDS)
        return self._wait()

    def memory_bytes(self, kind: str = "VmRSS") -> int:
        """`VmRSS` is the memory in use now, `VmHWM` the maximum since the start. 0 if the process has ended."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{kind}:"):
                return int(line.split()[1]) * 1024
        return 0

    def _descriptors(self) -> list[Path]:
        return list(Path(f"/proc/{self.process.pid}/fd").iterdir())

    @property
    def descriptors(self) -> int:
        return len(self._descriptors())

    @property
    def sockets(self) -> int:
        count = 0
        for descriptor in self._descriptors():
            # One that is closed meanwhile is none.
            with contextlib.suppress(FileNotFoundError):
                count += str(descriptor.readlink()).startswith("socket:")
        return count

    @property
    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _wait(self) -> int:
        code = self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        return code
