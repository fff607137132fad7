"""A plain server and a plain client of one list. They are too simple to be wrong, and write the scenarios of sync.json."""

import copy
import json

from answers import decide
from rules import Refused, perform
from task_list import DoesNotFit, TaskList

LIST = "l"
AT = "2026-01-01T00:00:00.000Z"
MOST_OPERATIONS = 1_000


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


class Client:
    """Everything that a client knows. `kept`, `base` and `refused` are on its disk."""

    def __init__(self) -> None:
        self.base: TaskList | None = None
        self.version, self.epoch = 0, None
        # The steps: `name`, `ops`, and the `version` of the answer, if the step has one.
        self.kept: list[dict] = []
        self.refused: list[list[str]] = []
        self.start()

    def start(self) -> None:
        """The program starts: what is not on the disk is as at the beginning."""
        self.state = None
        self.needs_document = self.base is None
        self.limit = MOST_OPERATIONS
        self.reads = self.pauses_reading = self.pauses_sending = False
        self.sent: list[dict] | None = None

    @property
    def waiting(self) -> list[dict]:
        return [step for step in self.kept if step["version"] is None]

    @property
    def shown(self) -> TaskList | None:
        shown = self.base
        for step in self.kept:
            try:
                shown, _ = perform(shown, step["ops"])
            except Refused:
                pass
        return shown

    def advance(self) -> dict:
        """Starts the requests that are possible now. Returns them with what the person sees."""
        then: dict = {}
        if self.base and self.state != "gone":
            then["shown"] = self.shown.outline
        then["waits"] = [step["name"] for step in self.waiting]
        if self.needs_document and not self.reads and not self.pauses_reading:
            self.reads = then["reads"] = True
        is_idle = self.sent is None and not self.pauses_sending
        if self.waiting and is_idle and self.base and self.state is None:
            self.sent = self.next_batch()
            then["sends"] = [step["name"] for step in self.sent]
        if self.refused:
            then["refused"] = copy.copy(self.refused)
        if self.state:
            then["state"] = self.state
        return then

    def next_batch(self) -> list[dict]:
        batch: list[dict] = []
        for step in self.waiting[: self.limit]:
            if sum(len(one["ops"]) for one in [*batch, step]) > MOST_OPERATIONS:
                break
            batch.append(step)
        return batch

    # What happens

    def do(self, name: str, ops: list[dict]) -> None:
        self.kept.append({"name": name, "ops": ops, "version": None})

    def receive(self, event: str, data: dict) -> None:
        if event == "deleted":
            self.lose_list()
        elif event == "refetch":
            self.needs_document = True
        elif event == "change" and data["version"] > self.version:
            self.take(data)

    def take(self, change: dict) -> None:
        base = self.base.copy()
        try:
            if change["version"] != self.version + 1:
                raise DoesNotFit
            for op in change["ops"]:
                base.apply(op)
        except DoesNotFit:
            self.needs_document = True
            return
        self.base, self.version = base, change["version"]
        self.kept = [step for step in self.kept if step["ops"][0]["opId"] != change.get("opId")]
        self.forget()

    def forget(self) -> None:
        """Forgets the steps whose answers are for versions that base has reached."""
        self.kept = [step for step in self.kept if step["version"] is None or step["version"] > self.version]

    def lose_list(self) -> None:
        self.state = "gone"
        self.needs_document = self.pauses_reading = True

    def hear(self, kind: str, answered: dict | None) -> None:
        """An answer: kind is `read` or `batch`."""
        given = answered or {"status": None, "headers": {}, "body": ""}
        body = given["body"]
        if kind == "read" and given["status"] == 200 and isinstance(body, dict) and "version" in body:
            body = {"id": LIST, **body}
        text = body if isinstance(body, str) else json.dumps(body)
        batch, steps = [], []
        if kind == "read":
            self.reads = False
        else:
            batch, self.sent = self.sent, None
            steps = [step["ops"] for step in batch]
        action = decide("read" if kind == "read" else "step", given["status"], given["headers"], text, steps, LIST)
        if action.name == "gone":
            self.lose_list()
        elif action.name == "signIn":
            self.state = "locked"
            self.pauses_reading = self.pauses_sending = True
            self.needs_document = self.needs_document or kind == "read"
        elif action.name == "readAgain":
            self.needs_document = True
            self.pauses_sending = kind == "batch" or self.pauses_sending
        elif action.name == "split":
            self.limit = action.steps
        elif action.name == "refuse":
            self.refuse(batch[0], action.body["code"])
        elif action.name == "wait" and kind == "read":
            self.pauses_reading = True
        elif action.name == "wait":
            self.pauses_sending = True
        elif kind == "read":
            self.begin(action.body)
        else:
            self.settle(batch, action.body, given["headers"])

    def refuse(self, step: dict, code: str) -> None:
        self.limit = MOST_OPERATIONS
        if step in self.kept:
            self.kept.remove(step)
            self.refused.append([step["name"], code])

    def begin(self, document: dict) -> None:
        if self.epoch != document["epoch"]:
            for step in self.kept:
                step["version"] = None
        self.base, self.version, self.epoch = TaskList(document), document["version"], document["epoch"]
        self.needs_document, self.state = False, None
        self.forget()

    def settle(self, batch: list[dict], body: dict, headers: dict) -> None:
        self.state = "gone" if self.state == "gone" else None
        if headers["ETag"] != f'"{body["version"]}-{self.epoch}"':
            self.needs_document = self.pauses_sending = True
            return
        self.limit = MOST_OPERATIONS
        results = iter(body["results"])
        for step in batch:
            result = [next(results) for _ in step["ops"]][0]
            if "problem" in result:
                self.refuse(step, result["problem"]["code"])
            else:
                step["version"] = body["version"]
        self.forget()

    def end_pauses(self) -> None:
        self.pauses_reading = self.pauses_sending = False
        if self.state == "locked":
            self.state = None
