"""Two windows, and a server that becomes unreachable and returns."""

import re

from page_server import eventually
from test_drag import expect

MOVE = re.compile("/(batch|drop)$")
AWAY = ("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET")


def two_windows_show_each_others_changes(server, open_window):
    server.make("two", "a\nb\n# Home\nc")
    one, other = open_window("two"), open_window("two")
    one.drag("two-a", over="two-b")
    other.shows("b", "a", "# Home", "c")
    other.page.locator('[data-task="two-c"] .tick').click()
    one.page.wait_for_selector('[data-task="two-c"].done')
    server.send("POST", "/lists/two/sections", {"id": "new", "title": "New"})
    server.send("PATCH", "/lists/two", {"title": "Both"})
    for window in (one, other):
        window.shows("b", "a", "# Home", "c", "# New")
        eventually(lambda window=window: window.page.locator("h1[data-part=title]").text_content() == "Both",
                   "the title is announced")
    expect(server, "two", "b\na\n# Home\nc x\n# new")


def concurrent_changes_in_two_windows_end_in_the_servers_order(server, open_window):
    names = [f"t{number}" for number in range(8)]
    server.make("race", "\n".join(names))
    one, other = open_window("race"), open_window("race")
    for number in range(4):
        one.focus(f"race-t{number}")
        other.focus(f"race-t{7 - number}")
        one.press("Space", "ArrowDown", "ArrowDown", "ArrowDown", "Space")
        other.press("Space", "ArrowUp", "ArrowUp", "Space")
    for window in (one, other):
        window.still()
        eventually(lambda window=window: window.titles() == server.outline("race").splitlines(),
                   lambda: server.outline("race"))
    assert sorted(server.outline("race").splitlines()) == names


def rows_do_not_jump_back_after_a_drop(server, open_window):
    server.make("calm", "a\nb\nc\nd")
    window = open_window("calm")
    window.page.evaluate("""() => {
        window.tops = [];
        const row = document.querySelector('[data-task="calm-a"]');
        const note = () => {
            const shown = document.querySelector('[data-task="calm-a"]');
            const top = shown?.style.transform;
            if (top && window.tops.at(-1) !== top) window.tops.push(top);
            requestAnimationFrame(note);
        };
        note();
    }""")
    # The response is delayed, and changes of others arrive before it.
    window.page.route(MOVE, lambda route: (
        server.send("PATCH", "/tasks/calm-d", {"title": "dd"}), route.continue_()))
    window.drag("calm-a", over="calm-c")
    window.shows("b", "c", "a", "dd")
    expect(server, "calm", "b\nc\na\ndd")
    tops = window.page.evaluate("window.tops")
    assert len(tops) == 2, tops


def a_restarted_server_receives_the_steps_made_meanwhile(server, open_window):
    server.make("away", "a\nb\nc")
    window, other = open_window("away"), open_window("away")
    for one in (window, other):
        one.expected = (*one.expected, *AWAY)
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    window.press("Escape")
    window.focus("away-a")
    window.press("Space", "ArrowDown", "ArrowDown", "Space")
    window.page.locator("[data-part=edit]").click()
    window.page.locator("[data-part=newTitle]").fill("new")
    window.press("Enter")
    window.row("away-b").locator(".tick").click()
    eventually(lambda: "3 waiting" in window.page.locator("[data-part=state]").text_content(),
               "it says that three steps wait")
    eventually(lambda: window.titles() == ["b", "c", "a", "new"], lambda: window.titles())
    server.start()
    expect(server, "away", "b x\nc\na\nnew")
    for one in (window, other):
        one.page.wait_for_selector("main[data-state=live]")
        one.shows("b", "c", "a", "new")


