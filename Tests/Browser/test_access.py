"""Accessibility."""

import json
from pathlib import Path

import axe_playwright_python

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def check(window, where):
    # Evaluated from outside, because the page's policy would not allow it.
    window.page.evaluate(AXE.read_text())
    result = window.page.evaluate(
        "tags => axe.run(document, { runOnly: { type: 'tag', values: tags } })", TAGS)
    found = [(one["id"], one["help"], [node["html"][:200] + node["failureSummary"] for node in one["nodes"][:3]])
             for one in result["violations"]]
    assert not found, f"{where}: {json.dumps(found, indent=1)}"
    assert len(result["passes"]) > 15, where


def axe_finds_no_violation_in_any_view(server, open_window):
    # If only one list existed, the page would open it instead of the index.
    server.make("beside", "a")
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
        window.focus("demo-fruit")
        window.press("Shift+F10")
        check(window, f"{where}, the menu of a row")
        window.page.get_by_role("menuitem", name="Move…").click()
        window.page.get_by_role("dialog").get_by_role("option", name="beside").wait_for()
        check(window, f"{where}, the other lists")
        window.press("Escape")
        for name in ("History…", "Settings…"):
            window.command(name)
            window.page.locator("dialog:modal").wait_for()
            check(window, f"{where}, {name}")
            window.press("Escape")
        window.page.locator("[data-part=listMenu]").click()
        window.page.get_by_role("menuitem", name="Settings…").wait_for()
        check(window, f"{where}, the menu of the list")
        window.press("Escape", "Control+k")
        window.page.locator("dialog.choose:modal").wait_for()
        check(window, f"{where}, what can be opened and done")
        window.press("Escape")
        window.press("/")
        window.page.keyboard.type("ap")
        check(window, f"{where}, a search")
        window.page.locator("[data-part=hideDone]").click()
        window.page.keyboard.press("Escape")
        window.page.locator("[data-part=endSearch]").click()
        check(window, f"{where}, hidden tasks")
        window.page.locator("[data-part=showDone]").click()
        window.focus("demo-today")
        window.press("?")
        check(window, f"{where}, shortcuts")
        window.press("Escape")
        window.page.goto(f"{server.url}/")
        window.page.locator("nav a").first.wait_for()
        check(window, f"{where}, the index")
        window.page.get_by_role("button", name="Your name…").click()
        check(window, f"{where}, the name")


def axe_finds_no_violation_in_rare_states(server, open_window):
    server.make("rare", "a\n  a1\n# Home\nb +\n  b1")
    server.make("rare-empty", "")
    for scheme, size in (("light", {"width": 1100, "height": 800}), ("dark", {"width": 390, "height": 760})):
        window = open_window("rare", viewport=size, color_scheme=scheme, reduced_motion="reduce")
        window.expected = (*window.expected, "status of 404", "ERR_")
        where = f"{scheme} {size['width']}"
        window.lift("rare-a")
        check(window, f"{where}, a drag")
        window.page.mouse.move(window.x + 30, window.y + 60, steps=4)
        check(window, f"{where}, a drag to another place")
        window.press("Escape")
        window.page.mouse.up()
        window.focus("rare-a")
        window.press("F2")
        check(window, f"{where}, a renaming")
        window.press("Escape", "ArrowDown", "ArrowDown")
        assert window.page.evaluate("document.activeElement.matches('.adder')")
        check(window, f"{where}, a row that adds tasks")
        window.press("Enter")
        check(window, f"{where}, a task for this section")
        window.page.context.set_offline(True)
        server.stop()
        window.page.wait_for_selector("main[data-state=offline]")
        window.row("rare-b").locator(".tick").click()
        check(window, f"{where}, no network")
        server.start()
        window.page.context.set_offline(False)
        window.page.wait_for_selector("main[data-state=live][data-waiting='0']")
        window.open("rare-empty")
        check(window, f"{where}, an empty list")
        window.page.evaluate("location.hash = 'rare-none'")
        window.page.wait_for_selector("main[data-state=gone]")
        check(window, f"{where}, a list that does not exist")
        window.page.goto(f"{server.url}/")
        window.page.locator("nav a").first.wait_for()
        window.page.locator("[data-part=findAll]").fill("b1")
        window.page.locator("[role=option]").first.wait_for()
        check(window, f"{where}, a search in all lists")
        window.press("Escape")
        window.page.get_by_role("button", name="New folder…").click()
        check(window, f"{where}, a new folder")
        window.page.keyboard.type(f"Folder {scheme}")
        window.press("Enter")
        more = window.page.locator("nav li .more").first
        more.wait_for()
        check(window, f"{where}, a folder")
        more.click()
        check(window, f"{where}, the menu of a folder")
        window.press("Escape")


