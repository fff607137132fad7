"""Runs named tests in several processes, because a test mostly waits. Each process takes the next name from a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_COUNT = 1 + (os.cpu_count() or 1)
_NAME_BYTES = 120


def run_together(folder: Path, arguments: list[object], names: list[str]) -> int:
    """Runs the tests with the program of a folder, which gets the arguments and `--from-pipe`. Returns the exit code."""
    source, sink = os.pipe()
    os.write(sink, b"".join(name.encode().ljust(_NAME_BYTES) for name in names))
    os.close(sink)
    command = [sys.executable, "-B", folder, *arguments, "--from-pipe", str(source)]
    processes = [subprocess.Popen(command, pass_fds=(source,)) for _ in range(min(_COUNT, len(names)))]
    try:
        return max([process.wait() for process in processes])
    finally:
        for process in processes:
            process.terminate()


def names_from(pipe: int) -> Iterator[str]:
    while name := os.read(pipe, _NAME_BYTES):
        yield name.decode().strip()