def pending_steps_survive_the_window(server, open_window):
    server.make("kept", "a\nb\nc")
    window = open_window("kept")
    # The drag of the step can have ended by then, or the request of the closed page is still in progress.
    window.expected = (*window.expected, *AWAY, "ERR_FAILED", "status of 404", "status of 409")
    window.page.route(MOVE, lambda route: route.abort())
    window.focus("kept-a")
    window.press("Space", "ArrowDown", "Space")
    eventually(lambda: window.titles() == ["b", "a", "c"], "it is shown at once")
    eventually(lambda: window.page.evaluate("document.querySelector('main').dataset.waiting") == "1", "it waits")
    eventually(lambda: window.stored() == 1, "it is kept")
    window.page.unroute(MOVE)
    window.reload()
    expect(server, "kept", "b\na\nc")
    window.shows("b", "a", "c")


def pending_steps_are_sent_when_another_list_is_shown(server, open_window):
    server.make("waiting", "a\nb\nc")
    server.make("right", "x\ny")
    window = open_window("waiting")
    window.expected = (*window.expected, *AWAY)
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    window.says("can’t be reached")
    window.focus("waiting-a")
    window.press("Space", "ArrowDown", "Space")
    window.row("waiting-c").locator(".tick").click()
    window.row("waiting-a").locator(".tick").click()
    window.press("Control+z")
    window.until("document.querySelector('.note').textContent.startsWith('Undone.')")
    window.page.evaluate("location.hash = 'right'")
    server.start()
    expect(server, "waiting", "b\na\nc x")
    window.shows("x", "y")


def a_window_with_another_list_sends_the_pending_steps(server, open_window):
    server.make("shut", "a\nb\nc")
    window = open_window("shut")
    window.expected = (*window.expected, *AWAY, "ERR_FAILED", "status of 404", "status of 409")
    window.page.route(MOVE, lambda route: route.abort())
    window.focus("shut-a")
    window.press("Space", "ArrowDown", "Space")
    eventually(lambda: window.stored() == 1, "it is kept")
    window.page.goto("about:blank")
    assert server.outline("shut") == "a\nb\nc"
    # From now on, also a request of the closed page may arrive.
    window.page.unroute(MOVE)
    window.page.goto(f"{server.url}/#demo")
    expect(server, "shut", "b\na\nc")
    eventually(lambda: window.stored() == 0, "no step is kept")


def a_pending_step_of_another_list_is_refused_once(server, open_window):
    server.make("refusing", "a\nb\nc")
    window = open_window("refusing")
    window.expected = (*window.expected, "ERR_FAILED", "status of 404")
    window.page.route(MOVE, lambda route: route.abort())
    window.focus("refusing-a")
    window.press("Delete")
    eventually(lambda: window.stored() == 1, "it is kept")
    window.page.goto("about:blank")
    window.page.unroute(MOVE)
    server.send("PATCH", "/tasks/refusing-a", {"locked": True})
    sent = []
    window.page.on("request", lambda request: MOVE.search(request.url) and sent.append(request.url))
    window.page.goto(f"{server.url}/#demo")
    window.note.get_by_text("locked").wait_for()
    eventually(lambda: window.stored() == 0, "no step is kept")
    assert len(sent) == 1, sent
    # Another step of the same list is sent alone.
    window.open("refusing")
    window.row("refusing-b").locator(".tick").click()
    expect(server, "refusing", "a !\nb x\nc")
    window.still()
    assert len(sent) == 2, sent


def an_undone_step_that_another_window_sends_too_stays_undone(server, open_window):
    server.make("adopted", "a\nb")
    window = open_window("adopted")
    window.expected = (*window.expected, *AWAY)
    window.page.route(MOVE, lambda route: route.abort())
    window.expected = (*window.expected, "ERR_FAILED")
    window.row("adopted-b").locator(".tick").click()
    window.focus("adopted-a")
    window.press("Space", "ArrowDown", "Space")
    window.until("document.querySelector('main').dataset.waiting === '2'")
    eventually(lambda: window.stored() == 2, "two steps are kept")
    other = window.context.new_page()
    other.goto(f"{server.url}/#demo")
    expect(server, "adopted", "b x\na")
    window.press("Control+z")
    window.page.unroute(MOVE)
    expect(server, "adopted", "a\nb x")
    window.shows("a", "b")


