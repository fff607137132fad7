"""Events to many streams of one list, or of a feed of many lists, during moves at a steady rate."""

import json
import subprocess

import lists
import load

STREAMS = (1, 100, 1_000)
FEED_STREAMS = (1, 100)
FEED_LISTS = 40
MOVES_A_SECOND = 100


def measure(program, bench, seconds, counts=STREAMS):
    """For each number of streams: events, delays from the move to the event, and the processor use."""
    server = bench.reorderd["file"]
    rows = []
    for count in counts:
        # A separate list, so that each move changes it, including the first one.
        name = f"events-{count}"
        lists.make(server, [(name, 100)])
        answer, _ = server.ask("GET", f"/lists/{name}")
        version = answer.headers["ETag"].strip('"')
        rows.append(run(program, bench, seconds, count, [name], version, f"/lists/{name}/events"))
    return rows


def measure_feed(program, bench, seconds, counts=FEED_STREAMS):
    """The same for streams that have 40 lists each."""
    server = bench.reorderd["file"]
    rows = []
    for count in counts:
        names = [f"feed-{count}-{number}" for number in range(FEED_LISTS)]
        lists.make(server, [(name, 100) for name in names])
        _, body = server.ask("GET", "/changes")
        target = f"/events?lists={','.join(names)}"
        rows.append(run(program, bench, seconds, count, names, json.loads(body)["next"], target))
    return rows


def run(program, bench, seconds, count, names, start, target):
    server = bench.reorderd["file"]
    path = bench.folder / "requests"
    load.write_requests(path, lists.moves(names, 100, 200))
    before = server.processor_seconds
    process = subprocess.run(
        [program, str(server.port), str(count), str(MOVES_A_SECOND), str(seconds), start, str(path), target],
        stdout=subprocess.PIPE, text=True,
    )
    if process.returncode:
        raise SystemExit("the event streams failed")
    row = json.loads(process.stdout)
    row["lists"] = len(names)
    row["seconds"] = seconds
    row["server_load"] = (server.processor_seconds - before) / seconds
    return row
