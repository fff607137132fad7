"""A plain server of one list. It is too simple to be wrong. With the client in `Tests/ThirdClient`, it writes the scenarios of sync.json."""

import copy

from rules import Refused, perform
from task_list import TaskList

LIST = "l"
AT = "2026-01-01T00:00:00.000Z"


def problem(status: int, code: str, **members) -> dict:
    """A problem document."""
    document = {"type": f"urn:reorderd:problem:{code}", "title": code, "status": status, "detail": f"Refused: {code}."}
    return {**document, "code": code, **members}


def answer(status: int, body, kind: str = "application/json", **headers) -> dict:
    return {"status": status, "headers": {"Content-Type": kind, **headers}, "body": body}


def problem_answer(status: int, code: str, **members) -> dict:
    return answer(status, problem(status, code, **members), "application/problem+json")


NO_LIST = problem_answer(404, "list_not_found")


class Server:
    """One list: its versions, and the results of its operations."""

    def __init__(self, document: dict, version: int = 1, epoch: str = "aaaaaaaaaaaa"):
        self.states = {version: TaskList(document)}
        self.version, self.epoch = version, epoch
        self.changes: dict[int, dict] = {}
        self.results: dict[str, dict] = {}
        self.exists = True

    @property
    def tasks(self) -> TaskList:
        return self.states[self.version]

    def commit(self, after: TaskList, ops: list[dict], **members) -> None:
        self.version += 1
        self.states[self.version] = after
        self.changes[self.version] = {"version": self.version, "at": AT, **members, "ops": list(map(complete, ops))}

    def do(self, *step: dict, **members) -> None:
        """A step of somebody else."""
        after, ops = perform(self.tasks, list(step))
        if ops:
            self.commit(after, ops, **members)

    def replace(self, document: dict) -> None:
        self.commit(TaskList(document), [{"op": "replace"}])

    def receive(self, steps: list[list[dict]]) -> dict:
        """Applies a batch, and returns the answer."""
        if not self.exists:
            return NO_LIST
        before, results = self.version, []
        for index, step in enumerate(steps):
            if step[0]["opId"] not in self.results:
                self.apply(step, f"/steps/{index}/")
            for op in step:
                result = copy.deepcopy(self.results[op["opId"]])
                results.append({"op": op["op"], "opId": op["opId"], **result})
        body = {"list": LIST, "version": self.version, "changed": self.version > before, "results": results}
        return answer(200, body, ETag=f'"{self.version}-{self.epoch}"')

    def apply(self, step: list[dict], pointer: str) -> None:
        result = {"status": 200}
        try:
            after, ops = perform(self.tasks, step)
            if ops:
                self.commit(after, ops, opId=step[0]["opId"])
        except Refused as refused:
            status = 404 if refused.code in ("task_not_found", "section_not_found") else 409
            result = {"status": status, "problem": problem(status, refused.code, pointer=f"{pointer}{refused.at}")}
        for op in step:
            self.results[op["opId"]] = result

    def read(self) -> dict:
        if not self.exists:
            return NO_LIST
        tag = f'"{self.version}-{self.epoch}"'
        return answer(200, {"version": self.version, "epoch": self.epoch, **short(self.tasks)}, ETag=tag)

    def go_back(self, versions: int, epoch: str) -> None:
        """The store is restored from a backup: the last versions are lost, and the results of their operations."""
        for version in range(self.version - versions + 1, self.version + 1):
            lost = self.changes.pop(version)
            if "opId" in lost:
                name = lost["opId"].split(".")[0] + "."
                self.results = {op: result for op, result in self.results.items() if not op.startswith(name)}
        self.version -= versions
        self.epoch = epoch


def complete(op: dict) -> dict:
    """An operation of a change, with all members that the server sends."""
    if op["op"] != "insert":
        return op
    times = {"row": None, "depth": 0, "subtasks": 0, "createdAt": AT, "updatedAt": AT}
    return {"op": "insert", "task": {**op["task"], **times}}


def short(tasks: TaskList) -> dict:
    """A short document: see Tests/Fixtures/README.md."""
    usual = {"collapsed": False, "locked": False, "done": False, "data": None, "parent": None, "section": None, "maxTasks": None}
    document = tasks.document
    for item in [*document["sections"], *document["tasks"]]:
        for name in [name for name, value in usual.items() if item.get(name, value) == value]:
            item.pop(name, None)
        if item["title"] == item["id"]:
            del item["title"]
    empty = {"title": "List", "elementsOffset": 0, "collapseSubElements": False, "moves": "anywhere", "sections": []}
    return {name: value for name, value in document.items() if value is not None and value != empty.get(name)}
