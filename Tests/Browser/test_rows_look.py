"""What rows show, and when: their controls, links, what a search has found, and rows that were just completed."""

from page_server import eventually
from test_drag import expect
from test_rights import with_token
from window import STAY

# Whether the icons of the button for the menu and of the handle are seen, by the row's task.
CONTROLS = """() => Object.fromEntries([...document.querySelectorAll(".canvas .task")].map((row) =>
    [row.querySelector(".title").textContent, [...row.querySelectorAll(".more, .handle")]
        .map((one) => Number([...one.children].some((icon) => icon.checkVisibility()))).join()]))"""
CURSORS = """() => [...document.querySelectorAll(".canvas .title")].map((title) => getComputedStyle(title).cursor)"""


def with_a_mouse_the_controls_of_a_row_appear_where_the_person_is(server, open_window):
    server.make("calm", "a\nb\nc\nd\nkept !")
    window = open_window("calm", reduced_motion="reduce")
    controls, cursors = lambda: window.page.evaluate(CONTROLS), lambda: window.page.evaluate(CURSORS)
    none = {"a": "0,0", "b": "0,0", "c": "0,0", "d": "0,0", "kept": "0,1"}  # a lock is not a control
    assert controls() == none, controls()
    # The whole row drags.
    assert cursors() == ["grab"] * 4 + ["auto"], cursors()
    window.row("calm-a").hover()
    eventually(lambda: controls() == {**none, "a": "1,1"}, controls)
    window.row("calm-c").locator(".title").click(modifiers=["Control"])
    window.focus("calm-b")
    window.row("calm-a").hover()
    eventually(lambda: controls() == {**none, "a": "1,1", "b": "1,1", "c": "1,1"}, controls)
    window.page.locator("[data-part=edit]").click()
    assert all(one.endswith("1") for one in controls().values()), controls()
    window.page.locator("[data-part=edit]").click()
    window.page.locator("[data-part=find]").click()
    window.page.locator("[data-part=searchText]").fill("b")
    eventually(lambda: cursors() == ["auto"], cursors)


def circles_of_a_reader_do_not_look_like_controls(server, open_window):
    server.make("shown", "a\nb x")
    server.require_tokens()
    look = """() => [...document.querySelectorAll(".canvas .tick")].map((tick) => {
        const { borderTopStyle, borderTopWidth, backgroundColor, visibility } = getComputedStyle(tick, "::before");
        return [borderTopStyle !== "none" && borderTopWidth !== "0px", visibility, getComputedStyle(tick).pointerEvents].join();
    })"""
    for grant, expected in (("write", ["true,visible,auto"] * 2), ("read", ["false,visible,none", "false,hidden,none"])):
        window = with_token(open_window, server, server.add_token(grant, grant), "shown")
        window.row("shown-b").wait_for()
        eventually(lambda window=window, expected=expected: window.page.evaluate(look) == expected,
                   lambda window=window: window.page.evaluate(look))
        # A click leads to the row, and changes nothing.
        if grant == "read":
            x, y = window.point(window.row("shown-a"), 24)
            window.page.mouse.click(x, y)
            assert window.page.evaluate("document.activeElement.dataset.task") == "shown-a"
            assert window.row("shown-a").get_by_role("checkbox").get_attribute("aria-readonly") == "true"
    expect(server, "shown", "a\nb x")


def a_completed_row_stays_for_a_moment_before_it_is_hidden(server, open_window):
    server.make("moment", "a\nb\nc")
    window = open_window("moment", reduced_motion="reduce")
    window.page.locator("[data-part=find]").click()
    window.page.locator("[data-part=hideDone]").click()
    window.row("moment-a").locator(".tick").click()
    window.page.locator('[data-task="moment-a"].done').wait_for()
    window.elapse(STAY - 1)
    window.shows("a", "b", "c")
    # The next one is under the pointer for as long.
    window.row("moment-b").locator(".tick").click()
    window.elapse(STAY - 1)
    window.shows("a", "b", "c")
    window.elapse(1)
    window.shows("c")
    window.page.locator("[data-part=hiddenCount]", has_text="2 completed tasks are hidden").wait_for()
    # What others complete is hidden at once.
    server.send("PATCH", "/tasks/moment-c", {"done": True})
    window.shows()


