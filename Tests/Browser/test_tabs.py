"""Several tabs of one browser share one queue: each shows the steps of all, and one of them sends."""

import random

from page_server import eventually
from test_drag import expect
from test_shared import HIDE, Tab
from test_sync import AWAY

DO = """async (id) => {
    const { connection } = await import(document.querySelector("script[src]").src);
    const list = connection.list(id);
    return (%s)(list);
}"""


class Queue:
    """Tabs of one browser with the same list, and the requests with steps that they have sent."""

    def __init__(self, server, open_window, list_id, outline, count):
        server.make(list_id, outline)
        self.server, self.list_id, self.sent = server, list_id, []
        self.window = open_window("demo")
        self.window.expected = (*AWAY, "ERR_FAILED")
        self.window.context.on("request", self._note)
        self.tabs = [Tab(self.window, list_id) for _ in range(count)]

    def _note(self, request):
        if request.url.endswith((f"/lists/{self.list_id}/batch", "/drop")):
            self.sent.append(request)

    def do(self, tab, act):
        """Calls a JavaScript function with the list of a tab."""
        return self.tabs[tab].page.evaluate(DO % act, self.list_id)

    def add(self, tab, title):
        self.do(tab, f"(list) => list.create({{ id: '{self.list_id}-{title}', title: '{title}' }})")

    def titles(self, tab):
        return self.do(tab, "(list) => list.rows.map(({ title }) => title).join(' ')")

    def shows(self, titles, tabs=None):
        for tab in range(len(self.tabs)) if tabs is None else tabs:
            eventually(lambda tab=tab: self.titles(tab) == titles, lambda tab=tab: f"{titles}\nbut {self.titles(tab)}")

    def offline(self):
        self.server.stop()
        for tab in self.tabs:
            tab.page.wait_for_selector("main[data-state=offline]")

    def close(self, tab):
        self.tabs.pop(tab).page.close()

    def ends(self, titles):
        """Waits until the server and all tabs have these tasks, and no step is stored or waits."""
        expect(self.server, self.list_id, titles.replace(" ", "\n"))
        self.shows(titles)
        for tab in range(len(self.tabs)):
            eventually(lambda tab=tab: self.do(tab, "(list) => list.waiting === 0 && !list.isFailing"), "nothing waits")
        eventually(lambda: self.window.stored() == 0, "no step is stored")


def the_tab_that_sends_is_closed(server, open_window):
    for name, is_applied in (("unsent", False), ("unheard", True)):
        queue = Queue(server, open_window, name, "a", 3)
        held = []

        def hold(route, *, is_applied=is_applied, held=held):
            held.append(route.fetch() if is_applied else route)

        queue.tabs[0].page.route("**/batch", hold)
        queue.add(0, "b")
        eventually(lambda held=held: held, "the request is sent")
        queue.add(0, "c")
        queue.shows("a b c")
        # Another tab adds a step, and waits for its turn.
        queue.add(1, "d")
        queue.shows("a b c d")
        assert len(queue.sent) == 1, queue.sent
        assert server.outline(name) == ("a\nb" if is_applied else "a"), server.outline(name)
        queue.close(0)
        queue.ends("a b c d")
        assert len(queue.sent) == 2, queue.sent


def a_hidden_tab_reads_the_queue_when_it_is_shown(server, open_window):
    queue = Queue(server, open_window, "hidden", "a", 2)
    queue.offline()
    queue.tabs[1].page.evaluate(HIDE, True)
    queue.add(0, "b")
    queue.shows("a b", tabs=[0])
    eventually(lambda: queue.window.stored() == 1, "the step is stored")
    assert queue.titles(1) == "a"
    queue.close(0)
    queue.tabs[0].page.evaluate(HIDE, False)
    queue.shows("a b")
    server.start()
    queue.ends("a b")


