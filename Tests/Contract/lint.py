"""Runs httplint on a response of every kind. Its errors and warnings must be corrected, or listed here with the reason
why they are kept."""

import hashlib
import json
import socket
import tempfile
from urllib.parse import urlsplit

import contract_server
import environment
from waiting import HANG_SECONDS

JSON = {"Content-Type": "application/json"}
LIST = {"title": "L", "tasks": [{"id": "a", "title": "A"}, {"id": "b", "title": "B", "parent": "a"}]}

# Method, path, fields, body, and the required status.
REQUESTS = [
    ("PUT", "/lists/l", JSON, LIST, 201),
    ("POST", "/lists", JSON, {"title": "M"}, 201),
    ("GET", "/lists/l", {}, None, 200),
    ("GET", "/lists/l", {"X-Request-Id": "lint"}, None, 200),
    ("HEAD", "/lists/l", {}, None, 200),
    ("OPTIONS", "/lists/l", {}, None, 204),
    ("GET", "/lists/l", {"If-None-Match": "*"}, None, 304),
    ("GET", "/lists/l?visible=true&limit=1", {}, None, 200),
    ("GET", "/lists", {}, None, 200),
    ("POST", "/lists/l/move", JSON, {"task": "b", "parent": None}, 200),
    ("POST", "/lists/l/move?dryRun=true", JSON, {"task": "b", "parent": "a"}, 200),
    ("POST", "/lists/l/move", {**JSON, "Idempotency-Key": '"k"'}, {"task": "b", "parent": "a"}, 200),
    ("POST", "/lists/l/move", {**JSON, "Idempotency-Key": '"k"'}, {"task": "b", "parent": "a"}, 200),
    ("POST", "/lists/l/tasks", JSON, {"id": "c", "title": "C"}, 201),
    ("GET", "/tasks/c", {}, None, 200),
    ("PATCH", "/tasks/c", JSON, {"done": True}, 200),
    ("POST", "/tasks/a/collapse", {}, None, 200),
    ("POST", "/lists/l/sections", JSON, {"id": "s", "title": "S"}, 201),
    ("POST", "/lists/l/batch", JSON, {"ops": [{"op": "delete", "task": "c"}]}, 200),
    ("POST", "/task/", JSON, {"id": "e", "list": "l", "title": "E"}, 201),
    ("GET", "/lists/l/changes?since=0", {}, None, 200),
    ("GET", "/lists/l/events", {}, None, 200),
    ("HEAD", "/lists/l/events", {}, None, 200),
    ("POST", "/lists/l/drags", JSON, {"task": "a"}, 201),
    ("POST", "/lists/l/undo", JSON, {"version": 2}, 200),
    ("DELETE", "/lists/m", {}, None, 404),
    ("DELETE", "/lists/l", {"If-Match": '"1"'}, None, 412),
    ("PUT", "/lists/l", JSON, LIST, 428),
    ("POST", "/lists/l/move", JSON, {"task": "a", "parent": "b"}, 409),
    ("POST", "/lists/l/move", JSON, {"x": 1}, 422),
    ("POST", "/lists/l/move", {"Content-Type": "text/plain"}, {}, 415),
    ("POST", "/lists/l/move", JSON, "{", 400),
    ("POST", "/lists/l/move", JSON, " " * 2_000, 413),
    ("PUT", "/healthz", JSON, {}, 405),
    ("GET", "/none", {}, None, 404),
    ("GET", "/%zz", {}, None, 400),
    ("GET", "/", {"host": "again"}, None, 400),
    ("GET", "/", {"Host": "lists.example"}, None, 421),
    ("GET", "/lists/l/changes?since=999-0123456789ab", {}, None, 410),
    ("GET", "/healthz", {}, None, 200),
    ("GET", "/readyz", {}, None, 200),
    ("GET", "/readyz/writes", {}, None, 200),
    ("GET", "/metrics", {}, None, 200),
    ("GET", "/openapi.yaml", {}, None, 200),
    ("GET", "/", {}, None, 200),
    ("GET", "PAGE_FILE", {}, None, 200),
    ("GET", "/client/1.js", {}, None, 200),
    ("GET", "/client/1/reorderd.js", {}, None, 200),
    ("GET", "/client/1/reorderd.d.ts", {"Accept-Encoding": "gzip"}, None, 200),
    ("GET", "/openapi.yaml", {"Accept-Encoding": "gzip"}, None, 200),
    ("HEAD", "/openapi.yaml", {"Accept-Encoding": "gzip"}, None, 200),
    ("GET", "/openapi.yaml", {"Accept-Encoding": "gzip", "If-None-Match": "*"}, None, 304),
    ("PUT", "/lists/l", {**JSON, "Content-Encoding": "br"}, {}, 415),
    ("DELETE", "/lists/l", {}, None, 204),
]

