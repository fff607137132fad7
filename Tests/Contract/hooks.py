"""Gives Schemathesis the ids that exist.

Without this, almost every request would name a list or a task that does not exist, and return 404. Before each request
outside the stateful phase, the lists of SCENE exist, and most ids in the request are replaced by ids of these lists. The
stateful phase keeps its ids, because they come from earlier responses, by the links in openapi.yaml.

Schemathesis also does not know which conditions are true, and how the parts of a document fit together. Most conditions and
documents are corrected in all phases.
"""

import hashlib
import itertools
import json
import re
from urllib.parse import quote

import requests
import schemathesis

SCENE = {
    "groceries": {
        "title": "Groceries",
        "sections": [{"id": "market", "title": "Market"}, {"id": "home", "title": "Home"}],
        "tasks": [
            {"id": "milk", "title": "Milk"},
            {"id": "fruit", "title": "Fruit", "section": "market"},
            {"id": "apples", "title": "Apples", "parent": "fruit"},
            {"id": "pears", "title": "Pears", "parent": "fruit"},
            {"id": "bread", "title": "Bread", "section": "market"},
        ],
    },
    "dinner": {
        "title": "Dinner",
        "moves": "siblings",
        "elementsOffset": 1,
        "tasks": [{"id": "starter", "title": "Starter"}, {"id": "pudding", "title": "Pudding"}],
    },
}
TASKS = [task["id"] for document in SCENE.values() for task in document["tasks"]]
KNOWN = {
    "task": TASKS,
    "after": TASKS,
    "before": TASKS,
    "parent": TASKS,
    "subtask": TASKS + ["0"],
    "section": ["market", "home"],
    "list": list(SCENE),
    "toList": list(SCENE),
}
# The requests whose body is a list's document.
DOCUMENTS = ("POST /lists", "PUT /lists/{list}")
UNDO = "POST /lists/{list}/undo"
session = requests.Session()
scene = {"has changed": True}
numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    if str(case.query.get("wait", "")).isdecimal() and 1 < int(case.query["wait"]) <= 60:
        # No change happens while the request waits.
        case.query["wait"] = choice(case.query["wait"], 2)
    with_new_keys(case)
    if case.meta is None:
        return
    if case.method != "GET":
        case.headers = with_conditions_that_hold(case)
    if isinstance(case.body, dict) and case.operation.label in DOCUMENTS:
        case.body = coherent(case.body)
    if case.meta.phase.name.value != "stateful":
        use_the_scene(case)
    elif case.operation.label == UNDO:
        # The lists of this phase are new and have few changes.
        use_version(case, 1 + choice(str(case.body), 4))


@schemathesis.serializer("application/x-ndjson")
def list_in_lines(context, value):
    """A list in lines, which a schema cannot describe: a text becomes the title of a list. Examples are lists already."""
    if not isinstance(value, str):
        return json.dumps([value]).encode()
    return (value if value.startswith('{"title"') else json.dumps({"title": value[:1000]})).encode()


def use_the_scene(case):
    base_url = case.operation.base_url.rstrip("/")
    if scene["has changed"]:
        set_the_scene(base_url)
    for name, value in case.path_parameters.items():
        if re.fullmatch("[A-Za-z0-9._~-]{1,64}", value) and value not in KNOWN.get(name, [value]):
            case.path_parameters[name] = known(name, value)
    if not isinstance(case.body, dict):
        return
    label, id = case.operation.label, case.body.get("id")
    if label == "POST /lists" and fits(id) and id not in SCENE:
        session.delete(f"{base_url}/lists/{quote(id, safe='')}")
    if label not in DOCUMENTS:
        case.body = with_known_ids(case.body)
    if label == UNDO and choice(case.body, 4):
        use_version(case, scene["change"])
    if label.startswith("PUT ") and fits(id) and choice(case.body, 8):
        case.body["id"] = next(iter(case.path_parameters.values()))


@schemathesis.hook
def after_call(context, case, response):
    if case.method not in ("GET", "HEAD", "OPTIONS") and response.status_code < 300:
        scene["has changed"] = True


def set_the_scene(base_url):
    """Reverts the changes of earlier requests to the lists of SCENE."""
    for id, document in SCENE.items():
        answer = put(base_url, id, document)
        if answer.status_code == 409:
            for task in document["tasks"]:
                free(base_url, id, task["id"])
            answer = put(base_url, id, document)
        answer.raise_for_status()
    begin_a_drag(base_url)
    # A change that can be undone.
    answer = session.patch(f"{base_url}/tasks/bread", json={"done": True})
    answer.raise_for_status()
    scene["change"] = answer.json()["version"]
    scene["has changed"] = False


