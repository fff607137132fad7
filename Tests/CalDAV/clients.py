"""Models of clients that order by X-APPLE-SORT-ORDER: how each computes keys, sends them and handles conflicts.

Written from the behaviour of Tasks.org (TaskAdapter, CaldavDao, CaldavSynchronizer), Nextcloud Tasks (TaskDragContainer, store/tasks),
Planify (TaskUtils, QuickAddCore, CalDAVClient) and elementary Tasks (ListView). Apple's source is closed: that model changes only the key
of the moved task.
"""

from device import Device
from ical import Todo

STEP = 1000


class TasksOrg(Device):
    """The key after the task above; the following ones that collide are pushed down. Merges by comparing with the last version of the
    server, and then overwrites it without a condition."""

    product = "+//IDN tasks.org//android-150000//EN"

    def place(self, item, parent, index, others):
        former = item.rank if item.parent == parent else None
        if index > 0:
            key = others[index - 1].rank + 1
        elif others:
            key = others[0].rank - 1
        else:
            # The only child is shown by its time of creation.
            item.key = None
            return [item]
        until = former if former is not None and key < former else None
        return [*self.push_down([*others, item] if former is None else others, key, until), self.give(item, key)]

    @staticmethod
    def give(item, key):
        item.key = key
        return item

    def push_down(self, siblings, key, until):
        changed = []
        below = sorted(
            (one for one in siblings if one.rank >= key and (until is None or one.rank < until)), key=lambda one: one.rank)
        for count, one in enumerate(below):
            if one.rank == key + count:
                one.key = one.rank + 1
                changed.append(one)
            elif one.rank > key + count:
                break
        return changed

    def key_of_new(self, item):
        last = max((one.rank for one in self.children(item.parent)), default=None)
        return last + 1 if last is not None and item.created <= last else None

    def changed(self, items):
        for item in items:
            item.is_dirty = True
        return self.sync() if self.is_online else []

    def waiting(self):
        known = self.by_uid
        return sorted((item for item in self.items.values() if item.is_dirty), key=lambda item: (item.parent in known, self.order(item)))

    def condition(self, item):
        return None, False

    def accepted(self, item):
        """The next synchronization reads the task."""

    def merge(self, item, remote):
        if not item.is_dirty or not item.base:
            return remote
        return tuple(theirs if mine == base else mine for mine, base, theirs in zip(item.values, item.base, remote))

    def sync(self):
        self.pull()
        return self.push()


class NextcloudTasks(Device):
    """One less than the task below, else one more than the task above, never below 0. Then each task that does not ascend gets one more
    than the one above it. Sends at once, all together; a conflict discards the own change."""

    queues = False
    product = "-//Nextcloud Tasks v0.17.0"

    def place(self, item, parent, index, others):
        row = [*others[:index], item, *others[index:]]
        before = {one.uid: one.rank for one in row}
        above = row[index - 1].rank if index > 0 else None
        if index + 1 < len(row) and (above is None or row[index + 1].rank - 1 > above):
            item.key = max(0, row[index + 1].rank - 1)
        elif above is not None:
            item.key = max(0, above + 1)
        for upper, lower in zip(row, row[1:]):
            if lower.rank <= upper.rank:
                lower.key = upper.rank + 1
        changed = [one for one in row if one.rank != before[one.uid] or one is item]
        self.chance.shuffle(changed)
        return changed

    def changed(self, items):
        # The requests go out at the same time, so they arrive in any order.
        for item in items:
            item.is_dirty = True
        self.order_of_sending = [item.href for item in items]
        return self.push()

    def waiting(self):
        dirty = [item for item in self.items.values() if item.is_dirty]
        return sorted(dirty, key=lambda item: self.order_of_sending.index(item.href) if item.href in self.order_of_sending else -1)

    order_of_sending = ()


class Planify(Device):
    """The midpoint of the neighbours, 1,000 beyond the first or the last one. Without room, all siblings get 1,000, 2,000 … Writes each
    task from what it knows, and so loses what other clients wrote. Its numbers have 32 bits."""

    queues = False
    product = "-//Planify App (https://github.com/alainm23/planify)"

    def place(self, item, parent, index, others):
        row = [*others[:index], item, *others[index:]]
        above = row[index - 1].rank if index > 0 else None
        below = row[index + 1].rank if index + 1 < len(row) else None
        if above is None and below is None:
            item.key = STEP
        elif above is None:
            item.key = below - STEP
        elif below is None:
            item.key = above + STEP
        else:
            item.key = int((wrapped(above + below)) / 2)
        if above is not None and below is not None and item.key == above:
            # It sends the moved task twice; the server sees the first key before the others change.
            self.first = item.key
            for number, one in enumerate(row):
                one.key = STEP * (number + 1)
            return row
        return [item]

    first = None

    def key_of_new(self, item):
        others = self.children(item.parent)
        if not others:
            return STEP
        return others[0].rank - STEP if self.chance.random() < 0.3 else others[-1].rank + STEP

    def push(self):
        said = []
        if self.first is not None:
            (item,) = [item for item in self.items.values() if item.uid in self.dragged]
            final, item.key, self.first = item.key, self.first, None
            self.send(item)
            if item.href in self.items and item.key != final:
                item.key, item.is_dirty = final, True
        said += super().push()
        return said

    def waiting(self):
        return sorted(super().waiting(), key=self.order)

    def condition(self, item):
        return (None if item.is_new else item.etag), False

    def send(self, item):
        item.todo = self.written(item)
        return super().send(item)

    def written(self, item):
        created = item.todo.get("CREATED")
        todo = Todo(
            f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:{self.product}\nBEGIN:VTODO\r\nUID:{item.uid}\r\nSUMMARY:\r\n"
            f"DESCRIPTION:\r\nSTATUS:NEEDS-ACTION\r\nPRIORITY:0\r\nEND:VTODO\r\nEND:VCALENDAR\n")
        if created is not None:
            todo.put("CREATED", created)
        return todo

    def sync(self):
        said = self.push() if any(item.is_dirty for item in self.items.values()) else []
        self.pull()
        return said


class Reminders(Device):
    """Changes only the moved task. Sends before it reads; in a conflict the server's version wins."""

    product = "-//Apple Inc.//iOS 26.1//EN"

    def place(self, item, parent, index, others):
        above = others[index - 1].rank if index > 0 else None
        below = others[index].rank if index < len(others) else None
        if above is None:
            item.key = item.rank if below is None else below - 1
        elif below is None or self.chance.random() < 0.5:
            item.key = above + 1
        else:
            item.key = max(above + 1, (above + below) // 2)
        return [item]

    def key_of_new(self, item):
        others = self.children(item.parent)
        return others[-1].rank + 1 if others else None


class Elementary(Device):
    """Shows tasks by the text of their keys, and cannot move them. New tasks have no key."""

    sorts = False
    product = "-//Ximian//NONSGML Evolution Calendar//EN"

    def order(self, item):
        return str(item.rank), self.tie(item)


MODELS = (TasksOrg, NextcloudTasks, Planify, Reminders, Elementary)


def wrapped(number):
    """A number of 32 bits, as C computes it."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)
