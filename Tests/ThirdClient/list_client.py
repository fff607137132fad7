"""A client of one list, without a network: its queue on disk, and what it does after each answer and event."""

import json
import os
import uuid
from pathlib import Path

from answers import Action, decide
from rules import Refused, perform
from task_list import DoesNotFit, TaskList

MOST_OPERATIONS = 1_000


class Disk:
    """A folder with JSON files, each of which is replaced as a whole."""

    def __init__(self, folder: Path, syncs: bool = True):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.syncs = folder, syncs

    def read(self, name: str, default):
        path = self.folder / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else default

    def write(self, name: str, value) -> None:
        new = self.folder / f"{name}.new"
        with open(new, "w") as file:
            json.dump(value, file)
            file.flush()
            if self.syncs:
                os.fsync(file.fileno())
        os.replace(new, self.folder / f"{name}.json")


class Client:
    def __init__(self, disk: Disk, list_id: str):
        self.disk, self.list_id = disk, list_id
        base = disk.read("base", None)
        self.base = TaskList(base) if base else None
        self.version, self.epoch = (base["version"], base["epoch"]) if base else (0, None)
        # In the order of the person. Each step has `ops`, and the `version` of its answer if it has one.
        self.queue: list[dict] = disk.read("queue", [])
        # What the person has not seen: `opId` (the first of the step), `code` and `detail`.
        self.refusals: list[dict] = disk.read("refusals", [])
        self.state: str | None = None
        self.needs_document = self.base is None
        self.limit = MOST_OPERATIONS
        # The requests on the way, and what waits after a failure.
        self.is_reading, self.sent = False, None
        self.paused: set[str] = set()
        self.show()

    # What the person does and sees

    @property
    def waiting(self) -> list[dict]:
        return [step for step in self.queue if step["version"] is None]

    def show(self) -> None:
        self.shown = self.base
        for step in self.queue if self.base else []:
            try:
                self.shown, _ = perform(self.shown, step["ops"])
            except Refused:
                pass  # perhaps it is possible later

    def do(self, step: list[dict]) -> None:
        """Raises `Refused`."""
        shown, changes = perform(self.shown, step)
        if changes:
            ops = [{"opId": str(uuid.uuid4()), **op} for op in step]
            parts = [ops[start : start + MOST_OPERATIONS] for start in range(0, len(ops), MOST_OPERATIONS)]
            self.queue += [{"ops": part, "version": None} for part in parts]
            self.disk.write("queue", self.queue)
            self.shown = shown

    def see(self, op_id: str) -> None:
        self.refusals = [refusal for refusal in self.refusals if refusal["opId"] != op_id]
        self.disk.write("refusals", self.refusals)

    def discard_waiting(self) -> None:
        self.keep([step for step in self.queue if step["version"] is not None])

    # Requests

    def next_read(self) -> bool:
        """Whether to ask for the document now."""
        if not self.needs_document or self.is_reading or "read" in self.paused:
            return False
        self.is_reading = True
        return True

    def next_batch(self) -> list[list[dict]] | None:
        """The steps to send now."""
        if self.base is None or self.state or self.sent or "step" in self.paused:
            return None
        batch: list[dict] = []
        for step in self.waiting[: self.limit]:
            if sum(len(one["ops"]) for one in [*batch, step]) > MOST_OPERATIONS:
                break
            batch.append(step)
        self.sent = batch or None
        return [step["ops"] for step in batch] or None

    def end_pauses(self) -> None:
        """The pauses are over, or there is another token."""
        self.paused = set()
        self.state = None if self.state == "locked" else self.state

    # Answers and events

    def answered(self, kind: str, status: int | None, headers: dict, text: str) -> Action:
        """The answer to a `read` or a `step`."""
        batch = self.sent or []
        if kind == "read":
            self.is_reading = False
        else:
            self.sent = None
        action = decide(kind, status, headers, text, [step["ops"] for step in batch], self.list_id)
        if action.name == "done" and kind == "read":
            self.begin(action.body)
        elif action.name == "done":
            self.settle(batch, action.body, headers)
        elif action.name == "split":
            self.limit = action.steps
        elif action.name == "refuse":
            self.refuse(batch[0], action.body)
        elif action.name == "gone":
            self.lose_list()
        else:
            self.later(kind, action.name)
        return action

    def later(self, kind: str, name: str) -> None:
        self.needs_document |= name == "readAgain"
        if name == "signIn":
            self.state = "locked"
            self.paused |= {"read", "step"}
        elif name == "wait" or kind == "step":
            self.paused.add(kind)

    def settle(self, batch: list[dict], answer: dict, headers: dict) -> None:
        tag = {name.lower(): value for name, value in headers.items()}.get("etag", "").strip('W/"')
        if tag and tag.partition("-")[2].partition("+")[0] != self.epoch:
            self.later("step", "readAgain")
            return
        self.limit = MOST_OPERATIONS
        self.state = None if self.state == "locked" else self.state
        results = iter(answer["results"])
        for step in batch:
            result = [next(results) for _ in step["ops"]][0]
            if "problem" in result:
                self.refuse(step, result["problem"])
            else:
                step["version"] = answer["version"]
        self.keep(self.queue)

    def refuse(self, step: dict, problem: dict) -> None:
        self.limit = MOST_OPERATIONS
        op_id = step["ops"][0]["opId"]
        # It is perhaps refused for the second time, because the program was ended between the two files.
        if step in self.queue and all(refusal["opId"] != op_id for refusal in self.refusals):
            self.refusals.append({"opId": op_id, "code": problem["code"], "detail": problem.get("detail")})
            self.disk.write("refusals", self.refusals)
        self.keep([other for other in self.queue if other is not step])

    def begin(self, document: dict) -> None:
        """The document is the new base."""
        if document["epoch"] != self.epoch:
            for step in self.queue:
                step["version"] = None
            self.disk.write("queue", self.queue)
        self.needs_document, self.state = False, None
        self.rebase(TaskList(document), document["version"], document["epoch"])

    def event(self, name: str, data: dict) -> None:
        if name == "deleted":
            self.lose_list()
        elif name == "refetch":
            self.needs_document = True
        elif name == "change" and data["version"] > self.version:
            base = self.base.copy()
            try:
                if data["version"] != self.version + 1:
                    raise DoesNotFit
                for op in data["ops"]:
                    base.apply(op)
            except DoesNotFit:
                self.needs_document = True
            else:
                self.rebase(base, data["version"], self.epoch, data.get("opId"))

    def lose_list(self) -> None:
        self.state, self.needs_document = "gone", True
        self.paused.add("read")

    def rebase(self, base: TaskList, version: int, epoch: str, op_id: str | None = None) -> None:
        # If the program is ended between the two files, a step that base contains is sent again, and applied once.
        self.base, self.version, self.epoch = base, version, epoch
        self.disk.write("base", {**base.document, "version": version, "epoch": epoch})
        self.keep([step for step in self.queue if step["ops"][0]["opId"] != op_id])

    def keep(self, queue: list[dict]) -> None:
        """Keeps these steps, without those whose version base has reached."""
        self.queue = [step for step in queue if step["version"] is None or step["version"] > self.version]
        self.disk.write("queue", self.queue)
        self.show()
