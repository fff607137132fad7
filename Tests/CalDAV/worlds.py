"""Starts a server with CalDAV, and makes lists on it."""

import contextlib
import subprocess
import tempfile
from pathlib import Path

import dav
from dav import Collection, Server
from lists import List
from server_process import ServerProcess

HOME = "/dav/calendars/"


class Site:
    """A running server. `url` and `token` are for clients."""

    def __init__(self, url, token, folder=None, program=None):
        self.url, self.token, self.folder, self.program = url, token, folder, program
        self.api = Server(url, token)

    def collection(self, id, ledger, token=None):
        return Collection(self.client(token), f"{HOME}{id}/", ledger)

    def client(self, token=None):
        return Server(self.url, self.token if token is None else token, user="anna")

    def make(self, id, titles=()):
        page = List(self.api, id)
        page.make(titles)
        return lambda ledger: self.collection(id, ledger), page


def new_token(program, file, name, *grants):
    options = [part for one in grants for part in ("--grant", one)]
    command = [program, "token", "new", "--name", name, *options, "--file", file]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@contextlib.contextmanager
def running(program, *options, grants=("admin",), others=()):
    """Yields a site. The server must stop with exit code 0. `others` are names and grants of further tokens, which the site has in
    `tokens`."""
    with tempfile.TemporaryDirectory(prefix="reorderd-caldav-") as folder:
        file = Path(folder, "tokens.jsonl")
        token = new_token(program, file, "judge", *grants)
        tokens = {name: new_token(program, file, name, *given) for name, given in others}
        command = [program, "serve", "--port", "0", "--store", f"file:{folder}/lists.db", "--tokens", file, "--caldav", *options]
        with ServerProcess(command, Path(folder, "log")) as process:
            site = Site(process.url, token, Path(folder), program)
            site.process, site.tokens = process, tokens
            yield site
            process.stop()


__all__ = ["HOME", "Site", "dav", "new_token", "running"]
