"""Runs the commands of README.md, docs/api.md, docs/sync.md and docs/operations.md, and those of requests.txt."""

import json
import os
import re
import subprocess
import tempfile

import contract_server
import environment
import reference

# curl prints only the status of each response. A stream (-N) is closed when the head of its response is complete. The content of a
# response with -s is for a variable.
STATUS_ONLY = """
set -eu
send() {
    rm -f head
    set -- command curl --silent --show-error --output body --dump-header head "$@"
    case " $* " in
    *" -N "*)
        "$@" &
        until grep --quiet --no-messages '^.$' head || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
        kill $! 2>/dev/null || true
        wait $! || true ;;
    *) "$@" ;;
    esac
    sed --silent '1s|^[^ ]* \\([0-9]*\\).*|\\1|p' head
}
curl() {
    case " $* " in *" -s "*) command curl "$@" ;; *) send "$@" ;; esac
}
"""
# The same, and `D` is the drag that was started last, `W` the webhook that was created last,
# `P` the last place among the changes of all lists, `E` the store's epoch.
KEEPING_IDS = """
D=$(cat drag 2>/dev/null || true)
W=$(cat webhook 2>/dev/null || true)
P=$(cat place 2>/dev/null || true)
E=$(cat epoch 2>/dev/null || true)
curl() {
    send "$@"
    sed --silent 's|^Location: /drags/\\([^[:space:]]*\\).*|\\1|p' head > begun
    [ ! -s begun ] || mv begun drag
    sed --silent 's|^Location: /webhooks/\\([^[:space:]]*\\).*|\\1|p' head > begun
    [ ! -s begun ] || mv begun webhook
    sed --silent 's|.*"next":"\\([^"]*\\)".*|\\1|p' body > begun
    [ ! -s begun ] || mv begun place
    sed --silent 's|.*"epoch":"\\([^"]*\\)".*|\\1|p' body > begun
    [ ! -s begun ] || mv begun epoch
}
"""
README_ADDRESS = "U=http://127.0.0.1:8080\n"


def run(program, seed, is_long):
    with contract_server.running(program, "--log-level", "error") as address:
        run_session(read("README.md"), address)
        run_watching(read("docs/sync.md"), address)
        run_shown(read("docs/sync.md"), "What a change contains", address)
    with contract_server.running(program, "--log-level", "error") as address:
        run_requests(address)
        run_shown(read("docs/api.md"), "Steps of a batch", address)
    check_endpoints(read("docs/api.md"))
    run_backup(program, read("docs/operations.md"))
    reference.check(program)


def read(name):
    return (environment.ROOT / name).read_text()


def section(text, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]


def scripts(text, title):
    return re.findall(r"```sh\n(.*?)```", section(text, title), re.DOTALL)


def first_script(text, title):
    return scripts(text, title)[0]


def run_session(text, address):
    """Follows the session of README.md."""
    script = "\n".join(scripts(text, "A session"))
    assert script.startswith(README_ADDRESS), "the session begins with the server's address"
    with tempfile.TemporaryDirectory() as folder:
        statuses = shell(script.replace(README_ADDRESS, f"U={address}\n"), folder)
    assert len(statuses) == script.count("\ncurl "), statuses
    # One request shows a refusal (409). Another one shows that nothing has changed (304).
    assert statuses.count("409") == statuses.count("304") == 1, statuses
    assert all(status[0] == "2" for status in statuses if status not in ("409", "304")), statuses
    print(f"README.md: the session's {len(statuses)} requests get the responses that it shows")


def run_watching(text, address):
    """Sends the requests in docs/sync.md that watch a list."""
    script = first_script(text, "Watch a list")
    statuses = shell(f"U={address}\n{script}")
    assert statuses == ["200"] * script.count("\ncurl "), statuses
    print(f"docs/sync.md: the {len(statuses)} requests to watch a list succeed")


