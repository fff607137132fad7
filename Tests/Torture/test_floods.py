"""Very many connections: some open and close quickly, others stay open, idle or with half of a request. Other clients get their
responses meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from probe import Probe
from report import Result, Setting
from server import Server
from waiting import HANG_SECONDS, wait_until

IDLE, HALF = 10_000, 1_000

# Opens connections as fast as possible, and closes them in different ways.
FLOOD = """
import contextlib, socket, struct, sys
leave = [b"", b"G", b"GET /lists/demo HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n", b"\\0" * 100]
for _ in range(10):
    opened = []
    for number in range(100):
        client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        opened.append(client)
        with contextlib.suppress(OSError):
            client.sendall(leave[number % 4])
            if number % 8 < 4:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    for client in opened:
        client.close()
"""

# Opens connections that each send one request and then stay open, and some that send a request byte by byte.
CROWD = """
import itertools, resource, socket, sys, time
port, idle, half, hang = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (idle + half + 100,) * 2)
def connect(text):
    client = socket.create_connection(("127.0.0.1", port), hang)
    client.sendall(text)
    return client
opened = [connect(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n") for _ in range(idle)]
for client in opened:
    assert client.recv(1000).startswith(b"HTTP/1.1 200")
head = b"PUT /lists/a HTTP/1.1\\r\\nHost: localhost\\r\\n"
slow = [connect(head + (b"X: ", b"Content-Length: 100000\\r\\n\\r\\n")[number % 2]) for number in range(half)]
for turn in itertools.count():
    for client in slow:
        client.sendall(b"x")
    if turn == 0:
        print("open", flush=True)
    time.sleep(0.2)
"""


def floods(setting: Setting, folder: Path) -> Result:
    with Server(setting.program, folder / "lists.db", options=["--demo", "--log-level", "error"]) as server:
        before = server.sockets
        rounds = 0
        with Probe(server) as probe:
            while rounds < setting.pick(2, 100) or not probe.has_asked_enough:
                rounds += 1
                attacks = [subprocess.Popen([sys.executable, "-c", FLOOD, str(server.port)]) for _ in range(2)]
                assert [attack.wait() for attack in attacks] == [0, 0]
        wait_until(lambda: server.sockets <= before, "the connections are closed")
        server.stop()
    return Result(f"{2_000 * rounds} connections: {probe.figures}", probe.failures)


def crowds(setting: Setting, folder: Path) -> Result:
    options = ["--demo", "--max-connections", str(IDLE + HALF + 500)]
    options += ["--idle-timeout-seconds", str(HANG_SECONDS), "--request-timeout-seconds", str(HANG_SECONDS)]
    with Server(setting.program, folder / "lists.db", options=options) as server:
        before, resident = server.sockets, server.memory_bytes()
        command = [sys.executable, "-c", CROWD, *map(str, (server.port, IDLE, HALF, HANG_SECONDS))]
        crowd = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            assert crowd.stdout is not None and crowd.stdout.readline() == b"open\n"
            wait_until(lambda: server.sockets >= before + IDLE + HALF, "all connections are accepted")
            grown = server.memory_bytes() - resident
            with Probe(server) as probe:
                wait_until(lambda: probe.has_asked_enough, "responses to other clients")
        finally:
            crowd.kill()
            crowd.communicate()
        violations = probe.failures
        # The library reserves 32 KiB for a request's head, used or not.
        if grown > (IDLE + HALF) * (40 << 10):
            violations.append(f"the server grew by {grown >> 20} MiB")
        wait_until(lambda: server.sockets <= before, "the connections are closed")
        server.stop()
    return Result(
        f"{IDLE} idle and {HALF} slow connections: {grown >> 20} MiB, {grown // (IDLE + HALF)} bytes each; {probe.figures}",
        violations,
    )
