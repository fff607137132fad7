"""Several tabs of one browser share one queue: each shows the steps of all, and one of them sends."""

import json
import random

from page_server import eventually
from test_drag import expect
from test_shared import HIDE, Tab
from test_sync import AWAY

DO = """async ([id, name]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connection } = await import(folder + "connection.js");
    const list = connection.list(id);
    return (%s)(list);
}"""


class Queue:
    """Tabs of one browser with the same list, and the requests with steps that they have sent."""

    def __init__(self, server, open_window, list_id, outline, count, script=None):
        server.make(list_id, outline)
        self.server, self.list_id, self.sent = server, list_id, []
        self.window = open_window("demo")
        self.window.expected = (*AWAY, "ERR_FAILED")
        if script:
            self.window.context.add_init_script(script)
        self.window.context.on("request", self._note)
        self.tabs = [Tab(self.window, list_id) for _ in range(count)]

    def _note(self, request):
        if request.url.endswith((f"/lists/{self.list_id}/batch", "/drop")):
            self.sent.append(request)

    def do(self, tab, act):
        """Calls a JavaScript function with the list of a tab."""
        return self.tabs[tab].page.evaluate(DO % act, [self.list_id, ""])

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


def a_closed_tabs_steps_are_sent_by_another_tab(server, open_window):
    queue = Queue(server, open_window, "heir", "a\nb", 2)
    queue.offline()
    queue.add(0, "c")
    queue.do(0, "(list) => list.update('heir-a', { title: 'first' })")
    # The other tab shows the steps, and makes some that depend on them.
    queue.shows("first b c")
    assert queue.do(1, "(list) => list.waiting") == 2
    queue.do(1, "(list) => list.move('heir-c', { before: 'heir-a' })")
    queue.shows("c first b")
    queue.close(0)
    queue.do(0, "(list) => list.update('heir-a', { title: 'second' })")
    server.start()
    queue.ends("c second b")
    queue.tabs[0].page.reload()
    queue.ends("c second b")


def steps_of_three_tabs_are_sent_once_and_in_order(server, open_window):
    queue = Queue(server, open_window, "three", "a", 3)
    queue.offline()
    for number, tab in enumerate([0, 1, 2, 1, 0, 2]):
        queue.add(tab, f"n{number}")
        queue.shows(" ".join(["a", *(f"n{one}" for one in range(number + 1))]))
    # Each title contains who wrote it last.
    for tab in (2, 0, 1):
        queue.do(tab, f"(list) => list.update('three-a', {{ title: 'by{tab}' }})")
        queue.shows(f"by{tab} n0 n1 n2 n3 n4 n5")
    queue.sent.clear()
    answered = []
    queue.window.context.on("response", lambda response: response.request in queue.sent and answered.append(response))
    server.start()
    queue.ends("by1 n0 n1 n2 n3 n4 n5")
    # One tab has sent all steps in one request, and the others have not repeated it.
    assert [response.status for response in answered] == [200], answered
    assert server.send("GET", "/lists/three")["version"] == 10
    # The tabs still work, and each undoes its own steps.
    queue.do(0, "(list) => list.undo()")
    queue.ends("by1 n0 n1 n2 n3 n4 n5")  # refused: another tab has changed the title since
    queue.do(1, "(list) => list.undo()")
    queue.ends("by0 n0 n1 n2 n3 n4 n5")
    queue.do(1, "(list) => list.undo()")
    queue.ends("by0 n0 n1 n2 n4 n5")
    queue.do(2, "(list) => (list.undo(), list.undo())")
    queue.ends("by0 n0 n1 n2 n4")


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


def a_reload_while_another_tab_sends_loses_nothing(server, open_window):
    queue = Queue(server, open_window, "reload", "a", 2)
    held = []
    queue.tabs[0].page.route("**/batch", lambda route: held.append(route))
    queue.add(0, "b")
    eventually(lambda: held, "the request is sent")
    queue.add(1, "c")
    eventually(lambda: queue.window.stored() == 2, "both steps are stored")
    queue.tabs[1].page.reload()
    queue.tabs[1].page.wait_for_selector("main[data-state=live]")
    queue.shows("a b c")
    queue.add(1, "d")
    held.pop().continue_()
    queue.tabs[0].page.unroute("**/batch")
    queue.ends("a b c d")
    # Undo survives the reload, and belongs to its tab.
    queue.do(1, "(list) => (list.undo(), list.undo(), list.undo())")
    queue.ends("a b")
    # The reload of the tab that sends.
    queue.tabs[0].page.route("**/batch", lambda route: held.append(route))
    queue.add(0, "e")
    eventually(lambda: held, "the request is sent")
    queue.add(1, "f")
    queue.tabs[0].page.unroute("**/batch")
    queue.tabs[0].page.reload()
    queue.ends("a b e f")