def run_shown(text, title, address):
    """Sends a section's requests, and compares the last response with the JSON that the section shows."""
    (shown,) = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section(text, title), re.DOTALL)]
    script = f"{KEEPING_IDS}U={address}\nJ='Content-Type: application/json'\n"
    with tempfile.TemporaryDirectory() as folder:
        statuses = shell(script + first_script(text, title), folder)
        assert all(status[0] == "2" for status in statuses), statuses
        compare(shown, read_body(folder), title)
    print(f"documents: what \"{title}\" shows is what the server returns")


def read_body(folder):
    with open(f"{folder}/body") as body:
        return json.load(body)


def compare(shown, actual, place):
    """Checks that a JSON value is as shown. The text "…" stands for any value."""
    if shown == "…":
        return
    if isinstance(shown, dict) and isinstance(actual, dict):
        assert shown.keys() == actual.keys(), (place, shown, actual)
        for name in shown:
            compare(shown[name], actual[name], f"{place}/{name}")
    elif isinstance(shown, list) and isinstance(actual, list):
        assert len(shown) == len(actual), (place, shown, actual)
        for index, (one, other) in enumerate(zip(shown, actual, strict=True)):
            compare(one, other, f"{place}/{index}")
    else:
        assert shown == actual, (place, shown, actual)


def run_requests(address):
    """Sends the requests in requests.txt, which reach every endpoint."""
    lines = [line for line in read("Tests/Contract/requests.txt").splitlines() if not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            status, request = line.split(" ", 1)
            script = f"{KEEPING_IDS}U={address}\nJ='Content-Type: application/json'\n{request}\n"
            statuses = shell(script, folder)
            assert statuses == [status], f"{request}\nreturns {statuses}, not {status}"
    sent = {endpoint(line) for line in lines}
    missing = [one for one in contract_endpoints() if not any(re.fullmatch(one.replace("{}", "[^/]+"), other) for other in sent)]
    assert not missing, missing
    print(f"requests.txt: {len(lines)} requests to all endpoints get their statuses")


def endpoint(request):
    """The method and the path of a curl command."""
    method = re.search(r" -X (\w+)", request)
    has_body = re.search(r" (-d|--data-\S+) ", request) and " -G " not in request
    path = re.search(r"[$]U(/[^ ?\"]*)", request)[1]
    return f"{method[1] if method else 'POST' if has_body else 'GET'} {path}"


def check_endpoints(text):
    named = normalized(re.findall(r"`([A-Z]+ /\S*)`", section(text, "Endpoints")))
    assert named == contract_endpoints(), named ^ contract_endpoints()
    print(f"docs/api.md: it lists the {len(named)} endpoints of openapi.yaml")


def run_backup(program, text):
    script = first_script(text, "Backup and restore")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/data")
        with contract_server.running(program, "--log-level", "error", "--store", f"file:{folder}/data/reorderd.db", "--demo"):
            shell(f'reorderd() {{ "{program}" "$@"; }}\n{script}', folder)
        files = set(os.listdir(folder))
    assert {"copy.db", "all.jsonl", "demo.md", "other.db"} <= files, files
    print(f"docs/operations.md: its {script.count(chr(10))} commands to back up, check, export and import succeed")


def normalized(endpoints):
    return {re.sub(r":\w+|\{\w+\}", "{}", endpoint) for endpoint in endpoints}


def contract_endpoints():
    """The endpoints in openapi.yaml, except the files of the web page and of the JavaScript client."""
    path, endpoints = "", set()
    lines = read("openapi.yaml").splitlines()
    for line in lines[lines.index("paths:") : lines.index("components:")]:
        if re.fullmatch(r"  /\S*:", line):
            path = line.strip()[:-1]
        elif method := re.fullmatch(r"    (get|put|post|patch|delete):", line):
            if not path.startswith(("/web/", "/client/")):
                endpoints.add(f"{method[1].upper()} {path}")
    return normalized(endpoints)


def shell(script, folder=None):
    """Runs a script, and returns the statuses of its requests."""
    with tempfile.TemporaryDirectory() as other:
        result = subprocess.run(["bash", "-c", STATUS_ONLY + script], capture_output=True, text=True, cwd=folder or other)
    assert result.returncode == 0, f"{script}\n{result.stderr}"
    return result.stdout.split()
