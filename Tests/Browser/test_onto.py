"""Lifted rows that are held over another row, and the names of other people who drag."""

from test_drag import expect
from window import HOLD


def hold_over(window, task):
    """Moves the lifted row down until it covers half of another row, and holds it there."""
    box = window.box_of(window.row(task))
    window.page.mouse.move(window.x, box["y"] - box["height"] / 2 + window.y - window.row_box["y"], steps=6)
    window.elapse(HOLD)


def a_row_held_over_another_row_becomes_its_subtask(server, open_window):
    server.make("onto", "a\nb\nc\n  c1\nd")
    window = open_window("onto")
    window.lift("onto-a")
    hold_over(window, "onto-d")
    window.page.wait_for_selector('[data-task="onto-d"].onto')
    # The card leaves the beginning of the row with the ring free.
    window.until("""document.querySelector(".card").getBoundingClientRect().left
        > document.querySelector(".onto .title").getBoundingClientRect().left + 60""")
    window.page.wait_for_selector('.blank[data-depth="1"]')
    window.press("Escape")
    window.page.mouse.up()
    window.shows("a", "b", "c", "  c1", "d")
    assert window.page.locator(".onto").count() == 0
    window.lift("onto-a")
    hold_over(window, "onto-c")
    window.drop()
    window.shows("b", "c", "  c1", "  a", "d")
    expect(server, "onto", "b\nc\n  c1\n  a\nd")


def a_folded_row_opens_when_a_row_is_held_over_it(server, open_window):
    server.make("opens", "a\nb +\n  b1\n  b2\nc")
    window = open_window("opens")
    window.lift("opens-a")
    hold_over(window, "opens-b")
    window.row("opens-b2").wait_for()
    window.page.wait_for_selector('.blank[data-depth="1"]')
    # The row leaves the parent: it can be put between its subtasks.
    window.hover(window.box_of(window.row("opens-b2")))
    window.drop()
    expect(server, "opens", "b\n  b1\n  a\n  b2\nc")


def a_row_that_only_passes_others_does_not_become_a_subtask(server, open_window):
    server.make("passes", "a\nb +\n  b1\nc\nd")
    window = open_window("passes")
    target = window.box("passes-d")
    window.lift("passes-a")
    # It is over each row for almost as long as a hold takes.
    way = target["y"] - window.row_box["y"]
    for step in range(1, 13):
        window.page.mouse.move(window.x, window.y + way * step / 12)
        window.elapse(HOLD / 4 - 1)
        assert window.page.locator(".onto").count() == 0
    window.drop()
    expect(server, "passes", "b +\n  b1\nc\nd\na")


def a_row_is_not_held_over_a_row_where_it_cannot_go(server, open_window):
    server.make("never", "a\n  a1\n  a2\nb", moves="siblings")
    window = open_window("never")
    window.lift("never-a1")
    hold_over(window, "never-b")
    assert window.page.locator('.blank[data-depth="1"]:not(.refused)').count() == 0
    assert window.page.locator(".onto").count() == 0
    window.press("Escape")
    window.page.mouse.up()
    expect(server, "never", "a\n  a1\n  a2\nb")


def a_drag_says_whose_it_is(server, open_window):
    server.make("whose", "a\nb\nc")
    one, other = open_window(None, viewport={"width": 1100, "height": 800}), open_window("whose")
    one.page.goto(f"{server.url}/#whose")
    one.page.wait_for_selector("main[data-state=live]")
    one.page.get_by_role("button", name="Your name…").click()
    one.page.get_by_role("textbox", name="Name").fill("Cancelled")
    one.page.get_by_role("button", name="Cancel", exact=True).click()
    one.page.get_by_role("button", name="Your name…").click()
    assert one.page.get_by_role("textbox", name="Name").input_value() == ""
    one.page.get_by_role("textbox", name="Name").fill("Zoë ~ 日本")
    with one.page.expect_navigation():
        one.press("Enter")
    one.page.wait_for_selector("main[data-state=live]")
    target = one.box("whose-c")
    one.lift("whose-a")
    one.hover(target)
    other.page.locator(".ghost", has_text="Zoë - 日本: a").wait_for()
    assert other.page.get_by_role("row", name="a, dragged by Zoë - 日本", exact=True).count() == 1
    one.drop()
    other.shows("b", "c", "a")
    # Somebody without a name.
    target = other.box("whose-b")
    other.lift("whose-a")
    other.hover(target)
    one.page.locator(".ghost", has_text="a").wait_for()
    assert one.page.get_by_role("row", name="a, dragged by somebody else", exact=True).count() == 1
    other.drop()
    one.shows("a", "b", "c")