def axe_finds_no_violation_during_a_drag_of_another_client(server, open_window):
    server.make("watched", "a\nb x\nc")
    one, other = open_window("watched"), open_window("watched", reduced_motion="reduce")
    one.row("watched-a").locator(".title").click()
    one.row("watched-b").locator(".title").click(modifiers=["Shift"])
    target = one.box("watched-c")
    one.lift("watched-b")
    one.hover(target)
    other.page.wait_for_selector(".ghost")
    assert other.page.locator(".away").count() == 2
    check(other, "others drag")
    one.press("Escape")
    one.page.mouse.up()


CONTRASTS = """() => {
    const style = getComputedStyle(document.documentElement);
    const light = (name) => {
        const hex = style.getPropertyValue(`--${name}`).trim().slice(1);
        const [red, green, blue] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const [dark, bright] = [light(one), light(other)].sort((left, right) => left - right);
        return (bright + 0.05) / (dark + 0.05);
    };
    const found = [];
    for (const ground of ["page", "paper", "raised", "wash"]) {
        for (const [ink, least] of [["ink", 4.5], ["soft", 4.5], ["tint", 4.5], ["danger", 4.5], ["faint", 3]]) {
            const ratio = contrast(ink, ground);
            if (!(ratio >= least)) found.push(`${ink} on ${ground}: ${ratio.toFixed(2)}`);
        }
    }
    if (!(contrast("on-tint", "tint") >= 4.5)) found.push("on-tint");
    return found;
}"""


def every_color_has_enough_contrast(server, open_window):
    """Contrast of 4.5 to 1 for text and 3 to 1 for graphics. The checks of axe skip icons, and states that they do not reach."""
    for scheme in ("light", "dark"):
        found = open_window("demo", color_scheme=scheme).page.evaluate(CONTRASTS)
        assert not found, (scheme, found)


SIZES = """() => [...document.querySelectorAll("button, a, input:not([type=checkbox]), label.check")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }))
    .map((one) => [one.outerHTML.slice(0, 120), one.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 24 || height < 24).map(([text]) => text)"""


def a_narrow_phone_shows_all_levels_with_large_enough_targets(server, open_window):
    server.make("narrow", "\n".join("  " * level + f"level{level}" for level in range(16)) + "\n# Section\nlast")
    window = open_window("narrow", viewport={"width": 320, "height": 1600}, has_touch=True, is_mobile=True)

    def fits(where):
        window.still()
        assert window.page.evaluate("document.documentElement.scrollWidth <= 320"), where
        small = window.page.evaluate(SIZES)
        assert not small, (where, small)
        widths = window.page.evaluate(
            "() => [...document.querySelectorAll('.row .title')].map((one) => one.getBoundingClientRect().width)")
        assert len(widths) == 18 and min(widths) >= 72, (where, widths)

    fits("a list")
    window.page.locator("[data-part=edit]").tap()
    fits("edit mode")
    window.page.locator("[data-part=select]").tap()
    fits("selecting")
    assert not window.row("narrow-level3").locator(".delete, .add").filter(visible=True).count()
    window.page.locator("[data-part=edit]").tap()
    window.handle("narrow-level3").tap()
    fits("lifted")
    window.page.get_by_role("button", name="Cancel").tap()
    window.command("Settings…")
    fits("settings")


