"""Clients that send or read a byte now and then: they delay no other client, and are disconnected in time."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from probe import Probe
from report import Result, Setting
from scene import wait_until
from server import Server

# Long enough that a busy machine can open half of the connections.
REQUEST_SECONDS = 5
# The attacks, and their options for slowhttptest, which ends after its time.
WAYS = {
    "headers": ["-H", "-i", "1", "-x", "10"],
    "bodies": ["-B", "-i", "1", "-s", "100000", "-x", "10"],
    "reading": ["-X", "-n", "1", "-w", "10", "-y", "20", "-z", "5", "-k", "3"],
}


def slow_clients(setting: Setting, folder: Path) -> Result:
    tool = shutil.which("slowhttptest")
    if tool is None:
        return Result("skipped: slowhttptest is not installed", [])
    connections = setting.pick(900, 4_000)
    # Longer than the time limit of a request, so that the test sees the disconnections.
    seconds = setting.pick(REQUEST_SECONDS + 1, 60)
    options = ["--demo", "--request-timeout-seconds", str(REQUEST_SECONDS), "--log-level", "error"]
    summaries, violations = [], []
    with Server(setting.program, folder / "lists.db", options=options) as server:
        before = server.descriptors
        for name, arguments in WAYS.items():
            command = [tool, *arguments, "-c", str(connections), "-r", str(connections)]
            command += ["-l", str(seconds), "-p", "1", "-v", "0"]
            command += ["-u", f"http://127.0.0.1:{server.port}/lists/demo"]
            most = 0
            with Probe(server, setting.patience_seconds) as probe:
                # One attempt is enough if the machine is fast enough.
                for _ in range(20):
                    most = max(most, _attack(command, server) - before)
                    if probe.has_asked_enough:
                        break
            summaries.append(f"slow {name}, {most} connections: {probe.figures}")
            violations += [f"slow {name}: {violation}" for violation in probe.violations]
            if name != "reading" and most < connections // 2:
                violations.append(f"slow {name}: only {most} connections")
            if not wait_until(lambda: server.descriptors <= before + 1, 60):
                violations.append(f"slow {name}: {server.descriptors - before} connections are still open")
        if (code := server.terminate()) != 0:
            violations.append(f"SIGTERM ended the server with exit code {code}")
    return Result("; ".join(summaries), violations)


def _attack(command: list[str], server: Server) -> int:
    """The maximum number of descriptors of the server during the attack."""
    most = 0
    attack = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while attack.poll() is None:
            most = max(most, server.descriptors)
            time.sleep(0.05)
    finally:
        attack.kill()
        attack.wait()
    return most
