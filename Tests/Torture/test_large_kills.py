"""kill -9 at random moments of a large change, repeatedly with the same file: the change is there as a whole or not at all,
its tasks are in one list, and their ids can be used again."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from random import Random

import check_command
from report import Result, Setting
from server import Server
from wire import Answer, Connection, ConnectionLost

LISTS = ("big", "other")
Request = tuple[str, str, object]


def large_kills(setting: Setting, folder: Path) -> Result:
    random = Random(f"{setting.seed}.large-kills")
    store = folder / "lists.db"
    rounds = setting.pick(8, 100)
    tasks = setting.pick(5_000, 50_000)
    root = {"id": "t0", "title": "root"}
    rest = [{"id": f"t{number}", "title": "", "parent": "t0"} for number in range(1, tasks)]
    draft = {"title": "big", "tasks": [root, *rest]}
    violations: list[str] = []
    answered = 0
    seconds = 0.0
    for number in range(rounds):
        with Server(setting.program, store) as server:
            counts = _counts(server.port)
            if number == 0:
                for name in LISTS:
                    _send(server.port, ("PUT", f"/lists/{name}", {"title": name}))
                started = time.monotonic()
                _send(server.port, _put("big", draft))
                _send(server.port, ("POST", "/lists/big/move", {"task": "t0", "toList": "other"}))
                seconds = (time.monotonic() - started) / 2
            elif sorted(counts.values()) not in ([], [0], [0, 0], [tasks], [0, tasks]):
                violations.append(f"kill {number}: the lists have {counts} tasks")
            request = _next(random, _counts(server.port), draft)
            before = _counts(server.port)
            answers: list[Answer] = []
            thread = threading.Thread(target=_try, args=(server.port, request, answers))
            thread.start()
            # Kills also come after the response, while the index of tasks is being completed.
            time.sleep(random.uniform(0, 1.5 * seconds))
            server.kill()
            thread.join()
        answered += len(answers)
        if answers and answers[0].status >= 300:
            violations.append(f"kill {number}: {request[:2]} got {answers[0].status}")
        if number % 2 == 0:
            violations += check_command.faults(setting.program, store)
        with Server(setting.program, store) as server:
            if answers and _counts(server.port) == before:
                violations.append(f"kill {number}: {request[:2]} was answered, and is not there")
        if violations:
            break
    violations += check_command.faults(setting.program, store)
    return Result(
        f"{rounds} kills during changes of {tasks} tasks, {answered} answered before", violations
    )


def _put(name: str, draft: object) -> Request:
    return ("PUT", f"/lists/{name}", draft)


def _next(random: Random, counts: dict[str, int], draft: object) -> Request:
    """A change of all tasks: they are created, moved to the other list, or deleted."""
    holder = next((name for name in LISTS if counts.get(name)), None)
    if holder is None:
        return _put("big", draft)
    if random.random() < 0.6:
        target = LISTS[1 - LISTS.index(holder)]
        if target in counts:
            return ("POST", f"/lists/{holder}/move", {"task": "t0", "toList": target})
    return ("DELETE", f"/lists/{holder}", None)


def _counts(port: int) -> dict[str, int]:
    answer = _send(port, ("GET", "/lists", None))
    return {entry["id"]: entry["count"] for entry in json.loads(answer.body)["lists"]}


def _try(port: int, request: Request, answers: list[Answer]) -> None:
    try:
        answers.append(_send(port, request))
    except ConnectionLost:
        pass


def _send(port: int, request: Request) -> Answer:
    method, path, content = request
    body = None if content is None else json.dumps(content).encode()
    headers = {"If-Match": "*"} if method == "PUT" and body and len(body) > 1_000 else {}
    connection = Connection(port)
    try:
        answer = connection.send(method, path, headers, body)
        # A list that does not exist is created without the condition.
        if answer.status == 412:
            answer = connection.send(method, path, {}, body)
        return answer
    finally:
        connection.close()
