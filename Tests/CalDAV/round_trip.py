"""todoman and vdirsyncer, which keep a list in files: a list is made on the server, reordered, edited in the files, and synchronized back.
And cadaver, an interactive client of WebDAV."""

import os
import re
import shutil
import subprocess

import judges
import worlds
from ical import Todo
from ledger import Ledger

TITLES = [f"{title} #{number}" for number, title in enumerate(("Milk", "Eggs, brown; six", "Tea \U0001f9c0", "Bread"), 1)]
VDIRSYNCER = """
[general]
status_path = "{folder}/status"

[pair lists]
a = "files"
b = "server"
collections = [["groceries", "groceries", "groceries"]]
conflict_resolution = "b wins"

[storage files]
type = "filesystem"
path = "{folder}/files"
fileext = ".ics"

[storage server]
type = "caldav"
url = "{url}/dav/"
username = "anna"
password = "{token}"
item_types = ["VTODO"]
"""
TODOMAN = """
path = "{folder}/files/*"
date_format = "%Y-%m-%d"
time_format = "%H:%M"
default_list = "groceries"
cache_path = "{folder}/cache.sqlite3"
"""


class Files:
    """A person's folder, with both programs."""

    def __init__(self, site, programs, folder):
        self.folder, self.programs = folder, programs
        folder.mkdir()
        (folder / "files").mkdir()
        values = {"folder": folder, "url": site.url, "token": site.token}
        (folder / "vdirsyncer.conf").write_text(VDIRSYNCER.format(**values))
        (folder / "todoman.py").write_text(TODOMAN.format(**values))
        self.run("vdirsyncer", "-c", folder / "vdirsyncer.conf", "discover", input="y\n" * 9)

    def run(self, program, *arguments, input=""):
        variables = {**os.environ, "HOME": str(self.folder), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        command = [self.programs / program, *arguments]
        result = subprocess.run(command, input=input, capture_output=True, text=True, env=variables)
        assert result.returncode == 0, f"{program} {arguments}: {result.stdout}{result.stderr}"
        return result.stdout

    def sync(self):
        said = self.run("vdirsyncer", "-v", "WARNING", "-c", self.folder / "vdirsyncer.conf", "sync")
        assert "error" not in said.lower() and "warning" not in said.lower(), said

    def todo(self, *arguments):
        return self.run("todo", "--config", self.folder / "todoman.py", *arguments)

    def id_of(self, title):
        found = re.search(rf"^\[.\] (\d+) .*{re.escape(title)}", self.todo("list", "--status", "ANY"), re.MULTILINE)
        assert found, self.todo("list", "--status", "ANY")
        return found[1]

    def titles(self):
        """In the order of the keys, as clients would show them."""
        todos = [Todo(path.read_bytes().decode().replace("\r\n", "\n").replace("\n", "\r\n")) for path in (self.folder / "files").glob("*/*.ics")]
        return [todo.title for todo in sorted(todos, key=lambda todo: todo.rank)]


def todoman(site, programs):
    _, page = site.make("groceries", TITLES)
    one, two = (Files(site, programs, site.folder / name) for name in ("one", "two"))
    one.sync()
    assert one.titles() == TITLES, one.titles()
    rows = page.rows()
    page.move(rows[3], before=rows[0].id)
    one.sync()
    order = [TITLES[3], *TITLES[:3]]
    assert one.titles() == order, one.titles()
    one.todo("done", one.id_of("Milk #1"))
    one.todo("edit", one.id_of("Eggs, brown; six #2"), "--priority", "high")
    one.todo("new", "-l", "groceries", "Cheese #5")
    one.sync()
    shown = [(row.title, row.done) for row in page.rows()]
    wanted = [(TITLES[3], False), (TITLES[0], True), (TITLES[1], False), (TITLES[2], False), ("Cheese #5", False)]
    assert shown == wanted, shown
    two.sync()
    assert two.titles() == [title for title, _ in wanted], two.titles()
    two.todo("delete", "--yes", two.id_of("Tea"))
    two.sync()
    one.sync()
    assert one.titles() == [title for title, _ in wanted if "Tea" not in title], one.titles()
    # Nothing more to do: a second synchronization changes nothing on the server.
    version = page.ask("GET", "/lists/groceries")["version"]
    one.sync()
    two.sync()
    assert page.ask("GET", "/lists/groceries")["version"] == version
    print("todoman and vdirsyncer: 2 folders show the list as the server does", flush=True)


def cadaver(site, programs):
    program = shutil.which("cadaver")
    assert program, "cadaver is missing: run scripts/setup --checks"
    make, page = site.make("errands", ["Bank #1", "Post #2"])
    home = site.folder / "cadaver"
    home.mkdir()
    (home / ".netrc").write_text(f"machine 127.0.0.1\nlogin anna\npassword {site.token}\n")
    (home / ".netrc").chmod(0o600)
    name = sorted(make(Ledger()).etags())[0].rsplit("/", 1)[1]
    local = home / "local.ics"
    new = home / "new.ics"
    uid = "cadaver-made"
    new.write_text(
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//judge//EN\r\nBEGIN:VTODO\r\nUID:{uid}\r\nDTSTAMP:20260101T000000Z\r\n"
        "SUMMARY:Library #3\r\nEND:VTODO\r\nEND:VCALENDAR\r\n", newline="")
    lines = [
        "ls", f"get {name} {local}", f"put {new} {uid}.ics", f"copy {uid}.ics copied.ics", f"move {uid}.ics moved.ics", "propget moved.ics",
        "delete moved.ics", "mkcol made", "set color red", "propget . color", "quit",
    ]
    text = "\n".join(lines) + "\n"
    variables = {**os.environ, "HOME": str(home)}
    result = subprocess.run([program, f"{site.url}{worlds.HOME}errands/"], input=text, capture_output=True, text=True, env=variables)
    said = result.stdout + result.stderr
    for part in ("Listing collection", "Downloading", "Uploading", "Moving", "Deleting"):
        line = next((line for line in said.splitlines() if part in line), f"no {part}")
        assert "failed" not in line and not line.startswith("no "), said
    assert "BEGIN:VTODO" in local.read_text(), said
    print(f"cadaver: lists, reads, writes, moves, deletes: {sorted(row.title for row in page.rows())}", flush=True)


def run(program, seed, is_long):
    programs = judges.make()
    with worlds.running(program) as site:
        todoman(site, programs)
        cadaver(site, programs)


