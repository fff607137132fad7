"""Reads of a list while clients move its tasks and each sync takes long. They must not wait for the syncs."""

import statistics
import threading
import time

import lists
import load
import server as servers

DELAY_MS = 50
# The required median. A read that waits for the moves before it takes one to two syncs.
TARGET_MS = 5


def measure(program, delay, folder, seconds):
    """The latency of reads by one client, while 16 move tasks of the list that it reads."""
    command = ["env", f"LD_PRELOAD={delay}", f"DELAY_US={DELAY_MS * 1_000}"]
    server = servers.reorderd(program, 2, f"file:{folder}/slow.db", command)
    try:
        lists.make(server, [("hot", 100)])
        path = folder / "requests"
        load.write_requests(path, lists.moves(["hot"], 100, 200))
        results = []
        writers = threading.Thread(
            target=lambda: results.append(load.run(server, path, 16, seconds + 1)))
        writers.start()
        connection = server.connect()
        # The writers' first moves are on their way.
        time.sleep(0.5)
        latencies = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            start = time.monotonic()
            server.ask("GET", "/lists/hot", connection=connection)
            latencies.append(1_000 * (time.monotonic() - start))
            time.sleep(0.002)
        writers.join()
    finally:
        server.terminate()
    latencies.sort()
    return {
        "delay_ms": DELAY_MS,
        "reads": len(latencies),
        "p50_ms": statistics.median(latencies),
        "p99_ms": latencies[len(latencies) * 99 // 100],
        "moves_rate": results[0]["rate"],
    }
