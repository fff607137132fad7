"""Starts a server to test, on a free port, with its lists in a temporary file."""

import contextlib
import http.client
import json
import re
import tempfile
from pathlib import Path

from server_process import ServerProcess
from waiting import HANG_SECONDS


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


def ask(address, method, path, body=None, fields=None, source=None):
    """Sends a request on a new connection. Returns the status and the body. `source` is the client's address."""
    host, port = address.removeprefix("http://").rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), HANG_SECONDS, source and (source, 0))
    with contextlib.closing(connection):
        fields = {"Content-Type": "application/json", "Host": "localhost", **(fields or {})}
        connection.request(method, path, body and json.dumps(body), fields)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
