"""Runs every command of the documents: README.md, docs/api.md, docs/sync.md, docs/operations.md."""

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
    readme = read("README.md")
    with contract_server.running(program, "--log-level", "error") as address:
        run_session(readme, address)
        run_watching(read("docs/sync.md"), address)
        run_shown(read("docs/sync.md"), "What a change contains", address)
    with contract_server.running(program, "--log-level", "error") as address:
        run_endpoints(read("docs/api.md"), address)
        run_shown(read("docs/api.md"), "Batches", address, changed="party")
        run_shown(read("docs/api.md"), "Steps of a batch", address)
    check_readme_endpoints(readme)
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


def run_shown(text, title, address, changed=None):
    """Sends a section's requests, and compares the last response with the JSON that the section shows. If `changed` is a list, the
    section's second JSON is the last change of this list."""
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section(text, title), re.DOTALL)]
    assert len(shown) == (2 if changed else 1), title
    script = f"{KEEPING_IDS}U={address}\nJ='Content-Type: application/json'\n"
    with tempfile.TemporaryDirectory() as folder:
        statuses = shell(script + first_script(text, title), folder)
        assert all(status[0] == "2" for status in statuses), statuses
        compare(shown[0], read_body(folder), title)
        if changed:
            shell(f"{script}curl $U/lists/{changed}/changes", folder)
            compare(shown[1], read_body(folder)["changes"][-1], title)
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


def endpoint_rows(text, title):
    rows = [line.strip().removeprefix("|").removesuffix("|") for line in section(text, title).splitlines() if "`curl " in line]
    return [[cell.strip() for cell in row.split(" | ")] for row in rows]


def run_endpoints(text, address):
    named = set()
    rows = endpoint_rows(text, "Endpoints")
    with tempfile.TemporaryDirectory() as folder:
        for endpoint, _, example, status in rows:
            request = example.strip("`")
            if endpoint:
                named.add(endpoint.strip("`"))
            script = f"{KEEPING_IDS}U={address}\nJ='Content-Type: application/json'\n{request}\n"
            statuses = shell(script, folder)
            assert statuses == [status], f"{request}\nreturns {statuses}, not {status}"
    assert normalized(named) == contract_endpoints(), normalized(named) ^ contract_endpoints()
    print(f"docs/api.md: {len(rows)} requests to {len(named)} endpoints get the statuses that it lists")


def check_readme_endpoints(text):
    named = set()
    for requests in re.findall(r"^\| (`[A-Z].*?) \| ", section(text, "Endpoints"), re.MULTILINE):
        path = re.search(r"/\S+?(?=`)", requests)[0]
        for request in re.findall(r"`(.*?)`", requests):
            method, _, own_path = request.partition(" ")
            named.add(f"{method} {own_path or re.findall(r'(/[^`]+)`', requests)[-1] or path}")
    unknown = normalized(named) - contract_endpoints()
    assert named and not unknown, unknown
    print(f"README.md: the {len(named)} endpoints of its table exist")


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
