"""Clients that read and write one list through a proxy, each from an address of its own, one request after the other, until the
end."""

import collections
import http.client
import json
import threading

from contract_server import ask
from waiting import wait_until

# Enough that nginx gives some of them to each of three servers.
COUNT = 24


class Clients:
    def __init__(self, port, repeats=False):
        """`repeats`: a write is repeated with its key until it is applied."""
        self._address, self._repeats = f"127.0.0.1:{port}", repeats
        self._counts = collections.Counter()
        self._turns = [0] * COUNT
        self._lock = threading.Lock()
        self._is_ending = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(client,)) for client in range(COUNT)]
        self.added = set()
        status, text = ask(self._address, "PUT", "/lists/shared", {"title": "Shared"})
        assert status == 201, text

    def progress(self, turns=3):
        """Waits until each client has completed a number of turns."""
        goals = [turn + turns + 1 for turn in self._turns]
        wait_until(
            lambda: all(turn >= goal for turn, goal in zip(self._turns, goals, strict=True)),
            lambda: f"all clients continue: {self._turns}, {goals}, {self._counts}")

    def take(self):
        """The responses since the last call, by kind and status. Without a response, the status is the failure."""
        with self._lock:
            counts, self._counts = self._counts, collections.Counter()
        return counts

    def check(self, address):
        """Checks that this server has each acknowledged task once, and no other. The clients must have ended."""
        status, text = ask(address, "GET", "/lists/shared")
        ids = [task["id"] for task in json.loads(text)["tasks"]]
        assert status == 200 and len(ids) == len(set(ids)) and set(ids) == self.added, f"{len(ids)} of {len(self.added)}"

    def _work(self, client):
        while not self._is_ending.is_set():
            task = f"{client}.{self._turns[client]}"
            self._ask(client, "read", "GET", "/lists/shared?limit=1")
            write = client, "write", "POST", "/lists/shared/tasks", {"id": task, "title": task}, {"Idempotency-Key": f'"{task}"'}
            is_added = self._ask(*write)
            if self._repeats and not is_added:
                is_added = wait_until(lambda write=write: self._ask(*write), f"{task} is added")
            if is_added:
                self.added.add(task)
            self._turns[client] += 1

    def _ask(self, client, kind, method, path, body=None, fields=None):
        try:
            status, _ = ask(self._address, method, path, body, fields, f"127.0.1.{client + 1}")
        except (OSError, http.client.HTTPException) as fault:
            status = repr(fault)
        with self._lock:
            self._counts[kind, status] += 1
        return status in (200, 201)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._is_ending.set()
        for thread in self._threads:
            thread.join()
