"""One run of wrk: one thread, a number of connections, and requests from a file."""

import json
import os
import pathlib
import subprocess
import time

SCRIPT = pathlib.Path(__file__).with_name("load.lua")


def write_requests(path, requests):
    with open(path, "wb") as file:
        for request in requests:
            file.write(b"%d\n%b" % (len(request), request))


def run(server, requests_file, connections, seconds, first=0):
    """The results of a run, with the processor use of the client and the server.

    `first` is the number of the request to begin with.
    """
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s"]
    command += ["-s", str(SCRIPT), f"http://127.0.0.1:{server.port}/", "--", str(requests_file)]
    command += [str(first)]
    cpu_before, start = server.processor_seconds, time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read().decode()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.monotonic() - start
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if process.returncode or not lines:
        raise SystemExit(f"{' '.join(command)} failed:\n{output}")
    result = json.loads(lines[0].removeprefix("RESULT "))
    requests = max(1, result["requests"])
    return {
        "rate": requests / (result["microseconds"] / 1e6),
        "requests": result["requests"],
        "bytes_an_answer": result["bytes"] / requests,
        "refused": result["refused"],
        "broken": result["broken"],
        "p50_us": result["p50"],
        "p99_us": result["p99"],
        "client_load": (usage.ru_utime + usage.ru_stime) / elapsed,
        "server_cpu_us": (server.processor_seconds - cpu_before) / requests * 1e6,
    }
