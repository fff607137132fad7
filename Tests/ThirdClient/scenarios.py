"""The client in the scenarios of Tests/Fixtures/sync.json: see its README for what happens in them."""

import json

from list_client import Client

LIST = "l"


class Memory:
    """A disk of the client, which survives a restart."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    def read(self, name: str, default):
        return json.loads(self.files[name]) if name in self.files else default

    def write(self, name: str, value) -> None:
        self.files[name] = json.dumps(value)


def name_of(op: dict) -> str:
    """The name of an operation's step."""
    return op["opId"].partition(".")[0]


def then(client: Client) -> dict:
    """What the person sees now, and the requests that the client sends now."""
    found: dict = {}
    if client.shown and client.state != "gone":
        found["shown"] = client.shown.outline
    found["waits"] = [name_of(step["ops"][0]) for step in client.waiting]
    if client.next_read():
        found["reads"] = True
    if steps := client.next_batch():
        found["sends"] = [name_of(step[0]) for step in steps]
    if client.refusals:
        found["refused"] = [[name_of(refusal), refusal["code"]] for refusal in client.refusals]
    if client.state:
        found["state"] = client.state
    return found


def play(script: list[dict]) -> list[dict]:
    """What a new client does after each element of a script."""
    disk = Memory()
    client = Client(disk, LIST)
    client.next_read()
    found = []
    for item in script:
        if "do" in item:
            client.do(item["step"])
        elif "to" in item:
            answered(client, "read" if item["to"] == "read" else "step", item["answer"])
        elif "event" in item:
            client.event(item["event"], item["data"])
        elif "pause" in item or "token" in item:
            client.end_pauses()
        elif "seen" in item:
            client.see(f"{item['seen']}.0")
        elif "discard" in item:
            client.discard_waiting()
        else:
            assert item["restart"], item
            client = Client(disk, LIST)
        found.append(then(client))
    return found


def answered(client: Client, kind: str, answer: dict | None) -> None:
    status, headers, body = (answer or {"status": None, "headers": {}, "body": ""}).values()
    if kind == "read" and isinstance(body, dict) and "version" in body:
        body = {"id": LIST, **body}  # short documents have none
    client.answered(kind, status, headers, body if isinstance(body, str) else json.dumps(body))


def text_of(scenarios: list[dict]) -> str:
    """The content of the file."""

    def text(value) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    lines = []
    for one in scenarios:
        items = ",\n".join(map(text, one["script"]))
        lines.append(f'{{"name":{json.dumps(one["name"])},"script":[\n{items}\n]}}')
    return "[\n" + ",\n".join(lines) + "\n]\n"