def a_refused_step_of_a_batch_leaves_the_others(server, open_window):
    server.make("mixed", "a\nb\nc")
    window = open_window("mixed")
    window.expected = (*window.expected, "ERR_FAILED", "status of 404", "status of 409")
    window.page.route(MOVE, lambda route: route.abort())
    window.row("mixed-c").locator(".tick").click()
    window.focus("mixed-a")
    window.press("Space", "ArrowDown", "Space")
    window.row("mixed-b").locator(".tick").click()
    eventually(lambda: window.titles() == ["b", "a", "c"], window.titles)
    # With this change the pending move is no longer possible.
    server.send("PATCH", "/tasks/mixed-a", {"locked": True})
    eventually(lambda: window.titles() == ["a", "b", "c"], window.titles)
    window.page.unroute(MOVE)
    expect(server, "mixed", "a !\nb x\nc x")
    window.note.get_by_text("locked").wait_for()
    window.shows("a", "b", "c")
    # The refused step cannot be undone; the other two can.
    window.press("Control+z", "Control+z")
    expect(server, "mixed", "a !\nb\nc")
    window.still()
    assert window.page.locator("[data-part=undo]").is_disabled()


def an_undo_under_a_deleted_parent_is_refused_as_an_undo(server, open_window):
    """Once by the client, which knows of the deletion, and once by the server, because the client was offline."""
    gone = "That can’t be undone any more."
    server.make("orphan", "p\n  a\n  b\nq\n  c")
    window = open_window("orphan")
    window.expected = (*window.expected, *AWAY, "ERR_FAILED", "status of 409")
    window.focus("orphan-a")
    window.press("Delete")
    expect(server, "orphan", "p\n  b\nq\n  c")
    server.send("DELETE", "/tasks/orphan-p")
    window.shows("q", "  c")
    window.press("Control+z")
    window.says(gone)
    window.focus("orphan-c")
    window.press("Delete")
    expect(server, "orphan", "q")
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    window.press("Control+z")
    window.until("document.querySelector('.note').textContent.startsWith('Undone.')")
    window.page.route("**/*", lambda route: route.abort())
    server.start()
    server.send("DELETE", "/tasks/orphan-q")
    window.page.unroute("**/*")
    window.note.get_by_text(gone).wait_for()
    window.shows()


def a_note_counts_the_refused_changes(server, open_window):
    server.make("refusals", "a\nb\nc\nd")
    window = open_window("refusals")
    window.expected = (*window.expected, *AWAY, "ERR_FAILED", "status of 404")
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    for task in "abc":
        window.row(f"refusals-{task}").locator(".tick").click()
    window.page.route("**/*", lambda route: route.abort())
    server.start()
    for task in "abc":
        server.send("DELETE", f"/tasks/refusals-{task}")
    window.page.unroute("**/*")
    window.note.get_by_text("3 changes were refused. The last one:").wait_for()
    window.shows("d")


def the_state_says_when_steps_cannot_be_saved(server, open_window):
    server.make("unsaved", "a\nb")
    window = open_window("unsaved")
    window.expected = (*window.expected, "ERR_FAILED")
    state = window.page.locator("[data-part=state]")
    # Only requests that change something fail; the event stream stays open.
    fails = lambda route: route.abort() if route.request.method != "GET" else route.fallback()
    window.page.route("**/*", fails)
    window.row("unsaved-a").locator(".tick").click()
    eventually(lambda: state.text_content() == "Can’t save, 1 waiting", state.text_content)
    window.row("unsaved-b").locator(".tick").click()
    eventually(lambda: state.text_content() == "Can’t save, 2 waiting", state.text_content)
    window.page.unroute("**/*", fails)
    eventually(lambda: state.text_content() == "Live", state.text_content)
    expect(server, "unsaved", "a x\nb x")


