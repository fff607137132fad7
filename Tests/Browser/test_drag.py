"""Dragging with the mouse and with a finger."""

import re

from page_server import eventually
from window import LONG_PRESS, NOTE, Finger

OUTLINE = """
one
# Market
fruit
  apples
  pears
bread
# Home
garden
  mow
bike
"""


def expect(server, list_id, outline):
    eventually(lambda: server.outline(list_id) == outline.strip("\n"),
               lambda: f"{outline}\nbut the server has\n{server.outline(list_id)}")


def a_row_is_dragged_down_and_up_within_its_siblings(server, open_window):
    server.make("within", "one\ntwo\nthree\nfour")
    window = open_window("within")
    window.drag("within-one", over="within-three")
    expect(server, "within", "two\nthree\none\nfour")
    window.shows("two", "three", "one", "four")
    window.drag("within-four", over="within-two")
    expect(server, "within", "four\ntwo\nthree\none")
    window.shows("four", "two", "three", "one")


def a_row_is_dragged_across_sections_with_its_subtasks(server, open_window):
    server.make("across", OUTLINE)
    window = open_window("across")
    window.drag("across-garden", over="across-bread")
    expect(server, "across", """
one
# Market
fruit
  apples
  pears
garden
  mow
bread
# Home
bike
""")
    window.drag("across-bike", over="across-one")
    expect(server, "across", """
bike
one
# Market
fruit
  apples
  pears
garden
  mow
bread
# Home
""")
    window.drag("across-one", over="across-bread", levels=1)
    window.shows("bike", "# Market", "fruit", "  apples", "  pears", "garden", "  mow", "bread",
                 "  one", "# Home")


def a_row_is_dragged_into_a_parent_and_out_of_it(server, open_window):
    server.make("nest", "fruit\n  apples\nbread\nmilk")
    window = open_window("nest")
    # The row stays at its place and moves to the right, so it becomes a subtask of the row above.
    window.drag("nest-milk", over="nest-milk", levels=1)
    expect(server, "nest", "fruit\n  apples\nbread\n  milk")
    window.drag("nest-milk", over="nest-apples")
    expect(server, "nest", "fruit\n  milk\n  apples\nbread")
    window.drag("nest-apples", over="nest-apples", levels=-1)
    expect(server, "nest", "fruit\n  milk\napples\nbread")
    window.drag("nest-bread", over="nest-milk", levels=2)
    window.shows("fruit", "  bread", "  milk", "apples")
    expect(server, "nest", "fruit\n  bread\n  milk\napples")


def a_parent_is_collapsed_during_a_drag_if_the_list_is_set_so(server, open_window):
    server.make("fold", "a\n  a1\n  a2\nb\nc", collapseSubElements=True)
    window = open_window("fold")
    target = window.box("fold-c")
    window.lift("fold-a")
    assert window.page.locator(".drag-image .badge").text_content() == "3"
    assert window.page.locator(".blank").bounding_box()["height"] == target["height"]
    window.hover(target)
    window.drop()
    expect(server, "fold", "b\nc\na +\n  a1\n  a2")
    window.shows("b", "c", "a")


def a_parent_is_dragged_with_visible_subtasks_if_the_list_is_not_set_so(server, open_window):
    server.make("open", "a\n  a1\n  a2\nb\nc")
    window = open_window("open")
    height = window.box("open-a")["height"]
    window.lift("open-a")
    assert window.page.locator(".drag-image .badge").text_content() == "3"
    assert window.page.locator(".blank").bounding_box()["height"] == 3 * height
    window.hover({"y": window.row_box["y"] + 60})
    window.drop()
    expect(server, "open", "b\na\n  a1\n  a2\nc")
    window.shows("b", "a", "  a1", "  a2", "c")


# The boxes of the card, of the blank that is drawn, and of the list, after all has come to rest.
PLACES = """() => {
    const box = (one) => { const { left, right, top, bottom } = one.getBoundingClientRect(); return { left, right, top, bottom }; };
    const blank = document.querySelector(".blank");
    const { insetInlineStart, borderTopStyle, backgroundColor } = getComputedStyle(blank, "::before");
    return {
        isAtRest: document.getAnimations().every((one) => one.playState !== "running"),
        card: box(document.querySelector(".card")), blank: box(blank), list: box(document.querySelector(".canvas")),
        start: blank.getBoundingClientRect().left + parseFloat(insetInlineStart), borderTopStyle, backgroundColor,
        lines: [...document.querySelectorAll(".canvas .row:not(.blank)")].filter((row) => row.checkVisibility({ visibilityProperty: true }))
            .map(box) };
}"""


