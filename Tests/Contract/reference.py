"""docs/reference.md has the options of `serve` with their defaults, the exit codes and the metrics that the program has."""

import os
import re
import subprocess

import environment


def check(program):
    """Compares the options and exit codes; `metrics.py` compares the metrics of running servers."""
    check_options(program)
    check_exit_codes()


def section(title):
    text = (environment.ROOT / "docs" / "reference.md").read_text()
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]


def cells(title):
    """The names in the first cell of each row of a section's table, and those in the second."""
    rows = [line.split("|")[1:] for line in section(title).splitlines() if line.startswith("| ")]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row[:2]] for row in rows]


def check_options(program):
    variables = {name: value for name, value in os.environ.items() if not name.startswith("REORDERD_")}

    def output(argument):
        command = [program, "serve", argument]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout

    defaults = dict(line.split("=", 1) for line in output("--print-configuration").splitlines())
    options = set(re.findall(r"^ {2,6}(--[a-z-]+)", output("--help"), re.MULTILINE)) - {"--version", "--help"}
    compare_options(options, defaults)
    print(f"docs/reference.md: it has the {len(options)} options of serve, and {len(defaults)} defaults")


def compare_options(options, defaults):
    """The defaults are those of variables."""
    documented = {}
    for names, values in cells("Options of serve"):
        documented.update(zip(names, values or [None] * len(names), strict=True))
    assert documented.keys() == options, documented.keys() ^ options
    for name, value in documented.items():
        variable = "REORDERD_" + name.removeprefix("--").replace("-", "_").upper()
        assert value == defaults.get(variable), (name, value, defaults.get(variable))


def check_exit_codes():
    """The codes that the program's sources use: 0, 1, 64 for wrong arguments, and others by their names."""
    sources = (environment.ROOT / "Sources" / "reorderd").rglob("*.swift")
    names = {name for file in sources for name in re.findall(r"\bEX_[A-Z]+", file.read_text())}
    used = {0, 1, os.EX_USAGE, *(getattr(os, name) for name in names)}
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)}
    assert codes == used, codes ^ used
    print(f"docs/reference.md: it has the {len(codes)} exit codes")


def compare_metrics(families):
    documented = {name for names, _ in cells("Metrics") for name in names}
    names = {f"{family.name}_total" if family.type == "counter" else family.name for family in families}
    assert documented == names, documented ^ names
