"""Lists in lines (NDJSON) with curl: larger than a body may be, compressed, refused, and cut off."""

import gzip
import json
import random
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

import contract_server

HEAD = {"title": "Long", "sections": [{"id": "s", "title": "S", "data": {"a": 1}}]}
# About 9 MiB: more than a body may have. Random titles are not compressed too much.
RANDOM = random.Random(23)
TASKS = [
    {"id": f"task-{number}", "title": RANDOM.randbytes(130).hex()}
    | ({"parent": f"task-{number - 1}", "done": True} if number % 3 == 2 else {})
    for number in range(30_000)
]


def run(program, seed, is_long):
    with contract_server.running(program, "--log-level", "error") as address, TemporaryDirectory() as folder:
        whole = Path(folder, "whole.json")
        whole.write_text(json.dumps(HEAD | {"tasks": TASKS}))
        lines = Path(folder, "list.ndjson")
        lines.write_text("\n".join(map(json.dumps, [HEAD, *TASKS])) + "\n")
        assert whole.stat().st_size > 8 << 20
        answer = put(address, "whole", whole, media_type="application/json")
        assert answer["code"] == "body_too_large", answer
        answer = put(address, "long", lines)
        assert answer == {"list": "long", "version": 1, "changed": True}, answer
        document = read(address, "long")
        assert document["count"] == len(TASKS)
        for task, sent in zip(document["tasks"], TASKS, strict=True):
            assert sent.items() <= task.items(), task
        # The document of the server, in lines and compressed, is the same list.
        tasks = document.pop("tasks")
        packed = Path(folder, "list.gz")
        packed.write_bytes(gzip.compress("\n".join(map(json.dumps, [document, *tasks])).encode(), 1))
        answer = put(address, "long", packed, "If-Match: *", "Content-Encoding: gzip")
        assert answer == {"list": "long", "version": 1, "changed": False}, answer
        refused(address, lines)
        cut(address, lines)
        assert read(address, "long")["version"] == 1


def refused(address, lines):
    """The line is named, also if megabytes follow."""
    text = lines.read_text().splitlines()
    text[2] = '{"id": "task-1"}'
    broken = lines.with_name("broken.ndjson")
    broken.write_text("\n".join(text))
    answer = put(address, "long", broken, "If-Match: *")
    assert (answer["code"], answer["line"]) == ("invalid_body", 3), answer
    assert answer["detail"].startswith("Line 3: "), answer
    # The list `long` has this task.
    taken = lines.with_name("taken.ndjson")
    taken.write_text("\n".join([text[0], '{"title": "new"}', text[1]]))
    answer = put(address, "other", taken)
    assert (answer["code"], answer["line"], answer["pointer"]) == ("id_taken", 3, "/id"), answer


def cut(address, lines):
    """A client that disconnects halfway changes nothing."""
    size = lines.stat().st_size
    with subprocess.Popen(
        ["curl", "-sS", "-X", "PUT", "-T", "-", "-H", "Content-Type: application/x-ndjson", f"{address}/lists/cut"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
    ) as curl:
        curl.stdin.write(lines.read_bytes()[: size // 2])
        curl.stdin.flush()
        curl.kill()
    try:
        read(address, "cut")
    except urllib.error.HTTPError as error:
        assert error.code == 404, error
    else:
        raise AssertionError("half a list was stored")
    # The ids of the half are free.
    lines.write_text('{"title": "Cut"}\n{"id": "new", "title": "New"}')
    assert put(address, "cut", lines)["version"] == 1


def put(address, name, file, *fields, media_type="application/x-ndjson"):
    options = [option for field in (f"Content-Type: {media_type}", *fields) for option in ("-H", field)]
    command = ["curl", "-sS", "-T", file, *options, f"{address}/lists/{name}"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def read(address, name):
    with urllib.request.urlopen(f"{address}/lists/{name}") as answer:
        return json.load(answer)
