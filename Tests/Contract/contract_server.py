"""Starts a server to test, on a free port, with its lists in a temporary file."""

import contextlib
import re
import tempfile
from pathlib import Path

from server_process import ServerProcess


@contextlib.contextmanager
def running(program, *options):
    """Yields the address of a server. The server must stop with exit code 0, and must not log an error."""
    with process(program, *options) as server:
        yield server.url


@contextlib.contextmanager
def process(program, *options):
    """The same, with the server's process."""
    with tempfile.TemporaryDirectory(prefix="reorderd-contract-") as folder:
        command = [program, "serve", "--port", "0", "--store", f"file:{folder}/lists.db", *options]
        with ServerProcess(command, Path(folder, "log")) as server:
            yield server
            server.stop()
            faults = [line for line in server.log.splitlines() if re.match(r"\S+ (error|critical) ", line)]
            assert not faults, "\n".join(faults)
