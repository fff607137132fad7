"""A device with a copy of a list: what all models of clients have in common."""

import hashlib
import re
import time
import uuid
from dataclasses import dataclass, field

from dav import Refused
from ical import Todo

# Lines that a server does not know, but must keep byte for byte.
SPICE = (
    "X-JUDGE-PLAIN:kept as it is\r\n",
    'X-JUDGE-QUOTED;X-PARAM="a;b:c,d";X-OTHER=\u00e9:semicolon\\; comma\\, back\\\\slash\r\n',
    "X-JUDGE-FOLDED:a line with\r\n  folds where nobody else\r\n \t would make them\r\n",
    "x-judge-lower;x-param=1:Names can be in lower case\r\n",
    "DESCRIPTION:Several\\nlines \U0001f9c0 and \u65e5\u672c\u8a9e\r\n",
    "CATEGORIES:house,\r\n garden\r\n",
    "RELATED-TO;RELTYPE=SIBLING:somebody-else\r\n",
    "PRIORITY:5\r\n",
    "DUE;TZID=Europe/Berlin:20301224T180000\r\n",
    "BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nACTION:DISPLAY\r\nDESCRIPTION:reminder\r\nSUMMARY:an alarm's own\r\nEND:VALARM\r\n",
)
_NUMBER = re.compile(r"#(\d+)")


def number_of(title):
    """The number that a title keeps when it is changed: by it the tests know the task everywhere."""
    return int(_NUMBER.search(title)[1])


@dataclass
class Item:
    href: str
    uid: str
    todo: Todo
    etag: str | None = None
    title: str = ""
    done: bool = False
    parent: str | None = None
    key: int | None = None
    created: int = 0
    base: tuple = ()
    """The values of the last synchronization: title, done, parent, key."""
    is_dirty: bool = False
    is_new: bool = False

    @property
    def values(self):
        return self.title, self.done, self.parent, self.key

    @property
    def number(self):
        return number_of(self.title)

    @property
    def rank(self):
        return self.created if self.key is None else self.key

    def write(self):
        """Changes the text, as the values say."""
        self.todo.title = self.title
        if self.todo.done != self.done:
            self.todo.mark(self.done, stamp())
        if self.todo.parent != self.parent:
            self.todo.parent = self.parent
        if self.todo.key != self.key:
            self.todo.key = self.key
        self.todo.put("LAST-MODIFIED", stamp())
        return self.todo.text


def stamp():
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


@dataclass
class Pushed:
    """What a device sent of one task: the refused are those that another one had changed."""

    item: Item
    status: int
    is_accepted: bool
    values: tuple = field(default=())


