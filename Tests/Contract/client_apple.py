"""The Swift client's parts for Apple's systems, the examples and the articles' code compile with stand-ins for UIKit and SwiftUI, and
their tests pass (`scripts/client-apple`). The example with a table view stays short."""

import re
import subprocess

import environment

ROOT = environment.ROOT
# The lines that are neither empty nor comments.
MOST_LINES = {"TasksUIKit/TasksController.swift": 70}


def run(program, seed, is_long):
    result = subprocess.run([ROOT / "scripts" / "client-apple"], capture_output=True, text=True)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    tests = re.search(r"Test run with [1-9].* passed", output)
    assert tests, output
    print(tests.group())
    for name, most in MOST_LINES.items():
        lines = [line.strip() for line in (ROOT / "Examples" / name).read_text().splitlines()]
        count = sum(1 for line in lines if line and not line.startswith("//"))
        assert count <= most, f"{name} has {count} lines"
        print(f"Examples/{name}: {count} lines")