# Does steps in the open list, and counts how often a step is written to the browser's storage.
MANY = """async ([list, count]) => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connection } = await import(folder + "connection.js");
    window.writes = { waiting: 0, undoable: 0 };
    for (const name of ["add", "put"]) {
        const write = IDBObjectStore.prototype[name];
        IDBObjectStore.prototype[name] = function (value) { window.writes[this.name] += 1; return write.call(this, value); };
    }
    const open = connection.list(list);
    for (let number = 0; number < count; number += 1) {
        const task = { id: `${list}-new${number}`, title: `new${number}` };
        if (number % 2) open.do({ kind: "move", tasks: [`${list}-new${number - 1}`], to: { before: `${list}-a` } });
        else open.do({ kind: "create", task, to: { section: null } });
    }
    return open.waiting;
}"""


def a_thousand_offline_steps_are_sent_in_few_requests(server, open_window):
    server.make("thousand", "a\nb")
    window = open_window("thousand")
    window.expected = (*window.expected, *AWAY)
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    assert window.page.evaluate(MANY, ["thousand", 1100]) == 1100
    eventually(lambda: window.stored() == 1100, "all steps are kept")
    # Each step was written once, so the work does not grow with the length of the queue.
    assert window.page.evaluate("window.writes") == {"waiting": 1100, "undoable": 1100}
    responses = []
    window.page.on("response", lambda response: response.request.method == "POST" and responses.append(response))
    server.start()
    titles = [f"new{number}" for number in range(0, 1100, 2)]
    # On a slow machine the server was away for so long that the next attempt is late.
    eventually(lambda: window.elapse(60_000) or server.outline("thousand") == "\n".join([*titles, "a", "b"]), "all steps are sent")
    window.still()
    eventually(lambda: window.stored() == 0, "no step is kept")
    assert [response.status for response in responses] == [200, 200], responses
    # Each step is a change of its own.
    assert server.send("GET", "/lists/thousand")["version"] == 1101
    # The last step can still be undone alone.
    window.press("Control+z")
    expect(server, "thousand", "\n".join([*titles[:-1], "a", "b", titles[-1]]))


def a_list_opened_offline_is_shown_when_the_server_returns(server, open_window):
    server.make("offline", "a\nb")
    server.make("unseen", "x\ny")
    window = open_window("offline")
    window.expected = (*window.expected, *AWAY)
    edit = window.page.locator("[data-part=edit]")
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    assert edit.is_visible()
    window.page.evaluate("location.hash = 'unseen'")
    eventually(lambda: window.titles() == [], "the first list is not shown any more")
    # No editable list is shown.
    eventually(lambda: not edit.is_visible(), "the edit button is hidden")
    server.start()
    window.shows("x", "y")
    assert edit.is_visible()


def a_step_with_a_lost_response_is_applied_once(server, open_window):
    server.make("once", "a\nb")
    window = open_window("once")
    window.expected = (*window.expected, *AWAY, "ERR_FAILED", "status of 409")
    lost = []

    def lose(route):
        if not lost:
            lost.append(route.fetch())
            route.abort()
        else:
            route.continue_()

    window.page.route("**/lists/once/batch", lose)
    window.page.locator("[data-part=edit]").click()
    window.page.locator("[data-part=newTitle]").fill("c")
    window.press("Enter")
    window.still()
    expect(server, "once", "a\nb\nc")
    window.shows("a", "b", "c")
    assert lost


def a_list_that_another_client_replaces_or_deletes_is_updated(server, open_window):
    server.make("other", "a\nb")
    window = open_window("other")
    window.expected = ("status of 404",)
    tasks = [{"id": "other-b", "title": "b"}, {"id": "other-c", "title": "c"}]
    server.send("PUT", "/lists/other", {"title": "new", "tasks": tasks}, {"If-Match": "*"})
    window.shows("b", "c")
    server.send("DELETE", "/lists/other")
    window.page.wait_for_selector("main[data-state=gone]")
    eventually(lambda: window.titles() == [], "no rows are left")
    assert window.page.locator("[data-part=gone]").is_visible()