def places(window):
    """The places of the card and the blank. The card is not wider than two fifths of the list and in it, beside the pointer, and
    leaves the beginning of the blank free. The blank is between the rows."""
    found = eventually(lambda: (one := window.page.evaluate(PLACES))["isAtRest"] and one, "it is at rest")
    card, blank, row_list = found["card"], found["blank"], found["list"]
    assert card["right"] - card["left"] <= 0.4 * (row_list["right"] - row_list["left"]) + 1, found
    assert row_list["left"] - 1 <= card["left"] and card["right"] <= row_list["right"] + 1, found
    assert card["left"] > found["start"] + 24, found
    assert found["borderTopStyle"] == "solid" and found["backgroundColor"] != "rgba(0, 0, 0, 0)", found
    assert all(row["bottom"] <= blank["top"] + 1 or row["top"] >= blank["bottom"] - 1 for row in found["lines"]), found
    return found


def the_card_is_beside_the_pointer_and_the_row_leaves_a_blank(server, open_window):
    server.make("look", "one\ntwo\nthree")
    server.send("PATCH", "/tasks/look-two", {"title": "A title that is longer than a phone is wide, so that it has several lines"})
    for options in ({}, {"viewport": {"width": 390, "height": 700}}):
        window = open_window("look", **options)
        height = window.box("look-two")["height"]
        # By the handle at one end, by the title at the other, and in the middle.
        for part, x in ((".handle", None), (".title", 30), (".cell", None)):
            window.grab(window.row("look-two").locator(part), x)
            window.page.mouse.move(window.x, window.y + 8)
            window.page.wait_for_selector(".drag-image")
            found = places(window)
            card, blank = found["card"], found["blank"]
            assert blank["bottom"] - blank["top"] == height, (found, height)
            assert card["right"] < window.x or window.x < card["left"], (found, window.x)
            assert card["top"] <= window.y + 8 <= card["bottom"] and card["bottom"] - card["top"] <= 48, (found, window.y)
            assert not window.row("look-two").is_visible()
            window.press("Escape")
            window.page.mouse.up()
            window.shows(*window.titles())
        window.close()


def the_blank_shows_the_level(server, open_window):
    server.make("level", "a\nb\nc")
    window = open_window("level")

    def tick(task):
        """The left edge of the circle, which is 24 pixels wide."""
        box = window.row(task).locator(".tick").bounding_box()
        return box["x"] + box["width"] / 2 - 12

    circle = lambda: window.page.evaluate("""() => {
        const blank = document.querySelector(".blank");
        return blank.getBoundingClientRect().left + parseFloat(getComputedStyle(blank, "::after").left);
    }""")
    left = tick("level-a")
    window.lift("level-b")
    eventually(lambda: circle() == left, circle)
    window.hover(window.row_box, levels=1)
    eventually(lambda: circle() > left + 20, circle)
    deeper = circle()
    assert abs(places(window)["start"] + 6 - deeper) < 1
    window.drop()
    window.shows("a", "  b", "c")
    assert tick("level-b") == deeper, (tick("level-b"), deeper)


def the_focus_is_on_the_row_after_a_drag(server, open_window):
    server.make("focused", "a\nb\nc")
    window = open_window("focused")
    focused = lambda: window.page.evaluate("document.activeElement.dataset.task")
    window.drag("focused-a", over="focused-c")
    eventually(lambda: focused() == "focused-a", focused)
    window.focus("focused-b")
    window.lift("focused-c")
    window.press("Escape")
    window.page.mouse.up()
    eventually(lambda: focused() == "focused-c", focused)
    # Also if the field for new tasks had it, because a finger does not focus the row that it holds.
    window.page.locator("[data-part=newTitle]").focus()
    window.page.evaluate("""() => document.querySelector('[data-task="focused-b"]').addEventListener("mousedown",
        (event) => event.preventDefault(), { once: true })""")
    window.drag("focused-b", over="focused-a")
    eventually(lambda: focused() == "focused-b", focused)
    # The keys work at once.
    window.press("Delete")
    expect(server, "focused", "c\na")


