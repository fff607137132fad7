"""Whether everybody can use it."""

import json
from pathlib import Path

import axe_playwright_python

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def check(window, where):
    # Evaluated from outside: the page's own policy would not let it in.
    window.page.evaluate(AXE.read_text())
    result = window.page.evaluate(
        "tags => axe.run(document, { runOnly: { type: 'tag', values: tags } })", TAGS)
    found = [(one["id"], one["help"], [node["html"][:200] + node["failureSummary"] for node in one["nodes"][:3]])
             for one in result["violations"]]
    assert not found, f"{where}: {json.dumps(found, indent=1)}"
    assert len(result["passes"]) > 15, where


def axe_finds_nothing_in_any_view(server, open_window):
    for scheme, size in (("light", {"width": 1100, "height": 800}), ("dark", {"width": 390, "height": 760})):
        window = open_window("demo", viewport=size, color_scheme=scheme, reduced_motion="reduce")
        where = f"{scheme} {size['width']}"
        check(window, f"{where}, a list")
        window.page.locator("[data-part=edit]").click()
        check(window, f"{where}, edit mode")
        window.page.locator("[data-part=select]").click()
        window.row("demo-bread").locator(".tick").click()
        check(window, f"{where}, selecting")
        window.page.locator("[data-part=edit]").click()
        window.focus("demo-fruit")
        window.press("Space", "ArrowDown")
        check(window, f"{where}, lifted")
        window.press("Escape")
        window.focus("demo-today")
        window.press("Space")
        window.note.wait_for()
        check(window, f"{where}, a note")
        window.page.locator("[data-part=settings]").click()
        check(window, f"{where}, settings")
        window.press("Escape")
        window.page.goto(f"{server.url}/")
        window.page.locator("nav a").first.wait_for()
        check(window, f"{where}, the index")


def rows_say_what_they_are(server, open_window):
    server.make("aria", "a\n  a1\n  a2\n# Home\nb x")
    window = open_window("aria")
    row = window.row("aria-a2")
    told = [row.get_attribute(name) for name in ("role", "aria-level", "aria-posinset", "aria-setsize")]
    assert told == ["row", "2", "2", "2"], told
    assert window.row("aria-a").get_attribute("aria-expanded") == "true"
    assert window.row("aria-b").get_by_role("checkbox").is_checked()
    assert window.page.get_by_role("treegrid", name="aria").count() == 1
    assert window.page.get_by_role("button", name="Move “\u2068b\u2069”").count() == 1


def right_to_left_titles_read_from_the_right(server, open_window):
    window = open_window("demo")
    window.page.locator(".scroller").evaluate("scroller => { scroller.scrollTop = 1e6 }")
    title = window.row("demo-challah").locator(".title")
    title.wait_for()
    assert title.evaluate("title => getComputedStyle(title).direction") == "rtl"


def the_sample_list_is_seen_whole_at_first_sight(server, open_window):
    height = 800
    window = open_window("demo", viewport={"width": 1000, "height": height})
    box = window.box("demo-boat")
    assert box["y"] + box["height"] <= height, box


def motion_is_left_out_where_it_is_not_wanted(server, open_window):
    server.make("motion", "a\nb\nc")
    window = open_window("motion", reduced_motion="reduce")
    window.drag("motion-a", over="motion-c")
    window.shows("b", "c", "a")
    duration = window.row("motion-a").evaluate("row => getComputedStyle(row).transitionDuration")
    assert duration == "0s", duration


TESTS = [
    axe_finds_nothing_in_any_view,
    rows_say_what_they_are,
    right_to_left_titles_read_from_the_right,
    the_sample_list_is_seen_whole_at_first_sight,
    motion_is_left_out_where_it_is_not_wanted,
]
