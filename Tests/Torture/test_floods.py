"""Very many connections: some open and close quickly, others stay idle."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from probe import Probe
from report import Result, Setting
from scene import wait_until
from server import Server

IDLE = 10_000
IDLE_SECONDS = 2

# Opens connections as fast as possible, and closes them in different ways.
FLOOD = """
import contextlib, socket, struct, sys, time
port, end, count = int(sys.argv[1]), time.monotonic() + float(sys.argv[2]), 0
leave = [b"", b"G", b"GET /lists/demo HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n", b"\\0" * 100]
while time.monotonic() < end:
    opened = []
    for number in range(100):
        with contextlib.suppress(OSError):
            client = socket.create_connection(("127.0.0.1", port), 1)
            client.sendall(leave[number % 4])
            if number % 8 < 4:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            opened.append(client)
            count += 1
    for client in opened:
        client.close()
print(count)
"""

# Opens connections that each send one request and then stay open.
CROWD = """
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]) + 100,) * 2)
opened = []
for _ in range(int(sys.argv[2])):
    client = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 120)
    client.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    opened.append(client)
for client in opened:
    assert client.recv(65536).startswith(b"HTTP/1.1 200"), "no response"
print("open", flush=True)
time.sleep(600)
"""


def floods(setting: Setting, folder: Path) -> Result:
    seconds = setting.pick(2, 60)
    # libmicrohttpd does not notice a close that arrives together with a connection's last bytes; the connection times out.
    options = ["--demo", "--idle-timeout-seconds", str(IDLE_SECONDS)]
    options += ["--request-timeout-seconds", str(IDLE_SECONDS)]
    with Server(setting.program, folder / "lists.db", options=options) as server:
        before = server.descriptors
        flood = [sys.executable, "-c", FLOOD, str(server.port), str(seconds)]
        count = 0
        with Probe(server, setting.patience_seconds) as probe:
            # One attempt is enough if the machine is fast enough.
            for _ in range(20):
                attacks = [subprocess.Popen(flood, stdout=subprocess.PIPE) for _ in range(2)]
                count += sum(int(attack.communicate()[0]) for attack in attacks)
                if count >= 1_000 and probe.has_asked_enough:
                    break
        violations = probe.violations
        if count < 1_000:
            violations.append(f"only {count} connections")
        if not wait_until(lambda: server.descriptors <= before + 1, 60):
            violations.append(f"{server.descriptors - before} connections are still open")
        if (code := server.terminate()) != 0:
            violations.append(f"SIGTERM ended the server with exit code {code}")
        return Result(f"{count} connections in {seconds} s: {probe.figures}", violations)


def idle_connections(setting: Setting, folder: Path) -> Result:
    options = ["--demo", "--max-connections", str(IDLE + 500), "--idle-timeout-seconds", "600"]
    with Server(setting.program, folder / "lists.db", options=options) as server:
        before, resident = server.descriptors, server.resident_bytes
        crowd = subprocess.Popen(
            [sys.executable, "-c", CROWD, str(server.port), str(IDLE)], stdout=subprocess.PIPE
        )
        try:
            assert crowd.stdout is not None
            violations = [] if crowd.stdout.readline() == b"open\n" else ["the server did not accept all connections"]
            opened = server.descriptors - before
            grown = server.resident_bytes - resident
            used = server.processor_seconds
            started = time.monotonic()
            with Probe(server, setting.patience_seconds) as probe:
                time.sleep(setting.pick(1, 120))
                wait_until(lambda: probe.has_asked_enough, 60)
            share = (server.processor_seconds - used) / (time.monotonic() - started)
        finally:
            crowd.kill()
            crowd.wait()
            if crowd.stdout:
                crowd.stdout.close()
        violations += probe.violations
        if opened < IDLE:
            violations.append(f"{opened} connections are open")
        # The library reserves 32 KiB for a request's head, used or not.
        if grown > IDLE * (40 << 10):
            violations.append(f"the server grew by {grown >> 20} MiB")
        if not wait_until(lambda: server.descriptors <= before + 1, 60):
            violations.append(f"{server.descriptors - before} connections are still open")
        if (code := server.terminate()) != 0:
            violations.append(f"SIGTERM ended the server with exit code {code}")
        return Result(
            f"{opened} idle connections: {opened} descriptors and {grown >> 20} MiB, {grown // max(1, opened)} "
            f"bytes each; {probe.figures}, with {100 * share:.0f} % of a processor",
            violations,
        )