def is_after(window, task, title="a"):
    """Waits until the ghost of a task is at the lower edge of another task's row."""
    ghost = window.page.locator(".ghost", has_text=title)
    ghost.wait_for()
    edge = lambda: (ghost.bounding_box()["y"], window.box(task)["y"] + window.box(task)["height"])
    eventually(lambda: abs(edge()[0] - edge()[1]) <= 1, edge)


def a_drag_in_another_window_is_shown_as_a_ghost(server, open_window):
    server.make("ghost", "a\nb\nc\nd")
    one, other = open_window("ghost"), open_window("ghost")
    other.page.evaluate("""() => new Promise((opened) => {
        window.states = [];
        const events = new EventSource("/lists/ghost/events");
        events.addEventListener("hello", opened);
        events.addEventListener("drag", ({ data }) => window.states.push(JSON.parse(data).state));
    })""")
    target = one.box("ghost-c")
    one.lift("ghost-a")
    other.page.wait_for_selector('[data-task="ghost-a"].away')
    one.hover(target)
    is_after(other, "ghost-c")
    assert other.titles() == ["a", "b", "c", "d"]
    one.press("Escape")
    other.page.wait_for_selector(".ghost", state="detached")
    other.shows("a", "b", "c", "d")
    one.page.mouse.up()
    one.lift("ghost-a")
    one.hover(target)
    other.page.wait_for_selector(".ghost")
    one.drop()
    other.shows("b", "c", "a", "d")
    # The end of the drag is announced after the move.
    other.page.wait_for_selector(".away", state="detached")
    expect(server, "ghost", "b\nc\na\nd")
    ends = lambda: [end for end in other.page.evaluate("window.states") if end in ("dropped", "cancelled")]
    eventually(lambda: ends() == ["cancelled", "dropped"], ends)


def a_drop_does_not_wait_for_the_place_sent_before_it(server, open_window):
    server.make("late", "a\nb\nc")
    window = open_window("late")
    held = []
    window.context.route("**/drags/*", lambda route: held.append(route))
    target = window.box("late-c")
    window.lift("late-a")
    window.hover(target)
    eventually(lambda: held, "a place is sent")
    window.drop()
    expect(server, "late", "b\nc\na")
    for route in held:
        route.continue_()
    window.shows("b", "c", "a")


ENDS = """async () => {
    const folder = document.querySelector("script[src]").src.replace(/[^/]*$/, "");
    const { connect } = await import(folder + "client.js");
    const list = await connect({ storage: "memory", clientID: "me" }).open("demo");
    const { drags } = list;
    const tell = (state) => list.emit("drag",
        { drag: "d", client: "other", task: "t", state, expires: new Date(Date.now() + 60000) });
    const seen = [];
    for (const state of ["cancelled", "dropped", "expired", "something new"]) {
        for (const one of ["lifted", "over", state]) { tell(one); seen.push(drags.of("t") !== undefined); }
    }
    return seen;
}"""


def a_drag_ends_for_other_windows_however_it_ended(server, open_window):
    seen = open_window("demo").page.evaluate(ENDS)
    assert seen == [True, True, False] * 4, seen


def a_new_window_shows_a_block_that_is_being_dragged(server, open_window):
    server.make("later", "a\nb\n  b1\nc\n# Home\nd")
    one = open_window("later")
    one.row("later-a").locator(".title").click()
    one.row("later-b").locator(".title").click(modifiers=["Control"])
    target = one.box("later-d")
    one.lift("later-a")
    one.hover(target)
    other = open_window("later")
    other.page.wait_for_selector(".ghost")
    assert other.page.locator(".away").count() == 2
    is_after(other, "later-d")
    one.press("Escape")
    other.page.wait_for_selector(".away", state="detached")
    other.shows("a", "b", "  b1", "c", "# Home", "d")
    one.page.mouse.up()
