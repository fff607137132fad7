"""What an answer means: the table "Answers" of docs/sync.md."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass
class Action:
    """`name`: `done`, `wait`, `signIn`, `gone`, `readAgain`, `split` or `refuse`."""

    name: str
    # The JSON of the body, if it is of the documented form or a problem document of reorderd.
    body: Any = None
    # The number of steps in the next batch, if the action is `split`.
    steps: int = 0
    retry_after: float = 0


TABLE = {
    "ours 401": dict(read="signIn", write="signIn", step="signIn", stream="signIn"),
    "ours 403": dict(read="signIn", write="refuse", step="signIn", stream="signIn"),
    "ours, no list": dict(read="gone", write="refuse", step="gone", stream="gone"),
    "ours 410": dict(read="readAgain", write="refuse", step="readAgain", stream="readAgain"),
    "ours 4xx, the body": dict(read="wait", write="refuse", step="split", stream="wait"),
    "ours 4xx, other": dict(read="wait", write="refuse", step="wait", stream="wait"),
    "foreign 413": dict(read="wait", write="wait", step="split", stream="wait"),
    "later": dict(read="wait", write="wait", step="wait", stream="wait"),
}


def decide(kind: str, status: int | None, headers: dict, text: str, steps: list[list] = (), list_id: str = "") -> Action:
    """The action after an answer to a request: `read`, `write`, `step` (a batch with these steps) or `stream`."""
    headers = {name.lower(): value for name, value in headers.items()}
    media = headers.get("content-type", "").split(";")[0].strip().lower()
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if status == 200 and has_form(kind, media, body, steps, list_id):
        return Action("done", body)
    problem = body if is_ours(status, media, body) else None
    seconds = headers.get("retry-after", "")
    action = Action(TABLE[row(status, problem)][kind], problem, retry_after=int(seconds) if seconds.isdecimal() else 0)
    if action.name == "split":
        split(action, len(steps))
    return action


def is_ours(status: int | None, media: str, body: Any) -> bool:
    if media != "application/problem+json" or not isinstance(body, dict):
        return False
    return isinstance(body.get("code"), str) and body.get("status") == status and not isinstance(status, bool)


def has_form(kind: str, media: str, body: Any, steps: list[list], list_id: str) -> bool:
    if kind == "stream":
        return media == "text/event-stream"
    if not isinstance(body, dict) or not is_version(body.get("version")) or media == "application/problem+json":
        return False
    if kind == "read":
        return body.get("id") == list_id and isinstance(body.get("tasks"), list)
    if kind == "step":
        results = body.get("results")
        return isinstance(results, list) and len(results) == sum(map(len, steps))
    return True


def is_version(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def row(status: int | None, problem: dict | None) -> str:
    if problem is None:
        return "foreign 413" if status == 413 else "later"
    code = problem["code"]
    if status in (401, 403, 410):
        return f"ours {status}"
    if code == "list_not_found" and status == 404:
        return "ours, no list"
    if status in (400, 413, 422):
        return "ours 4xx, the body"
    if not 400 <= status < 500 or status in (408, 425, 429) or code == "request_in_progress":
        return "later"
    return "ours 4xx, other"


def split(action: Action, count: int) -> None:
    """Sends the steps before the faulty one, or half of them. A step that is alone is refused, or waits if the answer is foreign."""
    parts = str((action.body or {}).get("pointer", "")).split("/")
    faulty = -1
    if len(parts) > 2 and parts[1] == "steps" and parts[2].isdecimal():
        faulty = int(parts[2])
    if faulty == 0 or count == 1:
        action.name = "refuse" if action.body else "wait"
    else:
        action.steps = faulty if 0 < faulty < count else (count + 1) // 2
