"""Compression, with Python's zlib and curl: lists, streams and request bodies."""

import gzip
import http.client
import json
import random
import subprocess
import zlib
from urllib.parse import urlsplit

import contract_server
from waiting import HANG_SECONDS

GZIP = {"Accept-Encoding": "gzip"}
TASKS = [{"id": f"task-{number}", "title": f"Task number {number}"} for number in range(100)]


def run(program, seed, is_long):
    with contract_server.running(program, "--log-level", "error") as address:
        client = Client(address)
        lists(client, address)
        bodies(client, random.Random(seed))
        sizes = stream(client, address)
    with contract_server.running(program, "--no-compression", "--log-level", "error") as address:
        client = Client(address)
        _, headers, _ = client.send("PUT", "/lists/l", {}, json.dumps({"title": "L", "tasks": TASKS}))
        seen = {"If-None-Match": headers["ETag"]}
        _, headers, _ = client.send("GET", "/lists/l", GZIP)
        assert "Content-Encoding" not in headers and headers["ETag"] == seen["If-None-Match"], headers
        for path, fields, expected in (
            ("/lists/l", {}, 200),
            ("/lists/l", seen, 304),
            ("/lists/l/tasks", {}, 200),
            ("/lists/l/tasks", seen, 304),
            ("/lists/l/changes?since=0", {}, 200),
            ("/openapi.yaml", {}, 200),
            ("/", {}, 200),
        ):
            status, headers, _ = client.send("GET", path, GZIP | fields)
            assert status == expected, (path, status)
            # A response that is the same for all codings varies with none.
            assert {"Vary", "Content-Encoding"}.isdisjoint(headers), (path, headers)
        client.connection.request("GET", "/lists/l/events", headers=GZIP)
        headers = client.connection.getresponse().headers
        assert {"Vary", "Content-Encoding"}.isdisjoint(headers), headers
        client.connection.close()
    print(sizes)


class Client:
    """A connection that does not decompress anything."""

    def __init__(self, address):
        self.connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=HANG_SECONDS)

    def send(self, method, path, fields, body=None):
        fields = {"Content-Type": "application/json", **fields}
        self.connection.request(method, path, body, fields)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()


def lists(client, address):
    body = gzip.compress(json.dumps({"title": "L", "tasks": TASKS}).encode())
    status, headers, _ = client.send("PUT", "/lists/l", {"Content-Encoding": "gzip"}, body)
    tag = headers["ETag"]
    assert status == 201 and tag.startswith('"1-')
    _, plain_headers, plain = client.send("GET", "/lists/l", {})
    _, headers, compressed = client.send("GET", "/lists/l", GZIP)
    assert gzip.decompress(compressed) == plain and len(compressed) * 4 < len(plain)
    assert (headers["ETag"], plain_headers["ETag"]) == (tag[:-1] + '+gzip"', tag)
    status, headers, _ = client.send("GET", "/lists/l", {**GZIP, "If-None-Match": headers["ETag"]})
    assert status == 304 and int(headers["Content-Length"]) == len(compressed), headers
    # What curl receives and decompresses.
    for options in (["--compressed"], []):
        text = subprocess.run(["curl", "-sS", *options, f"{address}/lists/l"], capture_output=True, check=True).stdout
        assert text == plain


def bodies(client, random):
    """Random bodies in random pieces have the effect of the uncompressed body."""
    for number in range(50):
        title = "".join(random.choices("abcdefgh \u00e4", k=random.randrange(1, 2_000)))
        text = json.dumps({"title": title}).encode()
        coder = zlib.compressobj(random.randrange(1, 10), wbits=31)
        pieces = []
        while text:
            size = random.randrange(1, 300)
            flush = random.choice([zlib.Z_NO_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH])
            pieces.append(coder.compress(text[:size]) + coder.flush(flush))
            text = text[size:]
        pieces.append(coder.flush())
        fields = {"Content-Encoding": "gzip"}
        status, _, _ = client.send("PUT", f"/lists/body-{number}", fields, iter([piece for piece in pieces if piece]))
        assert status == 201
        _, _, document = client.send("GET", f"/lists/body-{number}", {})
        assert json.loads(document)["title"] == title
    huge = gzip.compress(b'{"title":"x"}' + b" " * (7 << 20))
    for body, expected in [(huge, 413), (b"{}", 400), (huge[:-1], 413), (gzip.compress(b"{}")[:-1], 400)]:
        status, _, text = client.send("PUT", "/lists/refused", fields, body)
        assert status == expected, (status, text)
    for coding in ("br", "deflate", "zstd", "gzip, gzip"):
        status, headers, _ = client.send("PUT", "/lists/refused", {"Content-Encoding": coding}, b"{}")
        assert status == 415 and headers["Accept-Encoding"] == "gzip", (coding, status)
    assert client.send("GET", "/lists/refused", {})[0] == 404


def stream(client, address):
    """Each event can be decompressed as soon as it arrives."""
    other = Client(address)
    other.connection.request("GET", "/lists/l/events", headers=GZIP)
    answer = other.connection.getresponse()
    assert answer.headers["Content-Encoding"] == "gzip"
    decoder = zlib.decompressobj(wbits=31)
    received, text = 0, b""
    for version in range(1, 102):
        while f"id: {version}\n".encode() not in text or not text.endswith(b"\n\n"):
            piece = answer.read1(1 << 16)
            received += len(piece)
            text += decoder.decompress(piece)
        move = {"task": f"task-{version % 100}", "position": 0}
        status, _, body = client.send("POST", "/lists/l/move", {}, json.dumps(move))
        assert status == 200 and json.loads(body)["changed"], body
    answer.close()
    _, _, plain = client.send("GET", "/lists/l", {})
    _, _, compressed = client.send("GET", "/lists/l", GZIP)
    return (
        f"100 tasks: {len(plain)} bytes, compressed {len(compressed)}; "
        f"100 events: {len(text)} bytes, compressed {received}"
    )