def a_refusal_is_shown_in_the_tab_that_made_the_step(server, open_window):
    queue = Queue(server, open_window, "refusals", "a\nb", 2)
    queue.window.expected = (*queue.window.expected, "status of 409")
    # Tab 1 has the lock, so it sends the steps of both.
    queue.offline()
    queue.do(0, "(list) => list.delete('refusals-a')")
    queue.shows("b")
    queue.add(1, "c")
    queue.shows("b c")
    for tab in queue.tabs:
        tab.page.route("**/batch", lambda route: route.abort())
    server.start()
    for tab in queue.tabs:
        tab.page.wait_for_selector("main[data-state=live]")
    server.send("PATCH", "/tasks/refusals-a", {"locked": True})
    queue.shows("a b c")
    queue.tabs[1].page.unroute("**/batch")
    expect(server, "refusals", "a !\nb\nc")
    queue.tabs[0].page.unroute("**/batch")
    queue.shows("a b c")
    queue.tabs[0].page.locator(".note", has_text="locked").wait_for()
    eventually(lambda: queue.do(0, "(list) => list.waiting") == 0, "nothing waits")
    # The refused step cannot be undone.
    assert not queue.do(0, "(list) => list.canUndo")
    # A step that tab 0 makes and sends: the other tab takes it back without a note.
    queue.do(1, "(list) => window.refusals = []")
    queue.do(1, "(list) => list.on('refused', (one) => window.refusals.push(one)) && 0")
    held = []
    queue.tabs[0].page.route("**/batch", lambda route: held.append(route))
    queue.do(0, "(list) => list.update('refusals-b', { title: 'bb' })")
    eventually(lambda: held, "the request is sent")
    queue.shows("a bb c")
    server.send("DELETE", "/tasks/refusals-b")
    held.pop().continue_()
    queue.shows("a c")
    queue.tabs[0].page.locator(".note", has_text="deleted").wait_for()
    assert queue.do(1, "(list) => window.refusals") == []


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


# How many tabs hold the lock of a queue, and how many wait for it.
LOCKS = """async () => {
    const { held, pending } = await navigator.locks.query();
    return [held, pending].map((locks) => locks.filter(({ name }) => name.startsWith("queue ")).length);
}"""


def a_suspended_tab_does_not_stop_the_others(server, open_window):
    limits = """{
        const limits = [];
        AbortSignal.timeout = () => { limits.push(new AbortController()); return limits.at(-1).signal; };
        window.reachLimits = () => limits.forEach((one) => one.abort(new DOMException("", "TimeoutError")));
    }"""
    queue = Queue(server, open_window, "frozen", "a", 2, script=limits)
    # It begins a request that never ends.
    queue.tabs[0].page.evaluate("() => { window.fetch = () => new Promise(() => {}); }")
    queue.add(0, "b")
    queue.shows("a b")
    holders = lambda: queue.tabs[1].page.evaluate(LOCKS)
    eventually(lambda: holders() == [1, 1], holders)
    queue.add(1, "c")
    queue.tabs[1].page.evaluate("window.reachLimits()")
    expect(server, "frozen", "a\nb\nc")
    queue.shows("a b c")
    eventually(lambda: holders() == [1, 0], holders)


def tabs_without_locks_send_their_own_steps(server, open_window):
    missing = "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"
    forbidden = "LockManager.prototype.request = async () => { throw new DOMException('', 'SecurityError'); }"
    silent = "window.BroadcastChannel = class { constructor() { throw new DOMException('', 'SecurityError'); } }"
    for name, script in (("own", missing), ("own2", forbidden), ("own3", silent)):
        queue = Queue(server, open_window, name, "a", 2, script=script)
        queue.offline()
        queue.add(0, "b")
        queue.shows("a b", tabs=[0])
        eventually(lambda queue=queue: queue.window.stored() == 1, "the step is stored")
        queue.add(1, "c")
        server.start()
        eventually(lambda name=name: sorted(server.outline(name).split()) == ["a", "b", "c"],
                   lambda name=name: server.outline(name))
        queue.ends(server.outline(name).replace("\n", " "))


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
        waiting = max(queue.do(tab, "(list) => list.waiting") for tab in range(3))
        return waiting == 0 or queue.window.stored() >= waiting

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


def refusals_of_a_proxy_lose_nothing(server, open_window):
    """A proxy with a low limit for bodies gets smaller batches. Its other refusals are no answers of the server."""
    queue = Queue(server, open_window, "proxy", "a", 1)
    queue.window.expected = (*queue.window.expected, "403", "413", "500")
    statuses = iter([403, 500])
    refused = []

    def proxy(route):
        count = len(json.loads(route.request.post_data)["steps"])
        status = next(statuses, 413 if count > 2 else None)
        if not status:
            return route.continue_()
        refused.append(status)
        body = "<html>Too large</html>" if status == 413 else ""
        return route.fulfill(status=status, body=body, content_type="text/html")

    queue.offline()
    for number in range(5):
        queue.add(0, f"n{number}")
    queue.tabs[0].page.route("**/batch", proxy)
    server.start()
    queue.ends("a n0 n1 n2 n3 n4")
    # The next batch after a success is a full one again.
    assert refused == [403, 500, 413, 413, 413], refused


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