def a_long_press_lifts_a_row_anywhere_and_a_short_one_does_not(server, open_window):
    server.make("press", "one\ntwo\nthree")
    window = open_window("press")
    box, target = window.box("press-one"), window.box("press-three")
    window.grab(window.row("press-one"), 200)
    window.elapse(LONG_PRESS - 1)
    assert window.page.locator(".drag-image").count() == 0
    window.elapse(1)
    window.page.wait_for_selector(".drag-image")
    window.page.mouse.move(window.x, target["y"] + box["height"] / 2, steps=4)
    window.drop()
    expect(server, "press", "two\nthree\none")


def a_finger_that_moves_at_once_scrolls_the_list(server, open_window):
    server.make("swipe", "\n".join(f"t{number}" for number in range(60)))
    window = open_window("swipe", viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True)
    finger = Finger(window)
    finger.press(window.row("swipe-t8"), 200)
    finger.move(-100)
    window.elapse(LONG_PRESS)
    assert window.page.locator(".drag-image").count() == 0
    eventually(lambda: window.scrolled() > 50, window.scrolled)
    finger.release()


def a_finger_lifts_a_row_by_its_handle_and_by_a_long_press(server, open_window):
    server.make("touch", "one\ntwo\nthree\nfour")
    window = open_window("touch", viewport={"width": 390, "height": 700}, has_touch=True, is_mobile=True)
    finger = Finger(window)
    target = window.box("touch-two")
    finger.press(window.handle("touch-one"))
    finger.move(12)
    window.page.wait_for_selector(".drag-image")
    finger.move(target["height"] - 12)
    finger.release()
    expect(server, "touch", "two\none\nthree\nfour")
    way = window.box("touch-two")["y"] - window.box("touch-four")["y"]
    finger.press(window.row("touch-four"), 100)
    window.elapse(LONG_PRESS)
    window.page.wait_for_selector(".drag-image")
    finger.move(way)
    finger.release()
    expect(server, "touch", "four\ntwo\none\nthree")


def a_drag_scrolls_the_list_over_more_than_a_screen(server, open_window):
    titles = [f"t{number}" for number in range(60)]
    server.make("scroll", "\n".join(titles))
    window = open_window("scroll")
    scroller = window.page.locator(".scroller")
    area = scroller.bounding_box()
    window.lift("scroll-t0")
    window.page.mouse.move(window.x, area["y"] + area["height"] - 12, steps=8)
    window.until("""{
        const scroller = document.querySelector(".scroller");
        return scroller.scrollTop > 1.5 * scroller.clientHeight;
    }""")
    window.page.mouse.move(window.x, area["y"] + area["height"] / 2, steps=3)
    scrolled = scroller.evaluate("scroller => scroller.scrollTop")
    window.drop()
    window.still()
    order = server.outline("scroll").splitlines()
    position = order.index("t0")
    assert scrolled > area["height"] and position > 20, (scrolled, position)
    assert [title for title in order if title != "t0"] == titles[1:]
    # It is at the place of the drop, under the pointer, and stays there.
    box = window.box("scroll-t0")
    assert box["y"] <= area["y"] + area["height"] / 2 <= box["y"] + box["height"], box


def escape_cancels_a_drag_without_a_request(server, open_window):
    server.make("escape", "one\ntwo\nthree")
    window = open_window("escape")
    target = window.box("escape-three")
    window.lift("escape-one")
    window.hover(target)
    window.until("document.querySelector('.blank').getBoundingClientRect().top > 150")
    window.press("Escape")
    window.says("Move cancelled")
    window.page.wait_for_selector(".drag-image", state="detached")
    window.page.mouse.up()
    assert not window.note.is_visible()
    window.shows("one", "two", "three")
    assert server.send("GET", "/lists/escape")["version"] == 1
    window.drag("escape-one", over="escape-two")
    expect(server, "escape", "two\none\nthree")


