"""One run of a load generator: one thread, and a number of connections."""

import json
import os
import pathlib
import re
import subprocess
import time

SCRIPT = pathlib.Path(__file__).with_name("load.lua")


def write_requests(path, requests):
    with open(path, "wb") as file:
        for request in requests:
            file.write(b"%d\n%b" % (len(request), request))


def run(server, requests_file, connections, seconds, first=0):
    """The results of a run of wrk with requests from a file, and the processor use.

    `first` is the number of the request to begin with.
    """
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s"]
    command += ["-s", str(SCRIPT), f"http://127.0.0.1:{server.port}/", "--", str(requests_file)]
    output, use = _measure(server, [*command, str(first)])
    lines = [line for line in output.splitlines() if line.startswith("RESULT ")]
    if not lines:
        raise SystemExit(f"{' '.join(command)} failed:\n{output}")
    result = json.loads(lines[0].removeprefix("RESULT "))
    return {
        "rate": result["requests"] / (result["microseconds"] / 1e6),
        "bytes_an_answer": result["bytes"] / max(1, result["requests"]),
        "p50_us": result["p50"],
        "p99_us": result["p99"],
        **{key: result[key] for key in ("requests", "refused", "broken")},
        **use(result["requests"]),
    }


def run_conditional(server, path, tag, connections, seconds):
    """The results of a run of h2load with conditional reads of one path.

    wrk waits for a body after a 304 that has a Content-Length. h2load prints no percentiles.
    """
    command = ["h2load", "--h1", "-t1", f"-c{connections}", f"-D{seconds}"]
    command += ["-H", f"If-None-Match: {tag}", f"http://127.0.0.1:{server.port}{path}"]
    output, use = _measure(server, command)
    found = re.search(
        r"(\d+) total, \d+ started, (\d+) done, \d+ succeeded, (\d+) failed.*\n"
        r"status codes: 0 2xx, (\d+) 3xx.*\ntraffic: .*?\((\d+)\) total", output
    )
    if not found:
        raise SystemExit(f"{' '.join(command)} failed:\n{output}")
    done, failed, redirected, received = (int(found[group]) for group in (2, 3, 4, 5))
    return {
        "rate": done / seconds,
        "requests": done,
        "bytes_an_answer": received / max(1, done),
        "refused": done - redirected,
        "broken": failed,
        "p50_us": None,
        "p99_us": None,
        **use(done),
    }


def _measure(server, command):
    """The command's output, and a function from its number of requests to the processor use."""
    cpu_before, start = server.processor_seconds, time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read().decode()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.monotonic() - start
    cpu = server.processor_seconds - cpu_before
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{output}")
    return output, lambda requests: {
        "client_load": (usage.ru_utime + usage.ru_stime) / elapsed,
        "server_cpu_us": cpu / max(1, requests) * 1e6,
    }
