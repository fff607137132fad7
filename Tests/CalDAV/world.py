"""One list, a web page, and devices of several clients that reorder it. Each step is judged, and so is the end.

The verdicts are about the order that people saw:

- After a device has sent its changes, the tasks that it sent and those that nobody else changed stand in the order of the device's keys, so
  as its user saw them after the drag. All others keep their order among themselves.
- What it sent has its title, its mark and its parent.
- When all have synchronized, each device shows the list as the page does.
- No task is doubled, lost or back after its deletion.
"""

from device import number_of
from ical import Todo
from ledger import Ledger

from clients import MODELS

TITLES = ("Milk", "Eggs, brown; six", "Back\\slash", "Tea \U0001f9c0", "\u65e5\u672c\u8a9e", "A long title that needs a fold because it has so many words in it")
DEEPEST = 3


class Fault(AssertionError):
    pass


class World:
    def __init__(self, page, collection_of, chance, name, tasks=12):
        """`page` shows and changes the list by the API, None on a server without it. `collection_of` makes a device's collection."""
        self.page, self.chance, self.name = page, chance, name
        self.ledger = Ledger()
        self.steps = []
        self.last_number = 0
        self.alive, self.dead = set(), set()
        self.counts = dict.fromkeys(("drags", "page drags", "pairs judged", "neighbours judged", "sent", "refused", "changed by page drags"), 0)
        self.reader = collection_of(self.ledger)
        self.devices = [
            model(f"{model.__name__}-{number}", collection_of(self.ledger), chance, by_token=(number + index) % 2 == 0)
            for index, model in enumerate(MODELS) for number in range(2)
        ]
        for _ in range(tasks):
            page.add(self.new_title())
        self.look()

    def look(self):
        """Reads what the page shows, and the entity tags."""
        self.tags, self.rows = self.reader.etags(), self.page.rows()

    def new_title(self):
        self.last_number += 1
        self.alive.add(self.last_number)
        return self.title_of(self.last_number)

    def title_of(self, number):
        return f"{self.chance.choice(TITLES)} #{number}"

    def say(self, text):
        self.steps.append(text)

    # One step

    def step(self):
        """Something that a person does. Returns whether it was a drag."""
        if self.chance.random() < 0.2:
            is_drag = self.use_page()
            self.look()
            return is_drag
        device = self.chance.choice(self.devices)
        if self.chance.random() < 0.05:
            device.is_online = not device.is_online
            self.say(f"{device.name} is {'online' if device.is_online else 'offline'}")
        if device.is_online and self.chance.random() < 0.8:
            self.judged(device, "synchronizes", device.sync)
        items = device.below(None)
        kind = self.chance.choices(("drag", "add", "complete", "rename", "remove"), (70, 8, 8, 8, 4))[0]
        if kind == "add" or not items:
            parent = self.chance.choice(items) if items and self.chance.random() < 0.3 else None
            if len(items) > 30 or (parent is not None and self.depth(device, parent) >= DEEPEST):
                return False
            title = self.new_title()
            self.judged(device, f"adds {title} below {parent and parent.number}", lambda: device.add(title, parent and parent.uid))
            return False
        item = self.chance.choice(items)
        if kind == "complete":
            self.judged(device, f"completes #{item.number}: {not item.done}", lambda: device.complete(item))
        elif kind == "rename":
            title = self.title_of(item.number)
            self.judged(device, f"renames #{item.number}: {title}", lambda: device.rename(item, title))
        elif kind == "remove":
            below = device.below(item.uid)
            if len(items) < 6 or len(below) > 3:
                return False
            self.bury(one.number for one in (item, *below))
            self.judged(device, f"removes #{item.number}", lambda: device.remove(item))
        else:
            return self.drag(device, item, items)
        return False

    def depth(self, device, item):
        known, depth = device.by_uid, 0
        while (above := device.parent_of(item, known)) is not None:
            item, depth = known[above], depth + 1
        return depth

    def drag(self, device, item, items):
        if not device.sorts:
            return False
        known = device.by_uid
        parent = device.parent_of(item, known)
        if self.chance.random() < 0.2:
            below = {one.uid for one in device.below(item.uid)} | {item.uid}
            hosts = [one for one in items if one.uid not in below and self.depth(device, one) + self.height(device, item) < DEEPEST]
            parent = self.chance.choice([None, *(one.uid for one in hosts)])
        count = sum(1 for one in device.children(parent) if one is not item)
        index = self.chance.choice((0, count, self.chance.randint(0, count), self.chance.randint(0, count)))
        if count == 0 and parent == device.parent_of(item, known):
            return False
        self.counts["drags"] += 1
        above = known[parent].number if parent else None
        self.judged(device, f"drags #{item.number} to {index} below {above}", lambda: device.drag(item, parent, index))
        return True

    def height(self, device, item):
        return max((1 + self.height(device, child) for child in device.children(item.uid)), default=0)

    def bury(self, numbers):
        for number in numbers:
            self.alive.discard(number)
            self.dead.add(number)

    # The page

    def use_page(self):
        rows = self.rows
        kind = self.chance.choices(("drag", "add", "complete", "rename", "remove"), (70, 8, 8, 8, 4))[0]
        if kind == "add" or len(rows) < 3:
            if len(rows) < 30:
                title = self.new_title()
                self.say(f"page adds {title}")
                self.page.add(title)
            return False
        row = self.chance.choice(rows)
        if kind == "complete":
            self.say(f"page completes #{row.number}: {not row.done}")
            self.page.change(row, done=not row.done)
        elif kind == "rename":
            title = self.title_of(row.number)
            self.say(f"page renames #{row.number}: {title}")
            self.page.change(row, title=title)
        elif kind == "remove":
            below = self.rows_below(rows, row)
            if len(below) > 3 or len(rows) < 6:
                return False
            self.say(f"page removes #{row.number}")
            self.bury(one.number for one in (row, *below))
            self.page.remove(row)
        else:
            below = {one.number for one in self.rows_below(rows, row)} | {row.number}
            others = [one for one in rows if one.number not in below]
            if not others:
                return False
            target, side = self.chance.choice(others), self.chance.choice(("before", "after"))
            deep = self.row_depth(rows, target) + max(self.row_depth(rows, one) for one in rows if one.number in below) - self.row_depth(rows, row)
            if deep > DEEPEST:
                return False
            self.say(f"page drags #{row.number} {side} #{target.number}")
            old = self.tags
            self.page.move(row, **{side: target.id})
            self.look()
            self.counts["drags"] += 1
            self.counts["page drags"] += 1
            self.counts["changed by page drags"] += sum(old.get(href) != tag for href, tag in self.tags.items())
            found = [one.number for one in self.rows if one.parent == target.parent]
            place = found.index(row.number) - found.index(target.number)
            if place != (1 if side == "after" else -1):
                raise Fault(f"the page moved #{row.number} {side} #{target.number}, but the order is {found}")
            return True
        return False

    def rows_below(self, rows, row):
        children = [one for one in rows if one.parent == row.number]
        return [found for child in children for found in (child, *self.rows_below(rows, child))]

    def row_depth(self, rows, row):
        parents = {one.number: one.parent for one in rows}
        depth, number = 0, row.number
        while (number := parents.get(number)) is not None:
            depth += 1
        return depth

    # The verdicts of a step

    def judged(self, device, what, act):
        """Does something with a device, and compares the list before and after."""
        self.say(f"{device.name} {what}")
        tags, before = self.tags, self.rows
        removes = len(device.gone) > 0 or "removes" in what
        places = dict(self.ledger.places)
        pushed = act()
        if pushed or removes:
            self.look()
        after = self.rows
        for said in pushed:
            self.say(f"    put #{said.item.number} key {said.values[3]} parent {said.values[2]}: {said.status}")
        self.counts["sent"] += len(pushed)
        self.counts["refused"] += sum(not said.is_accepted for said in pushed)
        if self.ledger.faults:
            raise Fault("\n".join(self.ledger.faults))
        self.judge_tasks(device, after)
        self.judge_others(before, after, {said.item.number for said in pushed})
        kept = self.kept(device, pushed, before, places)
        self.judge_sent(device, [said for said in pushed if said.item.number not in kept], after)
        self.judge_order(device, pushed, tags, before, after, kept)
        device.drops = {uid: drop for uid, drop in device.drops.items() if any(one.uid == uid and one.is_dirty for one in device.items.values())}

    def kept(self, device, pushed, before, places):
        """The tasks whose place a server may keep: a client that overwrites without a condition sends another title or mark, with a place
        that the task had before. It may have missed a move."""
        rows = {row.number: row for row in before}
        found = set()
        for said in pushed:
            title, done, parent, key = said.values
            row, had = rows.get(said.item.number), places.get(said.item.href, ())
            is_other = row is not None and (row.title, row.done) != (title, done)
            if is_other and device.condition(said.item)[0] is None and (("key", key) in had or ("parent", parent) in had):
                found.add(said.item.number)
        return found

    def judge_tasks(self, device, rows):
        numbers = [row.number for row in rows]
        if len(numbers) != len(set(numbers)):
            raise Fault(f"doubled: {sorted(number for number in numbers if numbers.count(number) > 1)}")
        waiting = {item.number for one in self.devices for item in one.items.values() if item.is_new}
        # A task that a device deleted without a network, or that another one deletes later, may still be there.
        unsent = {item.number for one in self.devices for item in one.gone}
        back = (set(numbers) & self.dead) - unsent
        if back:
            raise Fault(f"deleted, but there: {back}")
        lost = self.alive - set(numbers) - waiting
        if lost:
            raise Fault(f"lost: {lost}")

    def judge_others(self, before, after, sent):
        """The tasks that were not sent keep their order."""
        old, new = siblings(before), siblings(after)
        for parent, numbers in new.items():
            there = set(numbers) - sent
            former = [number for number in old.get(parent, []) if number in there]
            now = [number for number in numbers if number in set(former)]
            if former != now:
                raise Fault(f"below {parent}, tasks that nobody moved changed their order: {former}, now {now}")

    def judge_sent(self, device, pushed, after):
        rows = {row.number: row for row in after}
        numbers = {uid: item.number for uid, item in device.by_uid.items()}
        last = {said.item.number: said for said in pushed if said.is_accepted}
        for number, said in last.items():
            title, done, parent, _ = said.values
            row = rows.get(number)
            if row is None:
                raise Fault(f"#{number} was accepted, but is missing")
            if (row.title, row.done) != (title, done):
                raise Fault(f"#{number} is {row.title!r}, {row.done}, but {title!r}, {done} was accepted")
            wanted = numbers.get(parent)
            if wanted in rows and row.parent != wanted and not is_below(rows, wanted, number):
                raise Fault(f"#{number} is below {row.parent}, but {wanted} was accepted")

    def judge_order(self, device, pushed, tags, before, after, kept):
        """The accepted tasks, and those that are as the device knows them, stand in the order of the device's keys."""
        sent = {said.item.number for said in pushed if said.is_accepted and said.values[3] is not None} - kept
        if not sent:
            return
        every = {said.item.number for said in pushed}
        # Those whose parent was deleted or appeared meanwhile get another place.
        parents = {row.number: row.parent for row in before}
        every |= {row.number for row in after if row.number in parents and row.parent != parents[row.number]}
        known = {item.number: item for item in device.items.values()}
        same = {
            number for number, item in known.items()
            if number not in every and not item.is_dirty and item.etag is not None and tags.get(item.href) == item.etag
        }
        uids = {item.uid: number for number, item in known.items()}
        for parent, numbers in siblings(after).items():
            judged = [number for number in numbers if number in (sent | same) and number in known and uids.get(known[number].parent) == parent]
            for upper, lower in zip(judged, judged[1:]):
                self.counts["pairs judged"] += 1
                if known[upper].rank > known[lower].rank:
                    keys = [(number, known[number].rank, number in sent) for number in judged]
                    raise Fault(f"below {parent}, #{upper} stands before #{lower}, but {device.name} showed the other order: {keys}")
            self.judge_drops(device, judged, known, sent)

    def judge_drops(self, device, judged, known, sent):
        """A dragged task stands between the two that its user saw above and below it, also if the keys are equal."""
        places = {known[number].uid: place for place, number in enumerate(judged)}
        known_uids = device.by_uid
        for uid, (above, below) in device.drops.items():
            item = known_uids.get(uid)
            if item is None or item.number not in sent or uid not in places:
                continue
            for near, is_above in ((above, True), (below, False)):
                if near is None or near[0] not in places or known_uids[near[0]].rank != near[1]:
                    continue
                other = known_uids[near[0]]
                if (other.rank > item.rank) if is_above else (other.rank < item.rank):
                    continue
                self.counts["neighbours judged"] += 1
                if (places[other.uid] < places[uid]) != is_above:
                    order = [(number, known[number].rank) for number in judged]
                    side = "below" if is_above else "above"
                    raise Fault(f"{device.name} put #{item.number} {side} #{other.number}, but the order is {order}")

    # The end

    def finish(self):
        """All come online and synchronize until nothing changes any more."""
        for device in self.devices:
            device.is_online = True
        for _ in range(4):
            for device in self.devices:
                self.judged(device, "synchronizes at the end", device.sync)

    def ties(self):
        """The siblings whose keys do not ascend strictly, as numbers and as texts: a server may leave equal keys, and those of other lengths,
        until nobody drags any more."""
        texts = [text for _, text in self.reader.read(self.reader.etags()).values()]
        keys = {number_of(Todo(text).title): Todo(text).rank for text in texts}
        found = []
        for numbers in siblings(self.rows).values():
            pairs = [(number, keys[number]) for number in numbers]
            if any(upper[1] >= lower[1] or str(upper[1]) >= str(lower[1]) for upper, lower in zip(pairs, pairs[1:])):
                found.append(pairs)
        return found

    def judge_end(self):
        self.say("the end")
        for _ in range(2):
            for device in self.devices:
                device.sync()
        self.look()
        rows = self.rows
        self.judge_tasks(None, rows)
        wanted = [row.shown for row in rows]
        for device in self.devices:
            if device.outline() != wanted:
                raise Fault(f"{device.name} shows another list than the server:\n{self.difference(device, wanted)}")
        if {row.number for row in rows} != self.alive:
            raise Fault(f"the list has {[row.number for row in rows]}, not {sorted(self.alive)}")
        for href in self.reader.etags():
            self.reader.get(href)
        if self.ledger.faults:
            raise Fault("\n".join(self.ledger.faults))


    def difference(self, device, wanted):
        """The tasks below a parent that the device shows in another way."""
        shown = {number: (parent, done, title) for number, parent, done, title in device.outline()}
        there = {number: (parent, done, title) for number, parent, done, title in wanted}
        lines = [f"#{number}: {shown.get(number)}, not {there.get(number)}" for number in shown | there if shown.get(number) != there.get(number)]
        ranks = {item.number: (item.key, item.created) for item in device.items.values()}
        for parent in {row[1] for row in wanted}:
            mine = [row[0] for row in device.outline() if row[1] == parent]
            others = [row[0] for row in wanted if row[1] == parent]
            if mine != others:
                lines.append(f"below {parent}: {[(number, *ranks[number]) for number in mine]}, not {others}")
        return "\n".join(lines)


def siblings(rows):
    found = {}
    for row in rows:
        found.setdefault(row.parent, []).append(row.number)
    return found


def is_below(rows, number, ancestor):
    while number is not None and number in rows:
        if number == ancestor:
            return True
        number = rows[number].parent
    return False
