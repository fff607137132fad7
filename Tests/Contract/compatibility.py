"""What the last release promised holds: openapi.json keeps everything of released.json, as "Compatibility" in the contract says.

scripts/release writes released.json, the contract of the last release. Another major version may break it. The comparison itself is tested
with changes of the contract (`compatibility_cases.py`).
"""

import json
from pathlib import Path

import compatibility_cases
import environment

RELEASED = Path(__file__).with_name("released.json")
METHODS = ("get", "put", "post", "patch", "delete")
# The contract says that clients must expect further values here: error codes, and results of operations that the client sent itself.
OPEN = {"ProblemCode", "FailedResult"}
# Bounds, by the direction in which they become tighter.
UPPER = ("maximum", "maxLength", "maxItems", "maxProperties")
LOWER = ("minimum", "minLength", "minItems", "minProperties")
# Rules on combinations of members, which only requests have.
RULES = ("if", "then", "else", "not", "dependentSchemas")


def run(program, seed, is_long):
    old = json.loads(RELEASED.read_text())
    new = json.loads((environment.ROOT / "openapi.json").read_text())
    compatibility_cases.check(faults, new)
    versions = [document["info"]["version"] for document in (old, new)]
    if versions[0].split(".")[0] != versions[1].split(".")[0]:
        print(f"{versions[1]} may break what {versions[0]} promised")
        return
    found = faults(old, new)
    assert not found, f"openapi.json breaks what {versions[0]} promised:\n" + "\n".join(found)
    print(f"openapi.json keeps all {sum(1 for _ in operations(old))} operations of {versions[0]}")


def faults(old, new):
    """What a client that was written for `old` can miss in `new`, one text for each fault."""
    return Comparison(old, new).run()


def operations(document):
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield f"{method} {path}", item[method], item.get("parameters", [])


