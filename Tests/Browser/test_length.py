"""Long lists: only the visible rows are in the page."""

from page_server import eventually
from test_drag import expect

COUNT = 10_000
MOST_IN_PAGE = 80


def in_page(window):
    return window.page.locator(".canvas .row").count()


def ten_thousand_rows_scroll_and_drag_with_few_elements(server, open_window):
    titles = [f"row{number}" for number in range(COUNT)]
    server.make("long", "\n".join(titles))
    window = open_window("long")
    scroller = window.page.locator(".scroller")
    assert 10 < in_page(window) < MOST_IN_PAGE
    for share in (0.1, 0.35, 0.62, 0.9):
        scroller.evaluate("(scroller, share) => { scroller.scrollTop = scroller.scrollHeight * share }", share)
        eventually(lambda share=share: window.page.evaluate(f"""() => {{
            const middle = document.elementFromPoint(500, 350)?.closest("[data-task]");
            const number = Number(middle?.querySelector(".title").textContent.slice(3));
            return Math.abs(number / {COUNT} - {share}) < 0.02; }}"""), f"it shows {share}")
        assert in_page(window) < MOST_IN_PAGE
    scroller.evaluate("scroller => { scroller.scrollTop = scroller.scrollHeight }")
    last = f"long-row{COUNT - 1}"
    window.row(last).wait_for()
    window.drag(f"long-row{COUNT - 3}", over=last)
    titles.append(titles.pop(COUNT - 3))
    expect(server, "long", "\n".join(titles))
    assert in_page(window) < MOST_IN_PAGE
    window.focus(last)
    window.press("Home")
    window.row("long-row0").wait_for()
    assert window.page.evaluate("document.activeElement.dataset.task") == "long-row0"
    assert window.row("long-row0").get_attribute("aria-rowindex") == "1"
    assert window.page.locator(".canvas").get_attribute("aria-rowcount") == str(COUNT)


def long_titles_wrap_and_move_the_rows_below(server, open_window):
    server.make("wrap", "a\nb\nc")
    text = "A title that is much longer than a row is wide, so that it needs several lines. " * 4
    server.send("PATCH", "/tasks/wrap-b", {"title": text})
    window = open_window("wrap", viewport={"width": 390, "height": 700})
    boxes = [window.box(f"wrap-{name}") for name in "abc"]
    assert boxes[1]["height"] > 3 * boxes[0]["height"]
    for above, below in zip(boxes, boxes[1:]):
        assert abs(above["y"] + above["height"] - below["y"]) < 1, boxes
    window.drag("wrap-b", over="wrap-c")
    eventually(lambda: [task["id"] for task in server.send("GET", "/lists/wrap")["tasks"]]
               == ["wrap-a", "wrap-c", "wrap-b"], "it is last")


def drags_of_others_above_the_view_do_not_move_visible_rows(server, open_window):
    server.make("higher", "\n".join(f"row{number}" for number in range(60)))
    window = open_window("higher")
    scroller, ghosts = window.page.locator(".scroller"), window.page.locator(".ghost")
    where = lambda: window.box("higher-row30")["y"]

    def stays(count):
        eventually(lambda: ghosts.count() == count, f"{count} ghosts")
        assert abs(where() - before) < 1, f"{before}, then {where()}"

    for task, over, end in [(2, 8, "drop"), (3, 9, "cancel"), (4, 23, "drop"), (5, 23, "cancel")]:
        scroller.evaluate("scroller => { scroller.scrollTop = 1200 }")
        window.row("higher-row30").wait_for()
        before = where()
        drag = server.send("POST", "/lists/higher/drags", {"task": f"higher-row{task}"})["drag"]
        server.send("PATCH", f"/drags/{drag}", {"after": f"higher-row{over}"})
        stays(1)
        # The mark at the upper edge becomes partly visible.
        scroller.evaluate("scroller => { scroller.scrollTop -= 40 }")
        before = where()
        if end == "drop":
            server.send("POST", f"/drags/{drag}/drop")
        else:
            server.send("DELETE", f"/drags/{drag}")
        stays(0)


