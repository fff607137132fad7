"""Every request with a body refuses text that is not strict JSON, and changes nothing."""

import json
import urllib.error
import urllib.request
from pathlib import Path

import contract_server
import environment
from waiting import HANG_SECONDS

LIST = {
    "title": "List",
    "sections": [{"id": "s", "title": "Section"}],
    "tasks": [{"id": "a", "title": "A"}, {"id": "b", "title": "B", "parent": "a"}],
}

# Every request with a body, with a member that it accepts and a value for it.
REQUESTS = {
    "POST /lists": '"title":"x"',
    "PUT /lists/{list}": '"title":"x"',
    "PATCH /lists/{list}": '"title":"x"',
    "POST /lists/{list}/sections": '"title":"x"',
    "PATCH /lists/{list}/sections/{section}": '"title":"x"',
    "POST /lists/{list}/sections/{section}/move": '"position":0',
    "POST /lists/{list}/tasks": '"title":"x"',
    "POST /lists/{list}/move": '"task":"b","section":null',
    "POST /lists/{list}/undo": '"version":1',
    "POST /lists/{list}/drags": '"task":"b"',
    "PATCH /drags/{drag}": '"position":0',
    "POST /drags/{drag}/drop": '"position":0',
    "POST /lists/{list}/batch": '"ops":[{"op":"delete","task":"a"}]',
    "PATCH /tasks/{task}": '"title":"x"',
    "POST /tasks/{task}/collapse": '"collapsed":true',
    "POST /tasks/{task}/copy": '"position":0',
    "POST /lists/{list}/copy": '"title":"x"',
    "POST /task/": '"id":"a","title":"x"',
    "PUT /task/{task}": '"title":"x"',
}


def deep(levels):
    return "[" * levels + "]" * levels


# Texts with the request's members at MEMBERS, and the pointer to the fault. With None, any pointer is correct.
MALFORMED = {
    "nothing": (b"{", ""),
    "no end": (b"{MEMBERS", None),
    "text after the end": (b"{MEMBERS}{}", ""),
    "an extra comma": (b"{MEMBERS,}", ""),
    "a byte order mark": (b"\xef\xbb\xbf{MEMBERS}", ""),
    "a comment": (b"{MEMBERS}//", ""),
    "the same member twice": (b"{MEMBERS,MEMBERS}", None),
    "the same member twice, once escaped": (b'{MEMBERS,"x":1,"\\u0078":1}', "/x"),
    "the same member twice, further down": (b'{MEMBERS,"x":[{"y":1,"y":1}]}', "/x/0/y"),
    "bytes that are not UTF-8": (b'{MEMBERS,"x":"\xc3\x28"}', "/x"),
    "an overlong form": (b'{MEMBERS,"x":"\xc0\xaf"}', "/x"),
    "a surrogate in UTF-8": (b'{MEMBERS,"x":"\xed\xa0\x80"}', "/x"),
    "half a surrogate pair": (b'{MEMBERS,"x":"\\ud800"}', "/x"),
    "the other half": (b'{MEMBERS,"x":"\\udc00\\ud800"}', "/x"),
    "half a surrogate pair in a name": (b'{MEMBERS,"\\ud800":1}', ""),
    "NUL": (b'{MEMBERS,"x":"a\\u0000b"}', "/x"),
    "NUL, not escaped": (b'{MEMBERS,"x":"a\x00b"}', "/x"),
    "NUL in a name": (b'{MEMBERS,"a\\u0000":1}', ""),
    "a line break in a string": (b'{MEMBERS,"x":"a\nb"}', "/x"),
    "a number above a double": (b'{MEMBERS,"x":1e309}', "/x"),
    "a number below a double": (b'{MEMBERS,"x":-1e999}', "/x"),
    "a number with a leading zero": (b'{MEMBERS,"x":01}', "/x"),
    "NaN": (b'{MEMBERS,"x":NaN}', "/x"),
    "19 levels": (b'{MEMBERS,"x":' + deep(18).encode() + b"}", None),
    "very many levels": (b'{MEMBERS,"x":' + b"[" * 1_000_000, None),
    "UTF-16": ("{MEMBERS}".encode("utf-16"), ""),
}
# Texts that are JSON, but do not fit the request.
WRONG = {
    "an unknown member": (b'{MEMBERS,"x":1}', "/x"),
    "an unknown member with 18 levels": (b'{MEMBERS,"x":' + deep(17).encode() + b"}", "/x"),
    "an unknown member with a line break in its name": (b'{MEMBERS,"x\\n":1}', "/x\n"),
    "an array": (b"[]", ""),
    "text": (b'"{}"', ""),
    "null": (b"null", ""),
    "a number": (b"1", ""),
}
# Values that are not valid indexes.
INDEXES = ["-1", "0.5", "1e30", "9223372036854775808", "-9223372036854775809", '"x"', "true", "null", "[]"]