class Device:
    """The base of the models. `name` decides how it shows tasks with equal keys."""

    queues = True
    """Whether it sends changes later if it is offline. Otherwise it sends them at once, and only reads later."""
    sorts = True
    """Whether its user can drag."""
    product = "-//judge//EN"

    def __init__(self, name, collection, chance, by_token):
        self.name, self.collection, self.chance = name, collection, chance
        self.by_token = by_token
        self.token = None
        self.resets = 0
        self.items = {}
        self.gone = []
        self.is_online = True
        self.dragged = set()
        """The uids that its user has moved since the last push."""
        self.drops = {}
        """Between which siblings its user last saw each of them, until it is judged."""

    # The list as the device shows it

    @property
    def by_uid(self):
        return {item.uid: item for item in self.items.values()}

    def tie(self, item):
        return hashlib.md5(f"{self.name} {item.uid}".encode()).digest()

    def order(self, item):
        return item.rank, self.tie(item)

    def parent_of(self, item, known):
        """The parent that it shows, None for a root. Tasks in a circle are roots."""
        seen, above = {item.uid}, item.parent
        if above not in known:
            return None
        while above in known:
            if above in seen:
                return None
            seen.add(above)
            above = known[above].parent
        return item.parent

    def children(self, parent):
        known = self.by_uid
        return sorted((item for item in self.items.values() if self.parent_of(item, known) == parent), key=self.order)

    def below(self, uid):
        return [found for child in self.children(uid) for found in (child, *self.below(child.uid))]

    def outline(self):
        """All tasks in order: the number, the parent's number, done, the title."""
        known = self.by_uid
        return [
            (item.number, known[parent].number if (parent := self.parent_of(item, known)) else None, item.done, item.title)
            for item in self.below(None)
        ]

    def keys(self):
        return [(item.number, item.key, item.parent) for item in self.below(None)]

    # What the user does

    def new_item(self, title, parent):
        uid = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        spice = "".join(self.chance.sample(SPICE, self.chance.randrange(2, 5)))
        text = (
            f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:{self.product}\r\nBEGIN:VTODO\r\nUID:{uid}\r\nDTSTAMP:{stamp()}\r\n"
            f"CREATED:{stamp()}\r\n{spice}END:VTODO\r\nEND:VCALENDAR\r\n"
        )
        item = Item(f"{self.collection.path}{uid}.ics", uid, Todo(text), None, title, False, parent, None, is_new=True, is_dirty=True)
        item.created = item.todo.created
        return item

    def add(self, title, parent=None):
        item = self.new_item(title, parent)
        item.key = self.key_of_new(item)
        self.items[item.href] = item
        return self.changed([item])

    def key_of_new(self, item):
        return None

    def rename(self, item, title):
        item.title = title
        return self.changed([item])

    def complete(self, item):
        item.done = not item.done
        return self.changed([item])

    def remove(self, item):
        """Deletes a task and all below it, as these clients do."""
        for one in [*reversed(self.below(item.uid)), item]:
            del self.items[one.href]
            if not one.is_new:
                self.gone.append(one)
        return self.changed([])

    def drag(self, item, parent, index):
        """Puts a task before the sibling of this index; the item itself does not count."""
        others = [other for other in self.children(parent) if other is not item]
        former = item.parent, item.rank
        changed = self.place(item, parent, index, others)
        item.parent = parent
        self.dragged |= {item.uid}
        near = [others[at] if 0 <= at < len(others) else None for at in (index - 1, index)]
        # The neighbours and their keys of that moment: a key that another one changed says something else.
        self.drops = {uid: [one if one is None or one[0] != item.uid else None for one in drop] for uid, drop in self.drops.items()}
        # Without another key, as beside a sibling with the same one, the server cannot see a drag.
        is_visible = (item.parent, item.rank) != former
        self.drops[item.uid] = [(one.uid, one.rank) if one and is_visible else None for one in near]
        return self.changed(changed)

    def place(self, item, parent, index, others):
        """Gives the task a key. Returns the tasks that changed, in the order in which the client sends them."""
        raise NotImplementedError

    def changed(self, items):
        for item in items:
            item.is_dirty = True
        return self.push() if self.is_online or not self.queues else []

    # Synchronization

    def pull(self):
        if self.by_token and self.token:
            try:
                new, tags = self.collection.changes(self.token)
            except Refused as refusal:
                if b"valid-sync-token" not in refusal.response.body:
                    raise
                self.resets += 1
                new, tags = self.collection.changes("")
                tags |= self.missing(tags)
        elif self.by_token:
            new, tags = self.collection.changes("")
            tags |= self.missing(tags)
        else:
            new, _ = self.collection.tags()
            if new == self.token:
                return
            tags = self.collection.etags()
            tags |= self.missing(tags)
        known = {item.href: item.etag for item in self.items.values()}
        wanted = [href for href, tag in tags.items() if tag is not None and known.get(href) != tag]
        waiting = {item.href for item in self.gone}
        for href, (etag, text) in self.collection.read(href for href in wanted if href not in waiting).items():
            self.take(href, etag, text)
        for href, tag in tags.items():
            if tag is None and href in self.items and not self.items[href].is_new:
                del self.items[href]
        self.token = new

    def missing(self, tags):
        """Its tasks that a complete answer does not have."""
        return {item.href: None for item in self.items.values() if not item.is_new and item.href not in tags}

    def take(self, href, etag, text):
        """Accepts the server's version of a task."""
        todo = Todo(text)
        found = self.items.get(href)
        if found is None:
            found = self.items[href] = Item(href, todo.get("UID"), todo)
        remote = (todo.title, todo.done, todo.parent, todo.key)
        mine = self.merge(found, remote)
        found.title, found.done, found.parent, found.key = mine
        found.todo, found.etag, found.base = todo, etag, remote
        found.created = todo.created
        found.is_new = False
        found.is_dirty = mine != remote

    def merge(self, item, remote):
        """The values of a task that changed on the server, and perhaps here. Without a rule, the server's."""
        return remote

    def waiting(self):
        """The changed tasks, in the order in which the client sends them."""
        return [item for item in self.items.values() if item.is_dirty]

    def push(self):
        """Sends what changed. Returns what the server said."""
        said = []
        while self.gone:
            self.collection.delete(self.gone[0].href)
            del self.gone[0]
        for item in self.waiting():
            said.append(self.send(item))
        self.dragged.clear()
        return said

    def send(self, item):
        values = item.values
        response = self.collection.put(item.href, item.write(), *self.condition(item))
        accepted = response.status in (200, 201, 204)
        if accepted:
            item.etag, item.base, item.is_new = response.etag, values, False
            item.is_dirty = False
            self.accepted(item)
        else:
            self.refused(item, response)
        return Pushed(item, response.status, accepted, values)

    def condition(self, item):
        return item.etag, item.is_new

    def accepted(self, item):
        """Without an entity tag in the response, the server has changed the text, so it is fetched."""
        if item.etag is None:
            self.fetch(item)

    def refused(self, item, response):
        """The server's version wins, and the change is lost."""
        self.fetch(item)

    def fetch(self, item):
        found = self.collection.get(item.href)
        if found is None:
            self.items.pop(item.href, None)
        else:
            item.is_dirty = False
            self.take(item.href, *found)

    def sync(self):
        """Both directions. Returns what the server said to the changes."""
        said = self.push()
        self.pull()
        return said
