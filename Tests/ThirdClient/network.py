"""The client with a network, as a command. It reads pages of changes, not the stream.

network.py FOLDER URL LIST do '[{"op": "create", "id": "milk", "title": "Milk"}]'   what a person does; needs no network
network.py FOLDER URL LIST sync                                                     sends and reads until nothing is left
network.py FOLDER URL LIST show                                                     what the person sees
network.py FOLDER URL LIST discard                                                  discards what waits

Environment variables: TOKEN; FIRST_PAUSE_SECONDS, for tests. The last line of the output is JSON.
"""

import http.client
import json
import os
import random
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

from answers import decide
from list_client import Client, Disk

FIRST_PAUSE_SECONDS = float(os.environ.get("FIRST_PAUSE_SECONDS", "0.5"))
LONGEST_PAUSE_SECONDS = 60.0
LONGEST_RETRY_AFTER = 3_600.0


class Network:
    def __init__(self, client: Client, url: str):
        self.client, self.url = client, urlsplit(url)
        self.path = f"{self.url.path.rstrip('/')}/lists/{quote(client.list_id, safe='')}"
        self.failures = 0

    def request(self, method: str, path: str, body=None) -> tuple[int | None, dict, str]:
        headers = {"Content-Type": "application/json", "Prefer": "return=minimal"} if body else {}
        if "TOKEN" in os.environ:
            headers["Authorization"] = f"Bearer {os.environ['TOKEN']}"
        kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self.url.netloc, timeout=60)
        try:
            connection.request(method, self.path + path, json.dumps(body) if body else None, headers)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read().decode(errors="replace")
        except (OSError, http.client.HTTPException):
            return None, {}, ""
        finally:
            connection.close()

    def sync(self) -> None:
        """Sends and reads until nothing is left, or the person must decide."""
        is_behind = True
        while self.client.state is None:
            if self.client.next_read():
                self.hear("read", *self.request("GET", ""))
            elif steps := self.client.next_batch():
                self.hear("step", *self.request("POST", "/batch", {"steps": steps}))
                is_behind = True
            elif is_behind:
                is_behind = self.read_changes()
            else:
                return

    def read_changes(self) -> bool:
        """Reads the changes after base. Returns whether there can be more of them."""
        since = f"{self.client.version}-{self.client.epoch}"
        status, headers, text = self.request("GET", f"/changes?since={since}")
        if decide("write", status, headers, text).name != "done":
            self.hear("read", status, headers, text)
            return True
        page = json.loads(text)
        for change in page["changes"]:
            self.client.event("change", change)
        return page["more"]

    def hear(self, kind: str, status: int | None, headers: dict, text: str) -> None:
        action = self.client.answered(kind, status, headers, text)
        if self.client.paused and self.client.state is None:
            most = min(FIRST_PAUSE_SECONDS * 2**self.failures, LONGEST_PAUSE_SECONDS)
            time.sleep(max(random.uniform(most / 2, most), min(action.retry_after, LONGEST_RETRY_AFTER)))
            self.client.end_pauses()
        self.failures = 0 if action.name == "done" else self.failures + 1


def main(folder: str, url: str, list_id: str, action: str, *steps: str) -> None:
    client = Client(Disk(Path(folder)), list_id)
    if action == "sync":
        Network(client, url).sync()
    elif action == "discard":
        client.discard_waiting()
    for step in steps:
        client.do(json.loads(step))
    shown = client.shown.outline if client.shown and client.state != "gone" else None
    refused = [refusal["code"] for refusal in client.refusals]
    print(json.dumps({"shown": shown, "waits": len(client.waiting), "refused": refused, "state": client.state}))


if __name__ == "__main__":
    main(*sys.argv[1:])