class Comparison:
    def __init__(self, old, new):
        self.old, self.new = old, new
        self.faults = []
        self.seen = set()

    def run(self):
        there = {name: (operation, shared) for name, operation, shared in operations(self.new)}
        for name, operation, shared in operations(self.old):
            if name in there:
                self.operation(name, operation, shared, *there[name])
            else:
                self.fault(name, "the operation is missing")
        # Schemas of events and of requests to webhooks' receivers: no operation refers to them.
        for name in self.old["components"]["schemas"]:
            reference = {"$ref": f"#/components/schemas/{name}"}
            if not any((reference["$ref"], is_request) in self.seen for is_request in (True, False)):
                self.schema(name, reference, reference, False)
        return self.faults

    def fault(self, place, what):
        self.faults.append(f"{place}: {what}")

    def keeps(self, place, what, old, new):
        """The names of `old` that `new` has too. The others are faults."""
        for name in old:
            if name in new:
                yield name
            else:
                self.fault(place, f"{what} {name} is missing")

    @staticmethod
    def resolve(document, value):
        """The value with its reference followed; members beside the reference count too."""
        while value is not None and "$ref" in value:
            target = document
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target.get(part, {})
            value = target | {name: member for name, member in value.items() if name != "$ref"}
        return value

    def both(self, old, new):
        return self.resolve(self.old, old), self.resolve(self.new, new)

    def operation(self, name, old, old_shared, new, new_shared):
        for member in ("operationId", "security"):
            if old.get(member) != new.get(member):
                self.fault(name, f"{member} is {new.get(member)}, not {old.get(member)}")
        self.parameters(name, self.named(self.old, old, old_shared), self.named(self.new, new, new_shared))
        self.body(name, *self.both(old.get("requestBody"), new.get("requestBody")))
        responses = old["responses"], new["responses"]
        for status in self.keeps(name, "response", *responses):
            self.response(f"{name} {status}", *self.both(responses[0][status], responses[1][status]))

    def named(self, document, operation, shared):
        values = [self.resolve(document, value) for value in [*shared, *operation.get("parameters", [])]]
        return {f"{value['in']} {value['name']}": value for value in values}

    def parameters(self, name, old, new):
        for key in self.keeps(name, "parameter", old, new):
            self.schema(f"{name} {key}", old[key].get("schema"), new[key].get("schema"), True)
        for key, value in new.items():
            if value.get("required") and not old.get(key, {}).get("required"):
                self.fault(name, f"parameter {key} is newly required")

    def body(self, name, old, new):
        if not (old or {}).get("required") and (new or {}).get("required"):
            self.fault(name, "a body is newly required")
        if old:
            self.content(f"{name} body", old, new or {}, True)

    def response(self, place, old, new):
        headers = old.get("headers", {}), new.get("headers", {})
        for header in self.keeps(place, "header", *headers):
            pair = self.both(headers[0][header], headers[1][header])
            self.schema(f"{place} {header}", pair[0].get("schema"), pair[1].get("schema"), False)
        for _ in self.keeps(place, "code", old.get("x-codes", []), new.get("x-codes", [])):
            pass
        self.content(place, old, new, False)

    def content(self, place, old, new, is_request):
        old, new = old.get("content", {}), new.get("content", {})
        for media in self.keeps(place, "type", old, new):
            self.schema(f"{place} {media}", old[media].get("schema"), new[media].get("schema"), is_request)

    def schema(self, place, old, new, is_request):
        """Requests may become wider, responses may get members."""
        if old is None or new is None:
            if old != new:
                self.fault(place, "the schema is missing" if new is None else "there was no schema")
            return
        reference = old.get("$ref")
        if reference:
            place = reference.rpartition("/")[2]
            # The new reference too: an answer can get another schema.
            pair = (reference, new.get("$ref"), is_request)
            if pair in self.seen:
                return
            self.seen |= {pair, (reference, is_request)}
        old, new = self.both(old, new)
        self.alternatives(place, reference, old, new, is_request)
        self.values(place, old, new, is_request)
        self.bounds(place, old, new, is_request)
        self.members(place, old, new, is_request)
        if "items" in old:
            self.schema(f"{place}[]", old["items"], new.get("items"), is_request)
        if is_request:
            for rule in [*RULES, *(name for name in ("oneOf", "anyOf") if self.is_rule(old.get(name) or new.get(name)))]:
                self.rule(place, rule, old, new)

    @staticmethod
    def is_rule(alternatives):
        """Whether they only say which members belong together."""
        return bool(alternatives) and all(set(each) == {"required"} for each in alternatives)

    def alternatives(self, place, reference, old, new, is_request):
        def split(schema, own):
            found = schema.get("oneOf") or schema.get("anyOf")
            if not found or self.is_rule(found):
                return {own: None}
            return {each.get("$ref") or json.dumps(each, sort_keys=True): each for each in found}

        before, after = split(old, reference), split(new, reference)
        if list(before.values()) == list(after.values()) == [None]:
            return
        for key in self.keeps(place, "alternative", before, after):
            if before[key] and after[key]:
                self.schema(f"{place}: {key}", before[key], after[key], is_request)

    def values(self, place, old, new, is_request):
        kinds = [self.kinds(schema) for schema in (old, new)]
        if kinds[0] != kinds[1] and not (is_request and (not kinds[1] or kinds[0] and kinds[0] <= kinds[1])):
            self.fault(place, f"the type is {sorted(kinds[1])}, not {sorted(kinds[0])}")
        for name in ("format", "pattern", "default", "uniqueItems"):
            before, after = old.get(name), new.get(name)
            if before == after or after is None and is_request and name != "default" or before is None and name == "default":
                continue
            if before is not None or is_request:
                self.fault(place, f"{name} is {after}, not {before}")
        before, after = ([schema["const"]] if "const" in schema else schema.get("enum") for schema in (old, new))
        if before and after:
            for _ in self.keeps(place, "value", before, after):
                pass
        is_open = place.split(".")[0] in OPEN
        more = [value for value in after or [] if value not in (before or [])]
        if after and not before and is_request or before and not is_request and not is_open and (more or not after):
            self.fault(place, f"the values are {after}, not {before}")

    @staticmethod
    def kinds(schema):
        kinds = schema.get("type", [])
        return {kinds} if isinstance(kinds, str) else set(kinds)

    def bounds(self, place, old, new, is_request):
        for names, sign in ((UPPER, 1), (LOWER, -1)):
            for name in names:
                # The larger, the wider.
                before, after = (sign * schema[name] if name in schema else float("inf") for schema in (old, new))
                if after < before if is_request else after > before:
                    self.fault(place, f"{name} is {new.get(name)}, not {old.get(name)}")

    def members(self, place, old, new, is_request):
        members = old.get("properties", {}), new.get("properties", {})
        for name in self.keeps(place, "member", *members):
            self.schema(f"{place}.{name}", members[0][name], members[1][name], is_request)
        required = old.get("required", []), new.get("required", [])
        for name in set(required[1]) - set(required[0]) if is_request else set(required[0]) - set(required[1]):
            self.fault(place, f"member {name} is {'newly' if is_request else 'no longer'} required")
        others = old.get("additionalProperties", True), new.get("additionalProperties", True)
        if isinstance(others[0], dict) and isinstance(others[1], dict):
            self.schema(f"{place}.*", *others, is_request)
        elif others[0] != others[1] and (isinstance(others[0], dict) or is_request and others[1] is not True):
            self.fault(place, f"other members are {others[1]}, not {others[0]}")

    def rule(self, place, name, old, new):
        known = set(old.get("properties", {}))
        before, after = (self.plain(*each, known) for each in ((self.old, old.get(name)), (self.new, new.get(name))))
        if name == "dependentSchemas":
            after = {member: rule for member, rule in (after or {}).items() if member in known}
        if after and before != after:
            self.fault(place, f"the rule {name} is {json.dumps(after)}, not {json.dumps(before)}")

    def plain(self, document, rule, known):
        """The rule without references, descriptions, and what it says only about members that are not `known`."""
        if isinstance(rule, list):
            return [self.plain(document, each, known) for each in rule if not self.is_about_others(each, known)]
        if not isinstance(rule, dict):
            return rule
        rule = self.resolve(document, rule)
        return {name: self.plain(document, each, known) for name, each in rule.items() if name != "description"}

    @staticmethod
    def is_about_others(rule, known):
        return isinstance(rule, dict) and set(rule) == {"required"} and not known.issuperset(rule["required"])
