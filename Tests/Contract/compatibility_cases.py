"""Tests of `compatibility.py`: changes of the contract, and what it says about each."""

import json

SCHEMAS = "components", "schemas"
MOVE = "paths", "/lists/{list}/move", "post"
TASK_MOVE = *SCHEMAS, "TaskMove"
TASK = *SCHEMAS, "Task"


def at(document, *path):
    for part in path:
        document = document[part]
    return document


def without(*path):
    """A change that removes what is at the path; from an array, the value."""

    def change(document):
        where = at(document, *path[:-1])
        where.remove(path[-1]) if isinstance(where, list) else where.pop(path[-1])

    return change


def with_(value, *path):
    """A change that sets what is at the path; with "+" at the end, the value is added to an array."""

    def change(document):
        where = at(document, *path[:-1])
        where.append(value) if path[-1] == "+" else where.update({path[-1]: value})

    return change


REF = "#/components/schemas/"
NEW = {"type": "string"}
# Removals, with what is reported. In the other direction, each is an addition, which is allowed.
REMOVALS = [
    (without(*MOVE), "post /lists/{list}/move: the operation is missing"),
    (without("paths", "/bin"), "get /bin: the operation is missing"),
    (without(*MOVE, "responses", "409"), "post /lists/{list}/move: response 409 is missing"),
    (without("paths", "/lists", "post", "requestBody", "content", "application/x-ndjson"), "type application/x-ndjson is missing"),
    (without("paths", "/lists", "get", "parameters", {"$ref": "#/components/parameters/Cursor"}), "query cursor is missing"),
    (without("components", "responses", "ListCreated", "headers", "Location"), "header Location is missing"),
    (without("components", "responses", "ListRefused", "x-codes", "id_taken"), "code id_taken is missing"),
    (without(*TASK_MOVE, "properties", "after"), "TaskMove: member after is missing"),
    (without(*SCHEMAS, "MoveRequest", "oneOf", {"$ref": REF + "RowMove"}), f"MoveRequest: alternative {REF}RowMove is missing"),
    (without(*SCHEMAS, "SectionDeleteOp", "properties", "tasks", "enum", "keep"), "SectionDeleteOp.tasks: value keep is missing"),
    (without(*SCHEMAS, "Problem", "properties", "line"), "Problem: member line is missing"),
    (without(*SCHEMAS, "DragEvent", "properties", "reason"), "DragEvent: member reason is missing"),
    (without(*SCHEMAS, "ProblemCode", "enum", "cycle"), "ProblemCode: value cycle is missing"),
    (with_(["task", "after"], *TASK_MOVE, "required"), "TaskMove: member after is newly required"),
    (with_(2, *SCHEMAS, "TaskPatch", "minProperties"), "TaskPatch: minProperties is 2, not None"),
    (with_(10, *SCHEMAS, "BatchRequest", "properties", "ops", "maxItems"), "BatchRequest.ops: maxItems is 10, not 1000"),
    (without(*TASK, "required", "title"), "Task: member title is no longer required"),
]
# Faults in both directions.
CHANGES = [
    (with_("string", *TASK, "properties", "depth", "type"), "Task.depth: the type is ['string'], not ['integer']"),
    (with_("integer", *SCHEMAS, "TaskPatch", "properties", "done", "type"), "TaskPatch.done: the type is ['integer'], not ['boolean']"),
    (with_("move2", *MOVE, "operationId"), "post /lists/{list}/move: operationId is move2"),
    (with_("upside-down", *SCHEMAS, "PlacedBy", "enum", "+"), "PlacedBy: the values are"),
    (with_(False, *SCHEMAS, "BatchRequest", "properties", "atomic", "default"), "BatchRequest.atomic: default is False, not True"),
]
# Additions that ask more of a client than before: a rule of requests, a parameter.
DEMANDS = [
    (with_({"required": ["task"]}, *SCHEMAS, "OnlyToRow", "not", "anyOf", "+"), ": the rule dependentSchemas is"),
    (with_({"in": "query", "name": "n", "required": True, "schema": NEW}, "paths", "/bin", "get", "parameters", "+"),
     "get /bin: parameter query n is newly required"),
]


def with_a_new_destination(document):
    """A new member that excludes another one, as rows exclude neighbors."""
    at(document, *TASK_MOVE, "properties")["beside"] = NEW
    at(document, *SCHEMAS, "OnlyToRow", "not", "anyOf").append({"required": ["beside"]})
    at(document, *TASK_MOVE, "dependentSchemas")["beside"] = {"not": {"required": ["after"]}}


def check(faults, contract):
    """Calls `faults` with the contract before and after each change."""

    text = json.dumps(contract)

    def changed(change):
        document = json.loads(text)
        change(document)
        assert document != contract
        return document

    def check_one(old, new, expected):
        found = faults(old, new)
        assert bool(found) == bool(expected) and all(expected in fault for fault in found), (expected, found)

    check_one(contract, changed(with_a_new_destination), "")
    for change, expected in REMOVALS:
        check_one(contract, changed(change), expected)
        check_one(changed(change), contract, "")
    for change, expected in CHANGES:
        check_one(contract, changed(change), expected)
        assert faults(changed(change), contract), expected
    for change, expected in DEMANDS:
        check_one(contract, changed(change), expected)
    print(f"the comparison finds {len(REMOVALS) + len(CHANGES) + len(DEMANDS)} faults, and allows {len(REMOVALS) + 1} additions")
