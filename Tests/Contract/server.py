"""Starts a server to test, on a free port, with its lists in a temporary file."""

import contextlib
import re
import signal
import subprocess
import tempfile
from pathlib import Path


@contextlib.contextmanager
def running(program, *options):
    """Yields the address of a server. The server must stop with exit code 0, and must not log an error."""
    with process(program, *options) as (address, _):
        yield address


@contextlib.contextmanager
def process(program, *options):
    """The same, with the server's process."""
    with tempfile.TemporaryDirectory(prefix="reorderd-contract-") as folder:
        log = Path(folder, "log")
        with log.open("w") as errors:
            process = subprocess.Popen(
                [program, "serve", "--port", "0", "--store", f"file:{folder}/lists.db", *options],
                stdout=subprocess.PIPE, stderr=errors, text=True,
            )
        try:
            line = process.stdout.readline()
            assert " listening on " in line, f"the server did not start: {log.read_text()}"
            yield line.split()[-1], process
            process.send_signal(signal.SIGTERM)
            status = process.wait(timeout=30)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        assert status == 0, f"the server ended with {status}: {log.read_text()}"
        faults = [line for line in log.read_text().splitlines() if re.match(r"\S+ (error|critical) ", line)]
        assert not faults, "\n".join(faults)
