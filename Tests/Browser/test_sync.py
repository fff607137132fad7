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


def a_window_that_closes_in_a_drag_ends_it_at_once(server, open_window):
    server.make("closing", "a\nb\nc")
    one, other = open_window("closing"), open_window("closing")
    target = one.box("closing-c")
    # This one begins earlier, so it would also expire earlier.
    server.send("POST", "/lists/closing/drags", {"task": "closing-b"})
    one.lift("closing-a")
    one.hover(target)
    other.page.wait_for_selector('[data-task="closing-a"].away')
    other.page.locator(".ghost", has_text="a").wait_for()
    one.page.goto("about:blank")
    other.page.wait_for_selector('[data-task="closing-a"].away', state="detached")
    assert other.page.locator('[data-task="closing-b"].away').count() == 1


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