def begin_a_drag(base_url):
    """Starts a drag, because the previous drag may have ended. Cancels the previous drag first, because the number of drags
    is limited."""
    for drag in KNOWN.get("drag", []):
        session.delete(f"{base_url}/drags/{drag}")
    answer = session.post(f"{base_url}/lists/groceries/drags", json={"task": "milk"})
    answer.raise_for_status()
    KNOWN["drag"] = [answer.json()["drag"]]


def use_version(case, version):
    """Replaces a version that fits the schema."""
    given = case.body.get("version") if isinstance(case.body, dict) else None
    if type(given) is int and 0 < given < 2**63:
        case.body["version"] = version


def put(base_url, id, document):
    url = f"{base_url}/lists/{id}"
    answer = session.put(url, json=document, headers={"If-Match": "*"})
    if answer.status_code == 412:
        answer = session.put(url, json=document, headers={"If-None-Match": "*"})
    return answer


def free(base_url, list, task):
    """Deletes the list that holds the task, if it is another one."""
    answer = session.get(f"{base_url}/tasks/{task}")
    holder = answer.headers.get("Link", "").partition(">")[0].removeprefix("<")
    if holder and holder != f"/lists/{list}":
        session.delete(base_url + holder)


def with_new_keys(case):
    """Replaces valid keys and ids of operations by new ones, because those of another request would be refused."""
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r'"[!#-\[\]-~]{1,255}"|[!#-\[\]-~]{1,255}', key):
        case.headers["Idempotency-Key"] = f"key-{next(numbers)}"
    ops = case.body.get("ops") if isinstance(case.body, dict) else None
    if is_array_of_objects(ops):
        case.body = {**case.body, "ops": [with_new_id(op) for op in ops]}


def with_new_id(op):
    id = op.get("opId")
    if isinstance(id, str) and re.fullmatch("[A-Za-z0-9._~-]{1,64}", id):
        return {**op, "opId": f"op-{next(numbers)}"}
    return op


def with_conditions_that_hold(case):
    """The header fields, mostly without the example values of conditions, which are false for all lists of the scene."""
    headers = dict(case.headers)
    if choice([case.formatted_path, str(case.body)], 8):
        if headers.get("If-Match") in ('"1-0123456789ab"', "*"):
            headers["If-Match"] = "*"
            if case.operation.label == "POST /lists":
                del headers["If-Match"]
        if headers.get("If-None-Match") == "*":
            del headers["If-None-Match"]
    return headers


def coherent(document):
    """A list's document. In most cases its tasks are in sections of the document, and below tasks that come before them."""
    sections, tasks = document.get("sections", []), document.get("tasks", [])
    if not is_array_of_objects(sections) or not is_array_of_objects(tasks) or not choice(document, 8):
        return document
    names = [section["id"] for section in sections if fits(section.get("id"))]
    above, changed = [], []
    for task in tasks:
        task = dict(task)
        parent, section = task.get("parent"), task.get("section")
        if fits(parent) and parent not in above:
            task["parent"] = above[choice(task, len(above))] if above else None
        if task.get("parent") is not None:
            task.pop("section", None)
        elif fits(section) and section not in names:
            task["section"] = names[choice(task, len(names))] if names else None
        if fits(task.get("id")):
            above.append(task["id"])
        changed.append(task)
    return {**document, "tasks": changed} if "tasks" in document else document


def is_array_of_objects(value):
    return isinstance(value, list) and all(isinstance(element, dict) for element in value)


def with_known_ids(value):
    """The body, with most of its valid ids replaced by ids of the scene."""
    if isinstance(value, list):
        return [with_known_ids(element) for element in value]
    if not isinstance(value, dict):
        return value
    named = {}
    for name, member in value.items():
        if name in KNOWN and fits(member):
            named[name] = known(name, member)
        elif name == "tasks" and isinstance(member, list) and member and all(map(fits, member)):
            unique = len(set(member)) == len(member) <= len(TASKS)
            named[name] = TASKS[: len(member)] if unique and choice(member, 4) else member
        else:
            named[name] = with_known_ids(member)
    return named


def fits(value):
    return isinstance(value, str) and len(value) <= 64 and "\0" not in value


def known(name, value):
    number = choice([name, value], 4 * len(KNOWN[name]))
    return KNOWN[name][number // 4] if number % 4 else value


def choice(value, limit):
    """A number below the limit that depends only on the value, so that a seed always gives the same requests."""
    digest = hashlib.sha256(json.dumps(value).encode()).digest()
    return int.from_bytes(digest[:8], "big") % limit
