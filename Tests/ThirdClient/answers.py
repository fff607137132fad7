"""What an answer means: "Answers" of docs/sync.md."""

import json
from dataclasses import dataclass
from typing import Any

# By row of the table: the actions of a read, a write, a step and a stream.
TABLE = {
    "ours 401": "signIn signIn signIn signIn",
    "ours 403": "signIn refuse signIn signIn",
    "ours, no list": "gone refuse gone gone",
    "ours 410": "readAgain refuse readAgain readAgain",
    "ours, the body": "wait refuse split wait",
    "ours, other": "wait refuse wait wait",
    "foreign 413": "wait wait split wait",
    "later": "wait wait wait wait",
}
KINDS = ("read", "write", "step", "stream")


@dataclass
class Action:
    name: str
    # The JSON of the body, if it has the documented form or is a problem document of reorderd.
    body: Any = None
    # If the name is `split`: how many steps to send.
    steps: int = 0
    retry_after: float = 0


def decide(kind: str, status: int | None, headers: dict, text: str, steps: list = (), list_id: str = "") -> Action:
    """The action after an answer to a `read`, `write`, `stream`, or `step` (a batch of these steps). Status None: no answer."""
    headers = {name.lower(): value for name, value in headers.items()}
    media = headers.get("content-type", "").split(";")[0].strip().lower()
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if status == 200 and has_form(kind, media, body, sum(map(len, steps)), list_id):
        return Action("done", body)
    is_ours = media == "application/problem+json" and isinstance(body, dict) and isinstance(body.get("code"), str)
    problem = body if is_ours and body.get("status") == status else None
    action = Action(TABLE[row(status, problem)].split()[KINDS.index(kind)], problem)
    if headers.get("retry-after", "").isdecimal():
        action.retry_after = int(headers["retry-after"])
    if action.name == "split":
        parts = [*str((problem or {}).get("pointer", "")).split("/"), "", ""]
        faulty = int(parts[2]) if parts[1] == "steps" and parts[2].isdecimal() else len(steps)
        if faulty == 0 or len(steps) == 1:
            action.name = "refuse" if problem else "wait"
        action.steps = faulty if faulty < len(steps) else (len(steps) + 1) // 2
    return action


def has_form(kind: str, media: str, body: Any, operations: int, list_id: str) -> bool:
    if kind == "stream":
        return media == "text/event-stream"
    if not isinstance(body, dict) or not isinstance(body.get("version"), int):
        return False
    if kind == "read":
        return body.get("id") == list_id
    return kind == "write" or (isinstance(body.get("results"), list) and len(body["results"]) == operations)


def row(status: int | None, problem: dict | None) -> str:
    if problem is None or status is None:
        return "foreign 413" if status == 413 else "later"
    if status in (401, 403, 410):
        return f"ours {status}"
    if (status, problem["code"]) == (404, "list_not_found"):
        return "ours, no list"
    if status in (400, 413, 422):
        return "ours, the body"
    is_later = status in (408, 425, 429) or problem["code"] == "request_in_progress"
    return "later" if is_later or not 400 <= status < 500 else "ours, other"
