"""Random scenarios. At their end the client has what the server has, and each step was applied once or refused."""

import random

from rules import Refused, perform
from scenario import LOGIN_PAGE, UNAUTHORIZED, Scenario, complete, create, delete, drop, html, name_of, rename
from task_list import TaskList

OUTLINES = ["a b c d", "a(b c) d #s e f", "a b #s c(d(e)) #t f", "#s a #t b c"]


class RandomScenario:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        settings = {"tasksPerParent": 2} if self.random.random() < 0.3 else {}
        self.scenario = Scenario(f"random {seed}", self.random.choice(OUTLINES), **settings)
        self.scenario.read()
        self.made = 0
        # The answer to the batch on the way, if the server has received it.
        self.given: dict | None = None
        self.given_for: list | None = None
        # How often the store was restored, which can lose what was answered.
        self.restores = 0

    def run(self, items: int) -> dict:
        s = self.scenario
        while len(s.script) < items:
            self.random.choices(*zip(*self.possible()))[0]()
        self.finish()
        return s.json

    def possible(self) -> list:
        s, client, server = self.scenario, self.scenario.client, self.scenario.server
        acts = [(self.others, 4)]
        if client.state is None and client.base:
            acts.append((self.do, 8))
        if client.paused:
            acts.append((s.sign_in if client.state == "locked" else s.pause, 5))
        if client.is_reading:
            acts += [(s.read, 8), (lambda: s.read(self.failure()), 2)]
        elif not client.needs_document and server.exists and client.state is None:
            if client.epoch != server.epoch:
                acts.append((lambda: s.event("refetch"), 6))
            elif client.version < server.version:
                acts += [(s.change, 10), (lambda: s.event("refetch"), 0.3)]
        if client.state is None and not client.needs_document:
            acts.append((self.restart, 1))
            if server.exists and client.epoch == server.epoch:
                acts.append((self.delete_list, 0.4))
        if not server.exists:
            acts.append((self.restore_list, 3))
        elif client.epoch == server.epoch and server.version > 3 and self.restores < 4:
            acts.append((self.restore_store, 0.4))
        if client.sent is not None:
            acts += [(self.receive, 6), (self.hear, 8), (self.fail, 3)]
        if client.refusals:
            acts.append((lambda: s.see(name_of(client.refusals[0])), 3))
        return acts

    # Acts

    def operation(self, shown: TaskList) -> dict:
        ids = sorted(shown.tasks)
        task = self.random.choice(ids)
        kind = self.random.random()
        if kind < 0.25 or len(ids) < 3:
            self.made += 1
            return create(f"n{self.made}", **self.beside(shown, self.random.choice(ids)))
        if kind < 0.6:
            parents = [*shown.sections, *map(shown.tasks.get, ids)]
            parent = self.random.choice([p for p in parents if task not in [p.id, *(a.id for a in p.above)]])
            where = (None, parent.id) if parent.parent is None else (parent.id, None)
            return drop(shown, task, *where, self.random.randint(0, len(parent.children)))
        if kind < 0.75:
            return rename(task, f"{task.upper()}{self.random.randint(1, 9)}")
        if kind < 0.85:
            return complete(task, not shown.tasks[task].own["done"])
        return delete(task)

    def beside(self, shown: TaskList, task: str) -> dict:
        node = shown.tasks[task]
        place = node.parent.as_place
        where = {"parent": place["parent"]} if place["parent"] else {"section": place["section"]}
        return {"after": task, **where, "position": node.parent.children.index(node) + 1}

    def step(self, shown: TaskList) -> list[dict]:
        step: list[dict] = []
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            for _ in range(9):
                try:
                    op = self.operation(shown)
                    after, ops = perform(shown, [op])
                except (Refused, IndexError, ValueError):
                    continue
                if ops:
                    shown = after
                    step.append(op)
                    break
        return step

    def do(self) -> None:
        step = self.step(self.scenario.client.shown)
        if step:
            self.scenario.do(*step)

    def others(self) -> None:
        server = self.scenario.server
        if server.exists and server.version - self.scenario.client.version < 4:
            server.do(*self.step(server.tasks))

    def receive(self) -> None:
        s = self.scenario
        self.given, self.given_for = s.receive(), s.client.sent

    def hear(self) -> None:
        if self.given_for is self.scenario.client.sent:
            self.scenario.hear(self.given)
        else:
            self.scenario.hear()

    def fail(self) -> None:
        self.scenario.hear(self.failure())

    def failure(self) -> dict | None:
        client = self.scenario.client
        failures = [None, None, html(404), html(502), html(410), LOGIN_PAGE]
        is_alone = not client.is_reading or client.sent is None
        return self.random.choice([*failures, UNAUTHORIZED] if is_alone else failures)

    def restart(self) -> None:
        self.scenario.restart()

    def delete_list(self) -> None:
        self.scenario.server.exists = False
        self.scenario.event("deleted")

    def restore_list(self) -> None:
        self.scenario.server.exists = True

    def restore_store(self) -> None:
        server = self.scenario.server
        self.restores += 1
        server.go_back(self.random.randint(1, 2), "bcdef"[self.restores % 5] * 12)

    # The end

    def finish(self) -> None:
        s, client, server = self.scenario, self.scenario.client, self.scenario.server
        server.exists = True
        for _ in range(50):
            if client.is_reading:
                s.read()
            elif client.sent is not None:
                self.hear()
            elif client.paused:
                s.pause()
            elif client.epoch != server.epoch:
                s.event("refetch")
            elif client.version < server.version:
                s.change()
        assert not client.queue, (s.name, client.queue)
        assert client.base.outline == server.tasks.outline, s.name
        if self.restores == 0:
            for number in range(1, s.steps + 1):
                assert f"s{number}.0" in server.results, (s.name, number)


