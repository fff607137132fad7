"""Long lists: only what can be seen is in the page."""

from server import eventually
from test_drag import expect

COUNT = 10_000
MOST_IN_PAGE = 80


def in_page(window):
    return window.page.locator(".canvas .row").count()


def ten_thousand_rows_scroll_and_drag_with_few_in_the_page(server, open_window):
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


def long_titles_wrap_and_the_rows_below_make_room(server, open_window):
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


TESTS = [
    ten_thousand_rows_scroll_and_drag_with_few_in_the_page,
    long_titles_wrap_and_the_rows_below_make_room,
]
