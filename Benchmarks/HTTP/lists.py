"""The lists that the servers work on, and the requests that are sent to them.

Ids are as long as those that the server makes (36 bytes), titles 24 bytes.
"""

import json
import random
import uuid


def task_ids(name, count):
    numbers = random.Random(name)
    return [str(uuid.UUID(int=numbers.getrandbits(128), version=4)) for _ in range(count)]


def document(name, count):
    tasks = [
        {"id": id, "title": f"{index:06} of {name:<14}"[:24]}
        for index, id in enumerate(task_ids(name, count))
    ]
    return json.dumps({"title": f"The list {name}", "tasks": tasks})


def make(server, lists):
    """Makes lists, given as pairs of a name and a number of tasks."""
    connection = server.connect()
    for name, count in lists:
        server.ask("PUT", f"/lists/{name}", document(name, count), connection)


def versions(server):
    """The sum of all lists' versions: it grows by one with each change."""
    total, cursor, connection = 0, "", server.connect()
    while True:
        page = json.loads(server.ask("GET", f"/lists?limit=1000{cursor}", None, connection)[1])
        total += sum(entry["version"] for entry in page["lists"])
        if page["cursor"] is None:
            return total
        cursor = "&cursor=" + page["cursor"]


def read(target, *fields):
    lines = [f"GET {target} HTTP/1.1", "Host: localhost", *fields, "", ""]
    return "\r\n".join(lines).encode()


def move(name, task, anchor):
    body = json.dumps({"task": task, "after": anchor}, separators=(",", ":"))
    lines = [f"POST /lists/{name}/move HTTP/1.1", "Host: localhost"]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", body]
    return "\r\n".join(lines).encode()


def moves(names, count, different, distances=(61, 23)):
    """For each of some lists so many different moves, ordered so that lists take turns.

    Each one changes the list when it comes after the one before it, round and round: a task comes
    back to an anchor only after it was beside another. How far the two anchors are, in percent of
    the list, differs between kinds of work, so that one doesn't find what another left.
    """
    requests = []
    for name in names:
        ids = task_ids(name, count)
        for turn in range(different):
            task = turn % (different // 2)
            distance = distances[turn >= different // 2]
            anchor = (task + distance * count // 100) % count
            requests.append(move(name, ids[task], ids[anchor]))
    return [request for turn in range(different) for request in requests[turn::different]]
