"""What README.md tells to type is typed: its session, and each request of its reference."""

import os
import re
import subprocess
import tempfile

import environment
import server

README = environment.ROOT / "README.md"
# A request that prints its status alone, whatever else it is told to print.
STATUS_ONLY = """
set -eu
curl() { command curl --silent --show-error --output /dev/null --write-out '%{http_code}\\n' "$@"; }
"""
# The same, and `D` is the drag that was begun last.
KEEPING_DRAG = """
D=$(cat drag 2>/dev/null || true)
curl() {
    command curl --silent --show-error --output /dev/null --write-out '%{http_code}\\n' --dump-header head "$@"
    sed --silent 's|^Location: /drags/\\([^[:space:]]*\\).*|\\1|p' head > begun
    [ ! -s begun ] || mv begun drag
}
"""


def run(program, seed, is_long):
    text = README.read_text()
    with server.running(program, "--log-level", "error") as address:
        run_session(text, address)
    with server.running(program, "--log-level", "error") as address:
        run_reference(text, address)


def section(text, title):
    return re.search(rf"^## {title}\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]


def run_session(text, address):
    script = re.search(r"```sh\n(.*?)```", section(text, "A session"), re.DOTALL)[1]
    host = "U=http://127.0.0.1:8080\n"
    assert script.startswith(host), "the session says first where the server is"
    statuses = shell(script.replace(host, f"U={address}\n"))
    assert len(statuses) == script.count("\ncurl "), statuses
    # One request shows a refusal, and one that nothing has changed; its version must be right.
    assert statuses.count("409") == statuses.count("304") == 1, statuses
    assert all(status[0] == "2" for status in statuses if status not in ("409", "304")), statuses
    print(f"the session's {len(statuses)} requests are answered as told")


def run_reference(text, address):
    rows = [line.strip("| \n").split(" | ") for line in section(text, "Reference").splitlines() if "`curl " in line]
    told = set()
    folder = tempfile.TemporaryDirectory()
    for row in rows:
        request, status = row[-2].strip("`"), row[-1]
        assert request.startswith("curl ") and status.isdigit(), row
        if len(row) == 4:
            told.add(row[0].strip("`"))
        script = f"""{KEEPING_DRAG}U={address}\nJ='Content-Type: application/json'\n{request}\n"""
        answered = shell(script, folder.name)
        assert answered == [status], f"{request}\nanswers {answered}, not {status}"
    check_that_no_endpoint_is_left_out(told)
    print(f"the reference's {len(rows)} requests to {len(told)} endpoints are answered as told")


def check_that_no_endpoint_is_left_out(told):
    """The endpoints of openapi.yaml, whose parameters have names of their own there."""
    path, endpoints = "", set()
    lines = (environment.ROOT / "openapi.yaml").read_text().splitlines()
    for line in lines[lines.index("paths:") : lines.index("components:")]:
        if re.fullmatch(r"  /\S*:", line):
            path = line.strip()[:-1]
        elif method := re.fullmatch(r"    (get|put|post|patch|delete):", line):
            # What a page's files are called is told by the page alone.
            if not path.startswith("/web/"):
                endpoints.add(f"{method[1].upper()} {path}")
    named = {re.sub(r":\w+", "{}", endpoint) for endpoint in told}
    wanted = {re.sub(r"\{\w+\}", "{}", endpoint) for endpoint in endpoints}
    assert named == wanted, named ^ wanted


def shell(script, folder=None):
    """The statuses that a script's requests are answered with."""
    result = subprocess.run(
        ["bash", "-c", STATUS_ONLY + script], capture_output=True, text=True, env=dict(os.environ), cwd=folder
    )
    # 28: curl's own time is over, as it has to be for a stream.
    accepted = (0, 28) if "--max-time" in script else (0,)
    assert result.returncode in accepted, f"{script}\n{result.stderr}"
    return result.stdout.split()
