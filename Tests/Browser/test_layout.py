"""The places of things on the page: nothing covers anything else, and fingers reach all."""

from page_server import eventually
from test_rights import with_token
from test_token import WIDE
from window import NOTE

PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}

# Where the rows, the list and the bars are, and what is under a note: the row with the focus or a bar.
PLACES = """() => [...document.querySelectorAll(".canvas .row, .scroller, footer, main > header")]
    .map((one) => { const { x, y, width, height } = one.getBoundingClientRect(); return [x, y, width, height].join(); })"""
UNDER = """() => {
    const note = document.querySelector(".note:not([hidden])").getBoundingClientRect();
    return [...document.querySelectorAll("footer > *, main > header, .row:focus-within")].filter((one) => one.checkVisibility())
        .filter((one) => { const { top, bottom } = one.getBoundingClientRect();
            return Math.min(bottom, note.bottom) - Math.max(top, note.top) > 1; }).map((one) => one.outerHTML.slice(0, 60));
}"""
# What the buttons that move a lifted row cover.
COVERED = """() => {
    const mover = document.querySelector(".mover:not([hidden])").getBoundingClientRect();
    const area = document.querySelector(".scroller").getBoundingClientRect();
    const clipped = (box) => ({ top: Math.max(box.top, area.top), bottom: Math.min(box.bottom, area.bottom) });
    const rows = [...document.querySelectorAll(".canvas .row")].map((row) => [row, clipped(row.getBoundingClientRect())]);
    const bars = [...document.querySelectorAll("footer > *, main > header")].map((one) => [one, one.getBoundingClientRect()]);
    return [...rows, ...bars].filter(([one, { top, bottom }]) => one.checkVisibility()
        && Math.min(bottom, mover.bottom) - Math.max(top, mover.top) > 1).map(([one]) => one.outerHTML.slice(0, 60));
}"""


def a_note_moves_nothing_and_covers_no_bar_and_not_the_row_with_the_focus(server, open_window):
    server.make("noted", "\n".join(f"t{number}" for number in range(40)))
    for options in ({"viewport": {"width": 900, "height": 700}}, PHONE):
        window = open_window("noted", reduced_motion="reduce", **options)
        places = lambda window=window: window.page.evaluate(PLACES)
        area = window.page.locator(".scroller").bounding_box()
        bottom = area["y"] + area["height"]
        rows = [f"noted-t{number}" for number in range(20)]
        last = [one for one in rows if window.box(one)["y"] + window.box(one)["height"] <= bottom][-1]
        for task in ("noted-t1", last):
            before = places()
            window.row(task).locator(".tick").click()
            window.note.wait_for()
            assert places() == before
            under = window.page.evaluate(UNDER)
            assert not under, under
            window.row(task).locator(".tick").click()
            window.elapse(NOTE)
        # The buttons that move a lifted row.
        window.handle("noted-t3").click()
        window.page.get_by_role("toolbar").wait_for()
        assert not window.note.is_visible()
        covered = window.page.evaluate(COVERED)
        assert not covered, covered
        window.page.get_by_role("button", name="Cancel").click()


def a_note_of_a_dialog_is_visible_in_it(server, open_window):
    server.make("long", "a")
    window = open_window("long", viewport=WIDE)
    window.command("Settings…")
    window.page.get_by_role("dialog").get_by_label("Title").fill("x" * 5000)
    window.page.get_by_role("button", name="Save").click()
    window.note.get_by_text("The title is too long.").wait_for()
    box = window.note.bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert window.page.evaluate("([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.note'))", middle)
    # What is announced when the dialog closes stays.
    window.page.get_by_role("dialog").get_by_label("Title").fill("short")
    window.page.get_by_role("button", name="Save").click()
    window.note.get_by_text("Changed the settings").wait_for()
    window.page.get_by_role("dialog").wait_for(state="hidden")
    assert window.note.is_visible()


def the_field_says_where_the_next_task_goes_in_a_list_without_sections(server, open_window):
    server.make("plain", "a\n  a1")
    window = open_window("plain")
    target = window.page.locator("[data-part=target]")
    window.row("plain-a").click(button="right")
    window.page.get_by_role("menuitem", name="Add a subtask").click()
    eventually(lambda: target.text_content() == "Subtask of “\u2068a\u2069”", target.text_content)
    window.press("Shift+Tab")
    window.says("At the end of the list")
    assert not target.is_visible()


# The visible controls that are smaller than a finger needs, and their sizes.
SMALL = """() => [...document.querySelectorAll("button, a, input:not([type=checkbox]), label.check, [role=option]")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 43.5 || height < 43.5)
    .map(([text, { width, height }]) => `${Math.round(width)} x ${Math.round(height)} ${text}`)"""


