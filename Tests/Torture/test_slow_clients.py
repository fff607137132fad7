"""Clients that send, or take, a byte now and then: they hold up nobody, and are gone in time."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from probe import Probe
from report import Result, Setting
from scene import wait_until
from server import Server

# With time for a busy machine to open half of the connections.
REQUEST_SECONDS = 5
# What slowhttptest calls them, and how. It leaves at the end of its time.
WAYS = {
    "headers": ["-H", "-i", "1", "-x", "10"],
    "bodies": ["-B", "-i", "1", "-s", "100000", "-x", "10"],
    "reading": ["-X", "-n", "1", "-w", "10", "-y", "20", "-z", "5", "-k", "3"],
}


def slow_clients(setting: Setting, folder: Path) -> Result:
    tool = shutil.which("slowhttptest")
    if tool is None:
        return Result("left out: there is no slowhttptest", [])
    connections = setting.pick(900, 4_000)
    # Past the time a request has, so that it is seen what becomes of them.
    seconds = setting.pick(REQUEST_SECONDS + 1, 60)
    options = ["--demo", "--request-timeout-seconds", str(REQUEST_SECONDS), "--log-level", "error"]
    told, violations = [], []
    with Server(setting.program, folder / "lists.db", options=options) as server:
        before = server.descriptors
        for name, arguments in WAYS.items():
            command = [tool, *arguments, "-c", str(connections), "-r", str(connections)]
            command += ["-l", str(seconds), "-p", "1", "-v", "0"]
            command += ["-u", f"http://127.0.0.1:{server.port}/lists/demo"]
            most = 0
            with Probe(server, setting.patience_seconds) as probe:
                # Once, where the machine has time for it.
                for _ in range(20):
                    most = max(most, _attack(command, server) - before)
                    if probe.has_asked_enough:
                        break
            told.append(f"slow {name}, {most} connections: {probe.figures}")
            violations += [f"slow {name}: {violation}" for violation in probe.violations]
            if name != "reading" and most < connections // 2:
                violations.append(f"slow {name}: {most} connections only")
            if not wait_until(lambda: server.descriptors <= before + 1, 60):
                violations.append(f"slow {name}: {server.descriptors - before} connections are left")
        if (code := server.terminate()) != 0:
            violations.append(f"SIGTERM ended it with exit code {code}")
    return Result("; ".join(told), violations)


def _attack(command: list[str], server: Server) -> int:
    """The most descriptors that the server had meanwhile."""
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