def a_refused_drop_returns_the_row_and_shows_the_reason(server, open_window):
    server.make("refuse", "first\nsecond\nthird\nkept !\nlast", elementsOffset=1)
    window = open_window("refuse")
    window.drag("refuse-third", over="refuse-first")
    window.note.get_by_text("locked").wait_for()
    window.elapse(NOTE - 1)
    assert window.note.is_visible()
    window.elapse(1)
    assert not window.note.is_visible()
    window.shows("first", "second", "third", "kept", "last")
    # Locked rows cannot be lifted.
    for task in ("refuse-first", "refuse-kept"):
        window.grab(window.handle(task))
        window.page.mouse.move(window.x, window.y + 55, steps=3)
        assert window.page.locator(".drag-image").count() == 0
        window.page.mouse.up()
    assert server.send("GET", "/lists/refuse")["version"] == 1
    # Other rows can pass it.
    window.drag("refuse-last", over="refuse-second")
    expect(server, "refuse", "first\nlast\nsecond\nthird\nkept !")


def a_drop_that_only_the_server_refuses_returns_the_row(server, open_window):
    server.make("too-late", "one\ntwo\nthree")
    window = open_window("too-late")
    window.expected = ("status of 409", "status of 404")
    # The page learns about the lock only after it has moved the row.
    window.page.route(re.compile("/(batch|drop)$"), lambda route: (
        server.send("PATCH", "/tasks/too-late-one", {"locked": True}), route.continue_()))
    window.drag("too-late-one", over="too-late-three")
    window.note.get_by_text("locked").wait_for()
    window.shows("one", "two", "three")
    expect(server, "too-late", "one !\ntwo\nthree")


def rows_move_only_among_siblings_if_the_list_is_set_so(server, open_window):
    server.make("brothers", "a\n  a1\n  a2\nb", moves="siblings")
    window = open_window("brothers")
    window.drag("brothers-a1", over="brothers-a2")
    expect(server, "brothers", "a\n  a2\n  a1\nb")
    window.drag("brothers-a1", over="brothers-b")
    window.note.get_by_text("siblings").wait_for()
    expect(server, "brothers", "a\n  a2\n  a1\nb")
    window.shows("a", "  a2", "  a1", "b")


def a_place_in_a_full_section_is_not_offered(server, open_window):
    server.make("board", "# Doing\na\nb\n# Done\nc\n  c1\nd", maxTasksPerSection=2)
    window = open_window("board")
    window.drag("board-c", over="board-a")
    window.note.get_by_text("section is full").wait_for()
    expect(server, "board", "# Doing\na\nb\n# Done\nc\n  c1\nd")
    # Within the full section, rows still move.
    window.drag("board-a", over="board-b")
    expect(server, "board", "# Doing\nb\na\n# Done\nc\n  c1\nd")


def several_selected_rows_are_dragged_as_a_block(server, open_window):
    server.make("block", "a\nb\nc\n  c1\nd\ne")
    window = open_window("block")
    window.row("block-a").locator(".title").click()
    for task in ("block-c", "block-d"):
        window.row(task).locator(".title").click(modifiers=["Control"])
    target = window.box("block-e")
    window.lift("block-c")
    assert window.page.locator(".drag-image .badge").text_content() == "4"
    window.hover(target)
    window.drop()
    expect(server, "block", "b\ne\na\nc\n  c1\nd")
    window.shows("b", "e", "a", "c", "  c1", "d")


def a_section_is_dragged_by_its_handle_with_its_tasks(server, open_window):
    server.make("sections", "zero\n# One\na\n  a1\n# Two\nb\n# Three\nc")
    window = open_window("sections")
    window.lift_row(window.section("One"))
    assert window.page.locator(".drag-image .badge").text_content() == "3"
    # The section is collapsed while it is held, so that other sections are near.
    window.until("document.querySelectorAll('.canvas .row:not(.blank, .lifted, .adder)').length === 5")
    window.hover(window.box_of(window.section("Three")))
    window.drop()
    expect(server, "sections", "zero\n# Two\nb\n# One\na\n  a1\n# Three\nc")
    window.shows("zero", "# Two", "b", "# One", "a", "  a1", "# Three", "c")
    # It lands between sections, never among the tasks above them.
    target = window.box("sections-zero")
    window.lift_row(window.section("Three"))
    window.hover(target)
    window.drop()
    expect(server, "sections", "zero\n# Three\nc\n# Two\nb\n# One\na\n  a1")
    window.press("Control+z")
    expect(server, "sections", "zero\n# Two\nb\n# One\na\n  a1\n# Three\nc")