RANDOM = """(list) => {
    const ids = [...list.tree.tasks.keys()];
    const [one, other] = [ids[NUMBER % ids.length], ids[(NUMBER >> 8) % ids.length]];
    if (KIND === "create") list.create({ id: TITLE, title: TITLE }, { after: other });
    if (KIND === "move") list.move(one, { after: other });
    if (KIND === "nest") list.move(one, { parent: other });
    if (KIND === "update") list.update(one, { title: TITLE });
}"""


def tabs_that_come_and_go_lose_and_repeat_nothing(server, open_window):
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    queue = Queue(server, open_window, "come-go", "a\nb\nc", 3)
    queue.window.expected = (*queue.window.expected, "status of 409", "status of 404")
    is_calm, made, number = False, set(), 0

    def fails(route):
        kind = 1 if is_calm else chance.random()
        try:
            if kind < 0.3:
                route.fetch()
            if kind < 0.5:
                route.abort()
            else:
                route.continue_()
        except Exception:
            pass  # the tab was closed, or the server was stopped

    def all_stored():
        waiting = {step for tab in range(3) for step in queue.do(tab, "(list) => list.waitingSteps.map(({ id }) => id)")}
        return not waiting or waiting <= queue.window.stored_steps()

    queue.window.context.route("**/batch", fails)
    for turn in range(12):
        for _ in range(4):
            number += 1
            title = f"n{seed}-{number}"
            kind = chance.choice(["create", "create", "move", "nest", "update"])
            act = RANDOM.replace("NUMBER", str(chance.randrange(1 << 16)))
            queue.do(chance.randrange(3), act.replace("KIND", f"'{kind}'").replace("TITLE", f"'{title}'"))
            if kind == "create":
                made.add(title)
        # A step is shown by the others, or at least stored, before its tab goes.
        eventually(all_stored, f"all steps are stored, with seed {seed}")
        event = ["close", "reload", "server", "nothing"][turn % 4]
        tab = chance.randrange(3)
        if event == "close":
            queue.close(tab)
            queue.tabs.append(Tab(queue.window, "come-go"))
        if event == "reload":
            queue.tabs[tab].page.reload()
            queue.tabs[tab].page.wait_for_selector("main[data-state=live]")
        if event == "server":
            server.process.kill()
            server.start()
    is_calm = True
    copy = """(list) => {
        const walk = (node) => node.children.flatMap((task) =>
            [[task.id, task.title, task.parent.isSection ? null : task.parent.id], ...walk(task)]);
        return { waiting: list.waiting, tasks: walk(list.tree.unsectioned) };
    }"""
    copies = lambda: [queue.do(tab, copy) for tab in range(3)]

    def all_equal():
        document = server.send("GET", "/lists/come-go")
        wanted = [[task[name] for name in ("id", "title", "parent")] for task in document["tasks"]]
        return all(one == {"waiting": 0, "tasks": wanted} for one in copies())

    eventually(all_equal, lambda: f"seed {seed}: {copies()}\n{server.outline('come-go')}")
    left = made - {task["id"] for task in server.send("GET", "/lists/come-go")["tasks"]}
    assert not left, f"seed {seed}: {left} are lost"
    eventually(lambda: queue.window.stored() == 0, "no step is stored")


def steps_made_while_another_tab_sends_keep_their_order(server, open_window):
    """The tab that sends was hidden when the first step was announced, and shown before the second one."""
    queue = Queue(server, open_window, "between", "a", 2)
    held = []
    # Only the first request is held.
    queue.tabs[0].page.route("**/batch", lambda route: route.continue_() if held else held.append(route))
    queue.add(0, "b")
    eventually(lambda: held, "the request is sent")
    queue.tabs[0].page.evaluate(HIDE, True)
    queue.add(1, "c")
    eventually(lambda: queue.window.stored() == 2, "the step is stored")
    queue.tabs[0].page.evaluate(HIDE, False)
    queue.do(1, "(list) => list.update('between-c', { title: 'late' })")
    eventually(lambda: queue.window.stored() == 3, "both steps are stored")
    held[0].continue_()
    queue.ends("a b late")
