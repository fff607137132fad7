"""Runs docs/recipes.md: each section with a server of its own. Every request must get the status beside it (`# 409`), or 2xx, and a
JSON block must be the response of the request before it."""

import json
import re
import subprocess
import tempfile

import contract_server
from documents import compare, read

# The statuses go to standard error, the responses to standard output. The status of a stream comes when its time is over.
PREAMBLE = """set -eu
curl() { command curl --silent --write-out '%{stderr}%{http_code}\\n' "$@" || [ $? = 28 ]; }
reorderd() { [ "$1" = serve ] || "$PROGRAM" "$@"; }
"""
SERVE = re.compile(r"^reorderd serve ?(.*)$", re.MULTILINE)
BLOCK = re.compile(r"```(sh|json)\n(.*?)```", re.DOTALL)
MARK = "-- block"


def run(program, seed, is_long):
    text = read("docs/recipes.md")
    introduction, *recipes = re.split(r"^## (?=.)", text, flags=re.MULTILINE)
    setup = "".join(script for _, script in BLOCK.findall(introduction))
    assert len(recipes) == 3, "there are three recipes"
    for recipe in recipes:
        title = recipe.partition("\n")[0]
        print(f"docs/recipes.md, {title}: {follow(program, setup, BLOCK.findall(recipe))} requests", flush=True)


def follow(program, setup, blocks):
    with tempfile.TemporaryDirectory(prefix="reorderd-recipes-") as folder:
        options = []
        scripts = [script for kind, script in blocks if kind == "sh"]
        if served := SERVE.search(scripts[0]):
            shell(program, scripts.pop(0), folder)
            options = [f"{folder}/{word}" if "." in word else word for word in served[1].split()]
            blocks = blocks[1:]
        with contract_server.running(program, "--log-level", "error", *options) as address:
            marked = f"\necho {MARK}; echo {MARK} >&2\n".join(scripts)
            output, statuses = shell(program, f"{setup}U={address}\n{marked}", folder)
    check_statuses(scripts, statuses.split(MARK))
    check_responses(blocks, output.split(MARK))
    return sum(script.count("curl ") for script in scripts)


def check_statuses(scripts, statuses):
    for script, got in zip(scripts, statuses, strict=True):
        _, *requests = script.split("curl ")
        for request, status in zip(requests, got.split(), strict=True):
            expected = re.search(r"# (\d\d\d)$", request, re.MULTILINE)
            assert status == expected[1] if expected else status[0] == "2", f"curl {request}\ngets {status}"


def check_responses(blocks, outputs):
    responses = iter(outputs)
    for kind, content in blocks:
        if kind == "sh":
            response = next(responses)
        else:
            shown = json.loads(content)
            compare(shown, last(response), content[:40])


def last(text):
    """The last of several JSON values."""
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        text = text[end:].strip()
    return value


def shell(program, script, folder):
    command = ["bash", "-c", PREAMBLE + script]
    result = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={"PROGRAM": str(program), "PATH": "/usr/bin:/bin"})
    assert result.returncode == 0, f"{script}\n{result.stderr}"
    return result.stdout, result.stderr