def a_section_that_would_displace_a_locked_row_returns(server, open_window):
    server.make("held", "# One\na\n# Two\nb\n# Three\nc", elementsOffset=1)
    window = open_window("held")
    target = window.box_of(window.section("One"))
    window.lift_row(window.section("Three"))
    window.hover(target)
    window.until("document.querySelector('.blank.refused')")
    window.drop()
    window.note.get_by_text("locked").wait_for()
    window.shows("# One", "a", "# Two", "b", "# Three", "c")
    assert server.send("GET", "/lists/held")["version"] == 1


# The scrolled distance in twenty frames of sixteen milliseconds.
WAY = """async (share) => {
    const { EdgeScroll } = await import(document.querySelector("script[src]").src);
    const scroller = document.querySelector(".scroller");
    const { top, height } = scroller.getBoundingClientRect();
    const edges = new EdgeScroll(scroller);
    let [now, frame] = [0, null];
    performance.now = () => now;
    const { requestAnimationFrame } = window;
    window.requestAnimationFrame = (act) => { frame = act; };
    scroller.scrollTop = scroller.scrollHeight / 2;
    const from = scroller.scrollTop;
    edges.follow(top + height * share);
    for (let count = 0; count < 20; count += 1) {
        now += 16;
        frame?.(now);
    }
    edges.stop();
    window.requestAnimationFrame = requestAnimationFrame;
    delete performance.now;
    return scroller.scrollTop - from;
}"""


def the_list_scrolls_in_its_top_and_bottom_sixth_and_faster_towards_the_edge(server, open_window):
    server.make("sixth", "\n".join(f"t{number}" for number in range(300)))
    window = open_window("sixth")
    way = lambda share: window.page.evaluate(WAY, share)
    assert way(1.1 / 6) == 0 and way(4.9 / 6) == 0
    assert way(0.9 / 6) < 0 < way(5.1 / 6)
    assert way(0) < 2 * way(0.9 / 6)
    assert way(1) > 2 * way(5.1 / 6)


# The largest distance between the line and the drag image, in pixels, until the end of the list comes into sight.
LAG = """async () => {
    const scroller = document.querySelector(".scroller");
    const frame = () => new Promise(requestAnimationFrame);
    const top = (name) => document.querySelector(name).getBoundingClientRect().top;
    let lag = 0;
    while (scroller.scrollTop + 2 * scroller.clientHeight < scroller.scrollHeight) {
        await frame();
        lag = Math.max(lag, Math.abs(top(".blank") - top(".drag-image")));
    }
    return lag;
}"""


def the_line_stays_at_the_row_while_the_list_scrolls(server, open_window):
    server.make("lag", "\n".join(f"t{number}" for number in range(150)))
    window = open_window("lag")
    height = window.box("lag-t1")["height"]
    area = window.page.locator(".scroller").bounding_box()
    window.lift("lag-t0")
    window.page.mouse.move(window.x, area["y"] + area["height"] - 4)
    lag = window.page.evaluate(LAG)
    assert lag < height, f"{lag} pixels"
    window.press("Escape")


def a_mouse_lifts_a_row_anywhere_after_a_small_movement(server, open_window):
    server.make("mouse", "one\ntwo\nthree")
    window = open_window("mouse")
    title, target = window.row("mouse-one").locator(".title"), window.box("mouse-two")
    # A click that trembles is a click.
    window.grab(title, 5)
    window.page.mouse.move(window.x + 3, window.y + 3)
    window.page.mouse.up()
    assert window.page.evaluate("document.activeElement.dataset.task") == "mouse-one"
    assert window.page.locator(".drag-image").count() == 0
    window.grab(title, 5)
    window.page.mouse.move(window.x, window.y + 8)
    window.page.wait_for_selector(".drag-image")
    window.page.mouse.move(window.x, target["y"] + target["height"] / 2 + 8, steps=2)
    window.drop()
    expect(server, "mouse", "two\none\nthree")
    # A press on a button, or in the field of a title, lifts nothing.
    for part, act in ((".tick", lambda: None), ("textarea", window.row("mouse-two").locator(".title").dblclick)):
        act()
        window.grab(window.row("mouse-two").locator(part))
        window.page.mouse.move(window.x + 30, window.y + 50, steps=3)
        assert window.page.locator(".drag-image").count() == 0
        window.page.mouse.up()
    expect(server, "mouse", "two\none\nthree")