TITLE = "See https://example.com/a_(b), (http://example.org/x?y=1&z=<i>) javascript:alert(1) https://[ and HTTPS://EXAMPLE.COM/q."


def addresses_in_titles_are_links(server, open_window):
    server.make("links", "a\nb\nc")
    server.send("PATCH", "/tasks/links-a", {"title": TITLE})
    window = open_window("links", reduced_motion="reduce")
    window.allowed = ("https://example.com/", "http://example.org/")
    window.context.route("https://example.com/**", lambda route: route.fulfill(body="there", content_type="text/plain"))
    title = window.row("links-a").locator(".title")
    assert title.text_content() == TITLE
    links = title.locator("a")
    assert links.evaluate_all("links => links.map((one) => [one.getAttribute('href'), one.target, one.rel, one.children.length])") == [
        [href, "_blank", "noopener noreferrer", 0]
        for href in ("https://example.com/a_(b)", "http://example.org/x?y=1&z=", "HTTPS://EXAMPLE.COM/q")]
    # A click opens it, and does not edit the title.
    window.page.locator("[data-part=edit]").click()
    with window.context.expect_page() as opened:
        links.first.click()
    opened.value.wait_for_url("https://example.com/a_(b)")
    opened.value.close()
    assert window.page.locator(".rename").count() == 0
    window.page.locator("[data-part=edit]").click()
    # Keys reach the links of the active row.
    window.focus("links-b")
    assert links.first.get_attribute("tabindex") == "-1"
    window.focus("links-a")
    eventually(lambda: links.first.get_attribute("tabindex") == "0", "a key can reach it")
    with window.context.expect_page() as opened:
        links.first.press("Enter")
    opened.value.close()
    # The mouse drags the row also by a link, which does not open.
    target = window.box("links-b")
    window.grab(links.first)
    window.page.mouse.move(window.x, window.y + 8)
    window.page.wait_for_selector(".drag-image")
    window.page.mouse.move(window.x, window.y + target["height"] + 40, steps=4)
    window.drop()
    eventually(lambda: server.send("GET", "/lists/links")["tasks"][0]["id"] == "links-b", "it has moved")
    assert len(window.context.pages) == 1


def a_search_marks_what_it_has_found(server, open_window):
    server.make("marks", "a\nb\nc")
    for task, title in (("a", "Un café, deux cafés"), ("b", "https://example.com/cafe"), ("c", "tea")):
        server.send("PATCH", f"/tasks/marks-{task}", {"title": title})
    window = open_window("marks", reduced_motion="reduce")
    marks = lambda: window.page.locator(".canvas mark").all_text_contents()
    assert marks() == []
    window.page.locator("[data-part=find]").click()
    window.page.locator("[data-part=searchText]").fill("CAFE")
    eventually(lambda: marks() == ["café", "café", "cafe"], marks)
    assert window.page.locator(".canvas a mark").count() == 1
    window.page.locator("[data-part=searchText]").fill("ca")
    eventually(lambda: marks() == ["ca", "ca", "ca"], marks)
    window.press("Escape")
    window.row("marks-c").wait_for()
    assert marks() == []


def selected_rows_are_copied_as_markdown(server, open_window):
    server.make("copied", "a\n  a1 x\n    a11\nb\n# Home\nc")
    window = open_window("copied", reduced_motion="reduce")
    field = window.page.locator("[data-part=newTitle]")
    window.row("copied-a1").locator(".title").click()
    window.row("copied-c").locator(".title").click(modifiers=["Control"])
    text = window.page.evaluate("""() => {
        const clipboardData = new DataTransfer();
        document.activeElement.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
        return clipboardData.getData("text/plain");
    }""")
    assert text == "- [x] a1\n  - [ ] a11\n- [ ] c\n", text
    window.press("Control+c")
    window.note.get_by_text("Copied 2 tasks").wait_for()
    # Pasted, they are the same tasks.
    window.page.locator("[data-part=edit]").click()
    field.click()
    window.press("Control+v")
    expect(server, "copied", "a\n  a1 x\n    a11\nb\n# Home\nc\na1 x\n  a11\nc")
    # In a field, its own text is copied.
    field.fill("mine")
    field.select_text()
    window.press("Control+c", "ArrowRight", "Control+v")
    assert field.input_value() == "minemine"
