"""Clients that vanish without closing their connections, for example because a network fails. Their streams and long polls
must end nevertheless."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from report import Result, Setting
from server import Server
from waiting import wait_until

STREAMS = 50
POLLS = 50
# The maximum.
WAIT_SECONDS = 60
HEARTBEAT_SECONDS = 2
ADDRESSES = ("10.213.77.1", "10.213.77.2")

CLIENT = """
import socket, sys, time, urllib.request
def ask(path):
    client = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    client.sendall(f"GET /lists/demo/{path} HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n".encode())
    return client
with urllib.request.urlopen(f"http://{sys.argv[1]}:{sys.argv[2]}/lists/demo") as answer:
    version = answer.headers["ETag"].strip('"')
polls = [ask(f"changes?since={version}&wait={sys.argv[5]}") for _ in range(int(sys.argv[4]))]
for stream in [ask("events") for _ in range(int(sys.argv[3]))]:
    text = b""
    while b"\\n: \\n" not in text:
        text += stream.recv(65536)
    polls.append(stream)
print("quiet", flush=True)
time.sleep(1e6)
"""


class Elsewhere:
    """A separate network namespace, connected by a virtual cable that can be unplugged."""

    def __init__(self) -> None:
        self.name = f"reorderd-{os.getpid()}"
        self._cable = f"rd{os.getpid() % 100_000}"

    def __enter__(self) -> Elsewhere:
        far = f"{self._cable}x"
        self._ip("netns", "add", self.name)
        self._ip("link", "add", self._cable, "type", "veth", "peer", "name", far)
        self._ip("link", "set", far, "netns", self.name)
        self._ip("addr", "add", f"{ADDRESSES[0]}/24", "dev", self._cable)
        self._ip("link", "set", self._cable, "up")
        self._ip("-n", self.name, "addr", "add", f"{ADDRESSES[1]}/24", "dev", far)
        self._ip("-n", self.name, "link", "set", far, "up")
        return self

    def __exit__(self, *_: object) -> None:
        for arguments in (("netns", "del", self.name), ("link", "del", self._cable)):
            subprocess.run(("ip", *arguments), stderr=subprocess.DEVNULL, check=False)

    def pull(self) -> None:
        self._ip("-n", self.name, "link", "set", f"{self._cable}x", "down")

    @staticmethod
    def _ip(*arguments: str) -> None:
        subprocess.run(("ip", *arguments), check=True, stderr=subprocess.DEVNULL)


def vanished_peers(setting: Setting, folder: Path) -> Result:
    options = [
        *("--host", ADDRESSES[0], "--no-auth", "--demo"),
        *("--heartbeat-seconds", str(HEARTBEAT_SECONDS)),
    ]
    place = Elsewhere()
    try:
        place.__enter__()
    except (OSError, subprocess.CalledProcessError):
        place.__exit__()
        return Result("skipped: network namespaces are not allowed here", [])
    try:
        with Server(setting.program, folder / "lists.db", options=options) as server:
            before = server.sockets
            opened = time.monotonic()
            client = subprocess.Popen(
                ("ip", "netns", "exec", place.name, sys.executable, "-c", CLIENT)
                + (ADDRESSES[0], str(server.port), *map(str, (STREAMS, POLLS, WAIT_SECONDS))),
                stdout=subprocess.PIPE,
            )
            try:
                # After a heartbeat, the streams are quiet and everything is acknowledged.
                assert client.stdout is not None and client.stdout.readline() == b"quiet\n"
                wait_until(lambda: server.sockets >= before + STREAMS + POLLS, "all clients are connected")
                place.pull()
                started = time.monotonic()
                wait_until(lambda: server.sockets <= before, "the server closes all connections")
                seconds = time.monotonic() - started
            finally:
                client.kill()
                client.communicate()
            violations = []
            if setting.is_late(seconds, 2 * HEARTBEAT_SECONDS):
                violations.append(f"the server noticed them after {seconds:.1f} s")
            if time.monotonic() - opened > WAIT_SECONDS:
                violations.append("the server noticed them when the polls' wait had ended")
            server.stop()
            return Result(
                f"{STREAMS} streams and {POLLS} long polls, all closed {seconds:.1f} s after their network disappeared, "
                f"heartbeats {HEARTBEAT_SECONDS} s apart",
                violations,
            )
    finally:
        place.__exit__()