def a_phone_has_targets_for_fingers(server, open_window):
    server.make("finger", "a\n  a1\n    a11\nb +\n  b1\n# Home\nc x\n# Work")
    server.make("finger2", "a")
    window = open_window("finger", reduced_motion="reduce", **PHONE)

    def fits(where):
        window.still()
        assert window.page.evaluate("document.documentElement.scrollWidth <= 390"), where
        small = window.page.evaluate(SMALL)
        assert not small, (where, small)

    fits("a list")
    # All rows have a visible button for their menu.
    assert window.page.locator(".canvas :is(.task, .section) .more").count() == 7
    seen = window.page.evaluate("() => [...document.querySelectorAll('.canvas .more .icon')].map((one) => one.checkVisibility())")
    assert set(seen) == {True}, seen
    window.row("finger-c").locator(".more").tap()
    window.page.get_by_role("menuitem", name="Rename").wait_for()
    fits("a menu")
    window.press("Escape")
    window.page.locator("[data-part=edit]").tap()
    fits("edit mode")
    window.page.locator("[data-part=select]").tap()
    fits("selecting")
    window.page.locator("[data-part=edit]").tap()
    window.row("finger-a").locator(".more").tap()
    window.page.get_by_role("menuitem", name="Add a subtask").tap()
    fits("a target for the next task")
    window.handle("finger-a").tap()
    fits("lifted")
    window.page.get_by_role("button", name="Cancel").tap()
    window.command("Settings…")
    fits("settings")
    window.press("Escape")
    window.page.goto(f"{server.url}/#")
    window.page.locator("nav li").first.wait_for()
    fits("the lists")
    window.page.locator("[data-part=findAll]").fill("a1")
    window.page.get_by_role("option").first.wait_for()
    fits("a search in all lists")


def the_search_of_a_phone_has_a_line_for_its_field_and_one_for_its_filters(server, open_window):
    server.make("lines", "a")
    middle = lambda one: one["y"] + one["height"] / 2
    for width in (320, 390):
        window = open_window("lines", **{**PHONE, "viewport": {"width": width, "height": 700}})
        window.page.locator("[data-part=find]").tap()
        window.still()
        boxes = [window.page.locator(f"[data-part={part}]").bounding_box()
                 for part in ("searchText", "endSearch", "hideDone", "sinkDone")]
        text, end, hide, sink = boxes
        assert abs(middle(text) - middle(end)) < 2 and abs(middle(hide) - middle(sink)) < 2
        assert hide["y"] >= text["y"] + text["height"]
        # The field takes the whole line beside the button.
        assert text["width"] > width - 90, text


def a_title_of_a_list_is_not_cut_on_a_phone_or_a_tablet(server, open_window):
    server.make("wide", "a")
    server.send("PATCH", "/lists/wide", {"title": "House and garden, summer"})
    for options in (PHONE, {**PHONE, "viewport": {"width": 820, "height": 1100}}):
        window = open_window("wide", **options)
        title = window.page.locator("[data-part=title] button")
        assert title.evaluate("one => one.scrollWidth <= one.clientWidth"), title.bounding_box()
        assert window.page.evaluate("document.documentElement.scrollWidth") == options["viewport"]["width"]
        window.close()
    # It has a line of its own, also if a reader has few buttons.
    server.require_tokens()
    window = with_token(open_window, server, server.add_token("reader", "read"), "wide", **PHONE)
    back, title = (window.page.locator(selector).bounding_box() for selector in (".back", "[data-part=title]"))
    assert title["y"] >= back["y"] + back["height"], (title, back)


def long_words_fit_on_a_phone(server, open_window):
    """German words are long."""
    server.make("eng", "a\nb")
    server.require_tokens()
    token = server.add_token("Anna", "write")
    window = with_token(open_window, server, token, "eng", locale="de-DE", reduced_motion="reduce", **PHONE)

    def fits(where, *parts):
        for part in (window.page.locator(one) for one in parts):
            part.wait_for()
            wide = part.evaluate("""(part) => [part, ...part.querySelectorAll("*")].filter((one) => one.checkVisibility()
                && one.getBoundingClientRect().right > Math.min(390, part.getBoundingClientRect().right) + 0.5).map((one) => one.outerHTML.slice(0, 90))""")
            assert not wide, (where, wide)

    window.handle("eng-a").tap()
    fits("lifted", ".mover")
    window.press("Escape")
    window.page.locator("[data-part=listMenu]").tap()
    window.page.get_by_role("menuitem", name="Teilen…").tap()
    window.page.locator("dialog.share [value=make]").tap()
    window.page.locator("dialog.share li").wait_for()
    fits("a link", "dialog.share")
    link = window.page.locator("dialog.share [data-part=link]").input_value()
    window = open_window(None, locale="de-DE", **PHONE)
    window.page.goto(link)
    window.page.locator("main[data-state=live]").wait_for()
    fits("a guest", "[data-part=asking]")


def the_field_of_a_title_is_above_the_line_of_its_data(server, open_window):
    server.make("above", "a\nb")
    server.send("PATCH", "/tasks/above-a", {"data": {"priority": 1}})
    for options in ({}, PHONE):
        window = open_window("above", **options)
        window.focus("above-a")
        height = window.box("above-a")["height"]
        window.press("F2")
        boxes = [window.row("above-a").locator(one).bounding_box() for one in (".rename", ".line")]
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"], boxes
        assert window.row("above-a").locator(".cell").bounding_box()["height"] == height
        window.press("Escape")


def the_button_of_a_short_note_is_beside_its_text(server, open_window):
    server.make("short", "a")
    for options in ({}, PHONE):
        window = open_window("short", locale="de-DE", **options)
        window.row("short-a").locator(".tick").click()
        window.note.wait_for()
        text, button = (window.note.locator(one).bounding_box() for one in (".text", "button"))
        assert abs(text["y"] + text["height"] / 2 - button["y"] - button["height"] / 2) < 2, (text, button)