def run(program, seed, is_long):
    check_that_no_request_is_left_out()
    with contract_server.running(program, "--log-level", "error") as address:
        put = send(address, "PUT", "/lists/l", json.dumps(LIST).encode())
        assert put[0] == 201, put
        before = everything(address)
        count = 0
        for request, members in REQUESTS.items():
            for status, code, cases in ((400, "invalid_json", MALFORMED), (422, "invalid_body", WRONG)):
                for name, (text, pointer) in cases.items():
                    body = text.replace(b"MEMBERS", members.encode())
                    if name == "UTF-16":
                        body = "{MEMBERS}".replace("MEMBERS", members).encode("utf-16")
                    expect(address, request, body, status, code, pointer, name)
                    count += 1
            if '"position"' in members or request in ("POST /lists/{list}/tasks", "PUT /task/{task}"):
                for number in INDEXES:
                    others = "" if '"position"' in members else members + ","
                    body = f'{{{others}"position":{number}}}'.encode()
                    expect(address, request, body, 422, "invalid_body", "/position", number)
                    count += 1
        assert everything(address) == before, "a refused request changed something"
    print(f"{count} bodies refused by {len(REQUESTS)} requests")


def check_that_no_request_is_left_out():
    lines = Path(environment.ROOT, "openapi.yaml").read_text().splitlines()
    path, request, found = "", "", set()
    for line in lines[lines.index("paths:") : lines.index("components:")]:
        if line.startswith("  /"):
            path = line.strip().rstrip(":")
        elif line.startswith("    ") and line.strip() in ("get:", "put:", "post:", "patch:", "delete:"):
            request = f"{line.strip().rstrip(':').upper()} {path}"
        elif line == "      requestBody:":
            found.add(request)
    assert found == set(REQUESTS), found ^ set(REQUESTS)


def expect(address, request, body, status, code, pointer, name):
    method, path = request.split()
    path = path.replace("{list}", "l").replace("{task}", "a").replace("{section}", "s").replace("{drag}", "d")
    what = f"{request}: {name}"
    answer, problem = send(address, method, path, body, {"If-Match": "*"})
    assert answer == status, f"{what}: {answer} {problem}"
    assert problem["code"] == code, f"{what}: {problem}"
    assert isinstance(problem.get("pointer"), str), f"{what}: {problem}"
    assert pointer is None or problem["pointer"] == pointer, f"{what}: {problem}"


def everything(address):
    """All lists, as the server returns them."""
    index = send(address, "GET", "/lists")[1]
    return [index, *(send(address, "GET", f"/lists/{list['id']}")[1] for list in index["lists"])]


def send(address, method, path, body=None, headers=None):
    headers = {**({"Content-Type": "application/json"} if body is not None else {}), **(headers or {})}
    request = urllib.request.Request(address + path, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=HANG_SECONDS) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            assert error.headers["Content-Type"] == "application/problem+json", error.headers
            return error.code, json.load(error)
