"""A measured server: its process, its resource use, and single requests to it."""

import http.client
import os
import re
import subprocess

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Server:
    """A process that prints the address it listens on, and ends on SIGTERM."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self.process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not address:
            raise SystemExit(f"{' '.join(map(str, command))} did not start: {line!r}")
        self.port = int(address[1])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND

    def memory_bytes(self, what="VmHWM"):
        """`VmHWM` is the peak since the process began, `VmRSS` what it has now."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(rf"{what}:\s+(\d+) kB", file.read())[1]) * 1024

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


def reorderd(program, threads, store):
    return Server(
        "reorderd",
        [program, "serve", "--port", "0", "--threads", str(threads), "--store", store]
        + ["--max-body-bytes", str(64 << 20), "--log-level", "error"],
    )


def bare(program, threads, *answers):
    return Server("bare", [program, str(threads), *answers])


def alternative(program, folder):
    return Server("alternative", [program, f"{folder}/alternative.db"])
