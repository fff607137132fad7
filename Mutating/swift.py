"""The mutants of the Swift modules, for scripts/mutate."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULES = ["ReorderEngine", "ReorderJSON", "ReorderService", "ReorderAuth", "ReorderAPI", "SQLiteStore", "PostgresStore",
           "ReorderClient", "ReorderWebhooks"]
COLUMNS = ["number", "module", "file", "line", "last", "kind", "original", "mutant"]
ERROR = re.compile(r"^(\S+?\.swift):(\d+):\d+: error: ", re.MULTILINE)
# Ends the name of a suite that runs with PostgreSQL. Such a suite replaces tests with the other stores, so it runs without it too.
POSTGRES = " with PostgreSQL"
USES_POSTGRES = re.compile(r"PostgresCluster\.isTested|StoreKind\.all|Setup\.all")
SUITE = re.compile(r"^(?:@Suite(?:\(.*\))?\s)?(?:final )?(?:struct|class) (\w+Tests)\b", re.MULTILINE)


def swift_build(package, *options):
    return subprocess.run(
        ["swift", "build", "--package-path", package, *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "REORDERD_FAST_TESTS": "1"})


def write_tree(options, names, dropped):
    """Writes the copy of the tree with the mutants. Returns them, by number. Files that stay the same keep their dates."""
    new = ROOT / ".build-mutate/new"
    shutil.rmtree(new, ignore_errors=True)
    for name in names:
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, new / name)
    lines = subprocess.run(
        [ROOT / "Mutating/.build/debug/Mutate", ROOT, new, str(options.sample), str(options.seed),
         ",".join(map(str, dropped)), *(options.modules or MODULES)], check=True, stdout=subprocess.PIPE, text=True).stdout
    for file in new.rglob("*"):
        old = options.tree / file.relative_to(new)
        if file.is_file() and not (old.exists() and old.read_bytes() == file.read_bytes()):
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, old)
    for file in [*(options.tree / "Sources").rglob("*.swift"), *(options.tree / "Tests").rglob("*.swift")]:
        if not (new / file.relative_to(options.tree)).exists():
            file.unlink()
    shutil.rmtree(new)
    mutants = [dict(zip(COLUMNS, line.split("\t"))) for line in lines.splitlines()]
    return {int(mutant["number"]): mutant for mutant in mutants}


def build(options, names):
    """Builds the sample; leaves out the mutants that do not compile. Returns the others, by number."""
    made = swift_build(ROOT / "Mutating", "--product", "Mutate")
    if made.returncode != 0:
        sys.exit(made.stdout)
    dropped = set()
    while True:
        mutants = write_tree(options, names, dropped)
        began = time.time()
        made = swift_build(options.tree, "--build-tests", "--scratch-path", options.tree / ".build-test", "-Xswiftc",
                           "-gline-tables-only")
        print(f"a build of {len(mutants)} mutants: {time.time() - began:.0f} s", flush=True)
        if made.returncode == 0:
            return mutants
        # The nearest mutants: the compiler sometimes names the beginning of the whole statement.
        wrong = set()
        for file, line in ERROR.findall(made.stdout):
            distances = [(max(int(mutant["line"]) - int(line), int(line) - int(mutant["last"]), 0), number)
                         for number, mutant in mutants.items() if file == str(options.tree / mutant["file"])]
            wrong |= {number for distance, number in distances if distance == min(distances)[0]}
        if not wrong:
            sys.exit(made.stdout[-3000:] + "\nThe build failed for another reason than a mutant.")
        for number in sorted(wrong):
            print("does not compile:", *mutants[number].values(), flush=True)
        dropped |= wrong


def program(options):
    return [options.tree / ".build-test/debug/reorderdPackageTests.xctest", "--testing-library", "swift-testing"]


def suites(options):
    tests = subprocess.run([*program(options), "--list-tests"], cwd=options.tree, check=True, stdout=subprocess.PIPE, text=True)
    found = {line.split("/")[0] for line in tests.stdout.splitlines() if "/" in line}
    if not options.processes:
        # Suites in a folder `Process` start a server.
        found -= names(options, "Process/*")
    if options.postgres:
        found |= {suite + POSTGRES for suite in found & names(options, "**/*Tests", USES_POSTGRES)}
    return found


def names(options, pattern, content=re.compile("")):
    """The suites in the files whose names match the pattern, and that have this content."""
    return {f"{file.relative_to(options.tree).parts[1]}.{name}" for file in options.tree.glob(f"Tests/*/{pattern}.swift")
            if content.search(text := file.read_text()) for name in SUITE.findall(text)}


def command(options, group):
    suites = "|".join(re.escape(suite.removesuffix(POSTGRES)) for suite in group)
    return ["env", *["REORDERD_TEST_POSTGRES=1"] * group[0].endswith(POSTGRES), *program(options), "--filter", f"^({suites})/",
            "--event-stream-output-path", "/dev/stdout", "--event-stream-version", "0"]


class Reader:
    """Reads the output of a run."""

    def __init__(self, group):
        self.running = {}  # the suite of each test
        self.ending = POSTGRES * group[0].endswith(POSTGRES)

    def failure(self, line):
        """The suite that failed, if the line says so."""
        if '"testID"' not in line:
            return None
        try:
            payload = json.loads(line)["payload"]
        except ValueError:
            return None
        test = payload["testID"]
        if payload["kind"] == "testStarted" and "/" in test:
            self.running[test] = test.split("/")[0] + self.ending
        elif payload["kind"] == "testEnded":
            self.running.pop(test, None)
        elif payload["kind"] == "issueRecorded" and not payload["issue"].get("isKnown"):
            return test.split("/")[0] + self.ending
        return None