def rows_have_roles_and_states_for_screen_readers(server, open_window):
    server.make("aria", "a\n  a1\n  a2\n# Home\nb x")
    window = open_window("aria")
    row = window.row("aria-a2")
    values = [row.get_attribute(name) for name in ("role", "aria-level", "aria-posinset", "aria-setsize")]
    assert values == ["row", "2", "2", "2"], values
    assert window.row("aria-a").get_attribute("aria-expanded") == "true"
    assert window.row("aria-b").get_by_role("checkbox").is_checked()
    assert window.page.get_by_role("row", name="b, done", exact=True).count() == 1
    assert window.page.get_by_role("row", name="a2", exact=True).count() == 1
    assert window.page.get_by_role("treegrid", name="aria").count() == 1
    assert window.page.get_by_role("button", name="Move “\u2068b\u2069”").count() == 1


def buttons_with_icons_have_tooltips(server, open_window):
    server.make("tips", "a")
    window = open_window("tips")
    for button, text in [(window.page.locator("[data-part=find]"), "Search and filter (/)"),
                         (window.row("tips-a").locator(".more"), "Actions for “\u2068a\u2069”")]:
        button.hover()
        assert button.get_attribute("title") == text
    window.page.locator("[data-part=edit]").hover()
    assert not window.page.locator("[data-part=edit]").get_attribute("title")


def right_to_left_titles_are_aligned_right(server, open_window):
    window = open_window("demo")
    window.page.locator(".scroller").evaluate("scroller => { scroller.scrollTop = 1e6 }")
    title = window.row("demo-challah").locator(".title")
    title.wait_for()
    assert title.evaluate("title => getComputedStyle(title).direction") == "rtl"


def the_sample_list_fits_the_first_screen(server, open_window):
    window = open_window("demo", viewport={"width": 1000, "height": 1000})
    box = window.box("demo-boat")
    assert box["y"] + box["height"] <= window.page.locator("footer").bounding_box()["y"], box


def reduced_motion_is_respected(server, open_window):
    server.make("motion", "a\nb\nc")
    window = open_window("motion", reduced_motion="reduce")
    window.drag("motion-a", over="motion-c")
    window.shows("b", "c", "a")
    duration = window.row("motion-a").evaluate("row => getComputedStyle(row).transitionDuration")
    assert duration == "0s", duration


def axe_finds_no_violation_in_any_dialog(server, open_window):
    server.make("plan", "a\nb")
    server.send("PATCH", "/tasks/plan-a", {"data": {"due": "2031-03-04", "labels": ["home"], "notes": "n", "url": "https://example.com/"}})
    server.make("old", "a")
    server.send("DELETE", "/lists/old")
    server.require_tokens()
    token = server.add_token("Anna", "write")
    for scheme, size in (("light", {"width": 1200, "height": 800}), ("dark", {"width": 390, "height": 760})):
        window = open_window(None, viewport=size, color_scheme=scheme, reduced_motion="reduce")
        window.expected = ("401",)
        window.page.goto(f"{server.url}/#plan")
        dialog = lambda name, window=window: window.page.locator(f"dialog.{name}")
        checked = lambda name, where, window=window, scheme=scheme: (
            window.page.locator(f"dialog.{name}[open]").wait_for(), check(window, f"{scheme}, {where}"))
        checked("token", "a token")
        dialog("token").locator("[name=token]").fill(token)
        window.press("Enter")
        window.page.wait_for_selector("main[data-state=live]")
        window.focus("plan-a")
        window.press("i")
        checked("detail", "details")
        window.press("Escape")
        window.focus("plan-a")
        window.press("Control+Space")
        window.page.locator("[data-part=withSelected] [value=due]").click()
        checked("date", "a date for tasks")
        window.press("Escape")
        window.command("Export…")
        checked("choose", "formats")
        window.press("Escape")
        window.command("Delete this list…")
        checked("confirm", "a deletion")
        window.press("Escape")
        window.command("Share…")
        checked("share", "a link to make")
        dialog("share").get_by_role("button", name="Make a link").click()
        dialog("share").locator("li").first.wait_for()
        checked("share", "a link")
        window.press("Escape")
        window.page.goto(f"{server.url}/#")
        for part, name in (("bin", "bin"), ("due", "due"), ("import", "import")):
            window.page.locator(f"nav [data-part={part}]").click()
            if part != "import":
                dialog(name).locator("li").first.wait_for()
            checked(name, part)
            window.press("Escape")
