"""Paper, and the forced colors of a system's high contrast mode."""

import re

from test_access import check


def the_whole_list_is_printed(server, open_window):
    count = 300
    server.make("printed", "\n".join(["# One", *(f"row{number}" for number in range(count)), "# Two", "last"]))
    window = open_window("printed", color_scheme="dark")
    assert window.page.locator(".canvas .row").count() < 80
    window.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    window.page.emulate_media(media="print")
    assert window.page.locator(".canvas .row:not(.adder)").count() == count + 3
    # Dark on light, also if the screen is dark.
    colors = window.page.evaluate("""() => {
        const { color, backgroundColor } = getComputedStyle(document.querySelector(".cell"));
        return [color, backgroundColor];
    }""")
    assert colors == ["rgb(27, 28, 30)", "rgb(255, 255, 255)"], colors
    # The rows are below each other, in their order, without anything over them.
    boxes = window.page.evaluate("""() => [...document.querySelectorAll(".canvas .row:not(.adder)")]
        .map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])""")
    assert all(above[1] <= below[0] + 1 for above, below in zip(boxes, boxes[1:])), boxes[:5]
    for part in ("footer", "nav", ".adder", ".row .more", ".row .handle", "[data-part=undo]"):
        assert not window.page.locator(part).first.is_visible(), part
    assert window.page.locator("h1[data-part=title]").is_visible()
    window.page.emulate_media(media="screen")
    window.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert window.page.locator(".canvas .row").count() < 80
    window.page.emulate_media(media="null")
    # The browser's own printing: a page has room for about 30 rows.
    pages = len(re.findall(rb"/Type\s*/Page\b", window.page.pdf(format="A4")))
    assert pages >= 8, pages
    window.shows(*window.titles())


def drags_are_not_printed(server, open_window):
    server.make("quiet", "a\nb\nc")
    window = open_window("quiet")
    drag = server.send("POST", "/lists/quiet/drags", {"task": "quiet-a"})["drag"]
    server.send("PATCH", f"/drags/{drag}", {"after": "quiet-c"})
    window.page.locator(".ghost").wait_for()
    window.page.emulate_media(media="print")
    assert not window.page.locator(".ghost").is_visible()
    looks = window.page.evaluate("""() => [...document.querySelectorAll(".task .title")].map((title) => {
        const { fontStyle, color } = getComputedStyle(title);
        return [fontStyle, color, getComputedStyle(title.parentElement).backgroundColor].join();
    })""")
    assert looks[0].replace("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)") == looks[1] == looks[2], looks
    window.page.emulate_media(media="screen")
    window.lift("quiet-b")
    window.page.emulate_media(media="print")
    window.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert window.row("quiet-b").is_visible()
    assert not window.page.locator(".drag-image, .blank").first.is_visible()
    window.page.emulate_media(media="null")
    window.page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    window.page.mouse.up()
    window.shows("a", "b", "c")


COLORS = """(selector) => { const { backgroundColor, borderTopColor, outlineStyle } = getComputedStyle(document.querySelector(selector));
    return [backgroundColor, borderTopColor, outlineStyle].join(); }"""


def states_are_visible_in_forced_colors(server, open_window):
    server.make("forced", "a\nb x\nc")
    server.make("forced2", "x")
    window = open_window("forced", forced_colors="active", viewport={"width": 1100, "height": 800}, reduced_motion="reduce")
    look = lambda selector: window.page.evaluate(COLORS, selector)
    window.row("forced-a").locator(".title").click(modifiers=["Control"])
    assert look('[data-task="forced-a"] > .cell') != look('[data-task="forced-c"] > .cell')
    inks = window.page.evaluate("""() => [...document.querySelectorAll('[data-task="forced-a"] :is(.title, .handle)'),
        ].map((part) => getComputedStyle(part).color).concat(getComputedStyle(
            document.querySelector('[data-task="forced-a"] .tick'), "::before").borderTopColor)""")
    assert len(inks) == 3 and len(set(inks)) == 1, inks
    assert look('nav a[href="#forced"]') != look('nav a[href="#forced2"]')
    ticks = window.page.evaluate("""() => ["b", "c"].map((name) => getComputedStyle(
        document.querySelector(`[data-task="forced-${name}"] .tick`), "::before").backgroundColor)""")
    assert ticks[0] != ticks[1], ticks
    window.page.locator("[data-part=find]").click()
    before = look("[data-part=hideDone]")
    window.page.locator("[data-part=hideDone]").click()
    assert look("[data-part=hideDone]") != before
    check(window, "forced colors")
    window.focus("forced-a")
    window.press("Shift+F10")
    check(window, "forced colors, the menu")