READER = {"Authorization": "Bearer reader"}
# These requests go to a server that requires tokens, accepts twelve requests from each client, has no streams, and has a
# short time-out.
RESTRICTED = [
    ("GET", "/healthz", {}, None, 200),
    ("GET", "/lists/l", {}, None, 401),
    ("GET", "/lists/l", {"Authorization": "Bearer other"}, None, 401),
    ("PUT", "/lists/l", {**JSON, **READER}, LIST, 403),
    ("GET", "/lists/other", READER, None, 403),
    ("GET", "/lists/l", READER, None, 404),
    ("GET", "/lists/l/events", READER, None, 503),
    ("POST", "/lists/l/move", {**JSON, **READER, "Content-Length": "9"}, "{", 408),
    *[("GET", "/lists", READER, None, 200)] * 7,
    ("GET", "/lists", READER, None, 429),
]

# The notes that are kept, by name, with the reason.
KEPT = {
    # The note only explains the status 400.
    "STATUS_BAD_REQUEST",
    # httplint knows Accept-Encoding only in requests. RFC 9110, section 12.5.3, defines it for responses with 415 too.
    "REQUEST_HDR_IN_RESPONSE",
}


def run(program, seed, is_long):
    environment.use()
    found = {}
    with contract_server.running(program, "--max-body-bytes", "1000", "--log-level", "critical") as address:
        lint(address, REQUESTS, found)
    with tempfile.NamedTemporaryFile("w") as tokens:
        digest = hashlib.sha256(b"reader").hexdigest()
        line = {"name": "r", "sha256": digest, "scope": "read", "lists": ["l"]}
        print(json.dumps(line), file=tokens, flush=True)
        options = ["--rate-limit", "12/h", "--max-streams", "0", "--request-timeout-seconds", "3"]
        with contract_server.running(program, "--tokens", tokens.name, *options, "--log-level", "critical") as address:
            lint(address, RESTRICTED, found)
    unknown = {name: places for name, places in found.items() if name not in KEPT}
    assert not unknown, "\n".join(
        f"{name}: {len(places)} times, first {places[0]}" for name, places in unknown.items()
    )
    idle = set(KEPT) - set(found)
    assert not idle, f"these notes are no longer needed: {idle}"
    print(f"{len(REQUESTS) + len(RESTRICTED)} responses; kept notes: {', '.join(KEPT) or 'none'}")


def lint(address, requests, found):
    """Sends the requests one after the other. Adds the notes about their responses to `found`, by name."""
    from httplint import HttpRequestLinter, HttpResponseLinter
    from httplint.note import levels

    page_file = None
    for method, path, fields, body, expected in requests:
        if path == "PAGE_FILE":
            path = page_file
        request, answer = exchange(address, method, path, fields, body)
        status, phrase, headers, content = answer
        what = f"{method} {path} {status}"
        assert status == expected, f"{what}, not {expected}: {content[:300]}"
        if path == "/" and status == 200:
            start = content.index(b"web/")
            page_file = "/" + content[start : content.index(b'"', start)].decode()
        asked = HttpRequestLinter()
        asked.process_request_topline(method.encode(), f"{address}{path}".encode(), b"1.1")
        asked.process_headers(request)
        asked.finish_content(True)
        linter = HttpResponseLinter(no_content=method == "HEAD", _related=asked)
        linter.base_uri = f"{address}{path}"
        linter.process_response_topline(b"1.1", str(status).encode(), phrase)
        linter.process_headers(headers)
        linter.feed_content(content)
        linter.finish_content(True)
        for note in linter.notes:
            if note.level in (levels.BAD, levels.WARN):
                found.setdefault(type(note).__name__, []).append(f"{what}: {note.summary}")


def exchange(address, method, path, fields, body):
    """Returns the request's fields, and the response's status, phrase, fields and body. Reads only the first event of a stream."""
    if body is not None and not isinstance(body, str):
        body = json.dumps(body)
    fields = {"Host": urlsplit(address).netloc, **fields}
    if body is not None:
        fields.setdefault("Content-Length", str(len(body)))
    sent = list(fields.items())
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent), "", body or ""]
    with socket.create_connection((urlsplit(address).hostname, urlsplit(address).port), HANG_SECONDS) as connection:
        connection.sendall("\r\n".join(lines).encode())
        received = b""
        while b"\r\n\r\n" not in received:
            received += more(connection)
        head, content = received.split(b"\r\n\r\n", 1)
        line, *rest = head.split(b"\r\n")
        _, status, phrase = line.split(b" ", 2)
        headers = [tuple(part.strip() for part in field.split(b":", 1)) for field in rest]
        lengths = [int(value) for name, value in headers if name.lower() == b"content-length"]
        if lengths and method != "HEAD" and status != b"304":
            while len(content) < lengths[0]:
                content += more(connection)
        if any(name.lower() == b"transfer-encoding" for name, _ in headers) and method != "HEAD":
            while b"\n\n\r\n" not in content:
                content += more(connection)
            content = content.split(b"\r\n")[1]
    asked = [(name.encode(), value.encode()) for name, value in sent]
    return asked, (int(status), phrase, headers, content)


def more(connection):
    data = connection.recv(1 << 16)
    assert data, "the connection ended within a response"
    return data
