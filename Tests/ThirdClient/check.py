"""Checks the client with answers.json, moves.json and sync.json, and that docs/sync.md has the table of answers.

python3 -B Tests/ThirdClient/check.py [--write]

`--write` writes what the client does now into the scenarios of sync.json.
"""

import json
import sys
from pathlib import Path

from answers import decide
from rules import Refused, perform
from scenarios import play, text_of
from task_list import TaskList

TESTS = Path(__file__).parent.parent
OWN_MEMBERS = ("id", "title", "section", "parent", "position", "collapsed", "locked", "done", "data")
faults: list[str] = []


def expect(name: str, actual, expected) -> None:
    if actual != expected:
        faults.append(f"{name}\n   expected {json.dumps(expected)}\n   actual   {json.dumps(actual)}")


def fixture(name: str):
    return json.loads((TESTS / "Fixtures" / f"{name}.json").read_text())


def check_answers() -> int:
    cases = fixture("answers")
    document = (TESTS.parent / "docs" / "sync.md").read_text()
    table = document.split("|---|---|---|---|---|\n")[1].split("\n\n")[0].splitlines()
    expect("the table in docs/sync.md", table, [f"| {' | '.join(row.values())} |" for row in cases["table"]])
    rows = {row["answer"]: row for row in cases["table"]}
    for case in cases["cases"]:
        for kind in ("read", "write", "step", "steps", "stream"):
            if kind not in case:
                continue
            steps = [[{}]] * (4 if kind == "steps" else 1)
            request = "step" if kind == "steps" else kind
            headers, body = case.get("headers", {}), case.get("body", "")
            action = decide(request, case["status"], headers, body, steps, "groceries")
            name = f"{action.name} {action.steps}" if action.name == "split" else action.name
            expect(f"{case['name']}, {kind}", name, case[kind])
            expect(f"{case['name']}, Retry-After", action.retry_after, case.get("retryAfter", 0))
            if action.name not in ("done", "wait"):
                expect(f"{case['name']}, code", (action.body or {}).get("code"), case.get("code"))
            if request == kind and name not in ("wait", "refuse"):
                expect(f"{case['name']}, {kind} in its row", name, rows[case["row"]][kind])
    return len(cases["cases"])


def own(op: dict) -> dict:
    """An operation without what follows from the list."""
    if op["op"] != "insert":
        return op
    return {"op": "insert", "task": {name: op["task"][name] for name in OWN_MEMBERS if name in op["task"]}}


def check_moves() -> int:
    count = 0
    for case in fixture("moves"):
        for step in case["steps"]:
            count += 1
            before = TaskList(case["list"])
            expected = {name: value for name, value in step.items() if name not in ("step", "placedBy")}
            try:
                after, ops = perform(before, step["step"])
                actual: dict = {"ops": list(map(own, ops))}
                if ops:
                    actual["after"] = after.outline
            except Refused as refused:
                actual = {"refused": refused.code}
                if len(step["step"]) > 1:
                    actual["at"] = refused.at
            if "ops" in expected:
                expected["ops"] = list(map(own, expected["ops"]))
                for op in step["ops"]:
                    before.apply(op)
                expect("a copy of the list", before.outline, step.get("after", TaskList(case["list"]).outline))
            expect(f"{TaskList(case['list']).outline}: {json.dumps(step['step'])}", actual, expected)
    return count


def check_scenarios(writes: bool) -> int:
    scenarios = fixture("sync")
    for scenario in scenarios:
        script = scenario["script"]
        for index, (item, found) in enumerate(zip(script, play(script), strict=True)):
            if writes:
                item["then"] = found
            expect(f"{scenario['name']}, {index}", found, item["then"])
    if writes:
        (TESTS / "Fixtures" / "sync.json").write_text(text_of(scenarios))
    return len(scenarios)


if __name__ == "__main__":
    counts = check_answers(), check_moves(), check_scenarios("--write" in sys.argv[1:])
    for fault in faults[:10]:
        print(fault)
    print("{} answers, {} steps, {} scenarios: {} faults".format(*counts, len(faults)))
    sys.exit(1 if faults else 0)
