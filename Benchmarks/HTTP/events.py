"""Events to many streams of one list during moves at a steady rate."""

import json
import subprocess

import lists
import load

STREAMS = (1, 100, 1_000)
MOVES_A_SECOND = 100


def measure(program, bench, seconds, counts=STREAMS):
    """For each number of streams: events, delays from the move to the event, and the processor use."""
    server = bench.reorderd["file"]
    path = bench.folder / "requests"
    rows = []
    for count in counts:
        # A separate list, so that each move changes it, including the first one.
        name = f"events-{count}"
        lists.make(server, [(name, 100)])
        load.write_requests(path, lists.moves([name], 100, 200))
        answer, _ = server.ask("GET", f"/lists/{name}")
        before = server.processor_seconds
        process = subprocess.run(
            [
                program, str(server.port), str(count), str(MOVES_A_SECOND), str(seconds),
                answer.headers["ETag"].strip('"'), str(path), f"/lists/{name}/events",
            ],
            stdout=subprocess.PIPE, text=True,
        )
        if process.returncode:
            raise SystemExit("the event streams failed")
        row = json.loads(process.stdout)
        row["seconds"] = seconds
        row["server_load"] = (server.processor_seconds - before) / seconds
        rows.append(row)
    return rows
