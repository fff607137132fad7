"""A measured server: its process, its resource use, and single requests to it."""

import http.client
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "Tests" / "Support"))
from server_process import DidNotStart, ServerProcess


class Server(ServerProcess):
    """A server by its name in the results."""

    def __init__(self, name, command):
        self.name = name
        try:
            super().__init__(command)
        except DidNotStart as failure:
            raise SystemExit(f"{' '.join(map(str, command))} did not start: {failure}") from failure

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, method, target, body=None, connection=None):
        """Returns the response's status, header fields and body. A status other than 2xx ends the benchmark."""
        connection = connection or self.connect()
        headers = {"Content-Type": "application/json"} if body else {}
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status // 100 != 2:
            raise SystemExit(f"{self.name}: {method} {target}: {answer.status} {content[:500]!r}")
        return answer, content


def reorderd(program, threads, store, before=()):
    """`before`: a command that starts the program."""
    return Server(
        "reorderd",
        [*before, program, "serve", "--port", "0", "--threads", str(threads), "--store", store]
        + ["--max-body-bytes", str(64 << 20), "--log-level", "error"],
    )


def bare(program, threads, *answers):
    return Server("bare", [program, str(threads), *answers])


def alternative(program, folder):
    return Server("alternative", [program, f"{folder}/alternative.db"])
