"""Checks the client with answers.json, moves.json and sync.json, and that docs/sync.md has the table of answers.

python3 -B Tests/ThirdClient/check.py
"""

import json
import sys
import tempfile
from pathlib import Path

from answers import decide
from list_client import Client, Disk
from rules import Refused, perform
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


class Run:
    """A scenario of sync.json."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.names: dict[str, str] = {}
        self.start()
        self.client.next_read()

    def start(self) -> None:
        self.client = Client(Disk(self.folder, syncs=False), "l")

    def happens(self, item: dict) -> None:
        client = self.client
        if "do" in item:
            self.names[item["step"][0]["opId"]] = item["do"]
            client.do(item["step"])
        elif "answer" in item:
            answer = item["answer"] or {"status": None, "headers": {}, "body": ""}
            body = answer["body"]
            if item["to"] == "read" and isinstance(body, dict) and "version" in body:
                body = {"id": "l", **body}
            kind = "read" if item["to"] == "read" else "step"
            text = body if isinstance(body, str) else json.dumps(body)
            client.answered(kind, answer["status"], answer["headers"], text)
        elif "event" in item:
            client.event(item["event"], item["data"])
        elif "seen" in item:
            client.see(f"{item['seen']}.0")
        elif "discard" in item:
            client.discard_waiting()
        elif "restart" in item:
            self.start()
        else:
            client.end_pauses()

    @property
    def then(self) -> dict:
        client = self.client
        then: dict = {}
        if client.shown and client.state != "gone":
            then["shown"] = client.shown.outline
        then["waits"] = [self.names[step["ops"][0]["opId"]] for step in client.waiting]
        if client.next_read():
            then["reads"] = True
        if steps := client.next_batch():
            then["sends"] = [self.names[step[0]["opId"]] for step in steps]
        if client.refusals:
            then["refused"] = [[self.names[refusal["opId"]], refusal["code"]] for refusal in client.refusals]
        if client.state:
            then["state"] = client.state
        return then


def check_sync() -> int:
    scenarios = fixture("sync")
    for scenario in scenarios:
        with tempfile.TemporaryDirectory() as folder:
            run = Run(Path(folder))
            for index, item in enumerate(scenario["script"]):
                run.happens(item)
                actual = run.then
                if actual != item["then"]:
                    expect(f"{scenario['name']}, {index}", actual, item["then"])
                    break
    return len(scenarios)


if __name__ == "__main__":
    counts = check_answers(), check_moves(), check_sync()
    for fault in faults[:10]:
        print(fault)
    print("{} answers, {} steps, {} scenarios: {} faults".format(*counts, len(faults)))
    sys.exit(1 if faults else 0)