def drags_of_others_never_move_rows(server, open_window):
    server.make("fixed", "\n".join(f"row{number}" for number in range(60)))
    window = open_window("fixed")
    scroller, ghosts = window.page.locator(".scroller"), window.page.locator(".ghost")
    # At the top, and scrolled.
    for scrolled, visible in [(0, 4), (1200, 30)]:
        scroller.evaluate("(scroller, top) => { scroller.scrollTop = top }", scrolled)
        before = window.box(f"fixed-row{visible}")["y"]
        drag = server.send("POST", "/lists/fixed/drags", {"task": "fixed-row9"})["drag"]
        server.send("PATCH", f"/drags/{drag}", {"after": "fixed-row1"})
        ghosts.wait_for(state="attached")
        assert window.box(f"fixed-row{visible}")["y"] == before
        # The drag of another client ends while a row is lifted here.
        window.lift(f"fixed-row{visible}")
        eventually(lambda: ghosts.count() == 0, "no ghost while a row is lifted")
        server.send("DELETE", f"/drags/{drag}")
        window.press("Escape")
        window.page.mouse.up()
        assert window.box(f"fixed-row{visible}")["y"] == before
        assert scroller.evaluate("scroller => scroller.scrollTop") == scrolled


def back_shows_a_list_at_its_last_position(server, open_window):
    server.make("deep", "\n".join(f"row{number}" for number in range(200)))
    server.make("visited", "a\nb")
    window = open_window("deep")
    scroller = window.page.locator(".scroller")
    scroller.evaluate("scroller => { scroller.scrollTop = 4000 }")
    row = window.row("deep-row90")
    row.wait_for()
    before = window.box("deep-row90")["y"]
    window.page.evaluate("location.hash = 'visited'")
    window.row("visited-a").wait_for()
    assert scroller.evaluate("scroller => scroller.scrollTop") == 0
    # Rows that others add above do not move the visible ones.
    server.send("POST", "/lists/deep/tasks", {"title": "new", "position": 0, "parent": None})
    window.page.go_back()
    row.wait_for()
    eventually(lambda: window.box("deep-row90")["y"] == before, lambda: f'{before}, but {window.box("deep-row90")}')


def computed(window, act):
    """The numbers of elements of which an act makes the browser compute the styles, at once and until nothing moves."""
    session = window.context.browser.new_browser_cdp_session()
    events, ends = [], []
    session.on("Tracing.dataCollected", lambda event: events.extend(event["value"]))
    session.on("Tracing.tracingComplete", lambda event: ends.append(event))
    categories = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": categories, "excludedCategories": ["*"]}})
    act()
    window.page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    session.send("Tracing.end")
    eventually(lambda: ends, "the events are there")
    session.detach()
    return [event["args"].get("elementCount", 0) for event in events if event["name"] == "UpdateLayoutTree"]


def acts_compute_the_styles_of_few_elements(server, open_window):
    server.make("few", "# Home\n" + "\n".join(f"row{number}" for number in range(300)) + "\n# Work\nlast")
    window = open_window("few", viewport={"width": 900, "height": 900})
    all_elements = window.page.evaluate("document.querySelectorAll('.canvas *').length")
    assert all_elements > 300
    grab = lambda: (window.grab(window.handle("few-row8")), window.still())
    for name, act in (
            ("tick", lambda: (window.row("few-row3").locator(".tick").click(), window.still())),
            ("lift", lambda: (window.page.mouse.move(window.x, window.y + 8), window.page.wait_for_selector(".drag-image"))),
            ("drop", lambda: (window.page.mouse.move(window.x, window.y + 60), window.drop(), window.still()))):
        if name == "lift":
            grab()
        counts = computed(window, act)
        assert counts and max(counts) < all_elements / 2, (name, counts, all_elements)
