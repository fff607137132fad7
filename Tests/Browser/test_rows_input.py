"""Clicks and keys on rows: the focus, the selection, completing, undo and redo, and the keys of input methods."""

from page_server import eventually
from test_drag import expect
from test_lists import field
from test_token import WIDE

# Keys as an input method sends them: while it composes, and (in Safari) the key that ends a composition.
COMPOSE = """([selector, key]) => {
    for (const init of [{ isComposing: true }, { keyCode: 229 }])
        document.querySelector(selector).dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init }));
}"""


def compose(window, selector, *keys):
    for key in keys:
        window.page.evaluate(COMPOSE, [selector, key])


def a_clicked_row_shows_that_keys_act_on_it(server, open_window):
    server.make("ring", "a\nb")
    window = open_window("ring")
    style = lambda task: window.row(task).locator(".cell").evaluate("cell => getComputedStyle(cell).outlineStyle")
    window.row("ring-b").locator(".title").click()
    assert (style("ring-a"), style("ring-b")) == ("none", "solid")
    window.press("Delete")
    expect(server, "ring", "a")


def a_click_and_a_click_with_ctrl_select_both_rows(server, open_window):
    server.make("both", "a\nb\nc\nd\n# Home\ne")
    window = open_window("both")
    selected = lambda: window.page.evaluate(
        "() => [...document.querySelectorAll('.canvas [aria-selected=true]')].map((row) => row.dataset.task)")
    click = lambda task, *keys: window.row(task).locator(".title").click(modifiers=keys)
    click("both-a")
    click("both-c", "Control")
    assert sorted(selected()) == ["both-a", "both-c"], selected()
    click("both-a", "Control")
    assert selected() == ["both-c"]
    # A row that was reached with the arrows counts as clicked.
    click("both-a")
    window.press("ArrowDown")
    click("both-d", "Control")
    assert sorted(selected()) == ["both-b", "both-d"], selected()
    # A header is no task.
    window.section("Home").locator(".title").click()
    click("both-e", "Control")
    assert selected() == ["both-e"]
    click("both-a")
    click("both-b", "Control")
    window.press("Delete")
    expect(server, "both", "c\nd\n# Home\ne")


def a_key_completes_tasks(server, open_window):
    server.make("keyed", "a\nb x\nc")
    window = open_window("keyed")
    window.focus("keyed-a")
    window.press("Control+Enter")
    expect(server, "keyed", "a x\nb x\nc")
    window.press("Control+Enter")
    expect(server, "keyed", "a\nb x\nc")
    window.press("Shift+ArrowDown", "Shift+ArrowDown", "Control+Enter")
    expect(server, "keyed", "a x\nb x\nc x")
    window.press("?")
    window.page.locator("dialog.shortcuts").get_by_text("mark as not completed").wait_for()


def a_button_redoes_a_step(server, open_window):
    server.make("redone", "a\nb")
    window = open_window("redone")
    undo, redo = (window.page.locator(f"header [data-part={name}]") for name in ("undo", "redo"))
    assert undo.is_disabled() and redo.is_disabled()
    window.row("redone-a").locator(".tick").click()
    expect(server, "redone", "a x\nb")
    undo.click()
    expect(server, "redone", "a\nb")
    redo.click()
    expect(server, "redone", "a x\nb")
    eventually(redo.is_disabled, "nothing is left to redo")


def the_title_of_a_list_is_edited_in_place(server, open_window):
    server.make("titled", "a")
    window = open_window("titled", viewport=WIDE)
    title = window.page.locator("[data-part=title] button")
    editor = window.page.locator("[data-part=title] textarea")
    title.click()
    editor.fill("Plans")
    window.press("Enter")
    eventually(lambda: server.send("GET", "/lists/titled")["title"] == "Plans", "it is renamed")
    assert title.evaluate("one => one === document.activeElement") and window.page.title() == "Plans"
    window.press("Enter")
    editor.fill("Other plans")
    window.press("Escape")
    window.press("F2")
    assert editor.input_value() == "Plans"
    editor.fill("")
    window.press("Enter")
    editor.wait_for(state="detached")
    assert title.text_content() == "Plans"


def the_editing_of_a_lists_title_ends_with_the_list(server, open_window):
    server.make("first", "a")
    server.make("second", "b")
    before = server.send("GET", "/lists/first")["title"]
    window = open_window("first", viewport=WIDE)
    window.open("second")
    window.page.locator("[data-part=title] button").click()
    editor = window.page.locator("[data-part=title] textarea")
    editor.fill("Second title")
    window.open("first")
    window.shows("a")
    editor.wait_for(state="detached")
    eventually(lambda: server.send("GET", "/lists/second")["title"] == "Second title", "the title is stored")
    assert server.send("GET", "/lists/first")["title"] == before


def commands_work_on_keyboards_without_latin_letters(server, open_window):
    server.make("layout", "a\nb")
    window = open_window("layout", viewport=WIDE)
    window.row("layout-a").locator(".tick").click()
    expect(server, "layout", "a x\nb")
    window.focus("layout-a")
    window.page.evaluate("""() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
        { key: "я", code: "KeyZ", ctrlKey: true, bubbles: true, cancelable: true }))""")
    expect(server, "layout", "a\nb")


def keys_of_an_input_method_have_no_other_effect(server, open_window):
    server.make("kana", "a\n  a1\nb")
    window = open_window("kana", viewport=WIDE)
    # A new task.
    window.row("kana-a").click(button="right")
    window.page.get_by_role("menuitem", name="Add a subtask").click()
    target = window.page.locator("[data-part=target]", has_text="Subtask of")
    target.wait_for()
    compose(window, "[data-part=newTitle]", "Escape", "Tab", "Enter")
    assert target.is_visible()
    window.press("Escape")
    target.wait_for(state="hidden")
    # Renaming.
    window.focus("kana-b")
    window.press("F2")
    compose(window, "textarea.rename", "Enter", "Escape")
    assert window.page.locator("textarea.rename").is_visible()
    window.press("Escape")
    # The title of the list.
    window.page.locator("[data-part=title] button").click()
    compose(window, "[data-part=title] textarea", "Enter", "Escape")
    assert window.page.locator("[data-part=title] textarea").is_visible()
    window.press("Escape")
    # The search in the list, and in all lists.
    window.press("/")
    compose(window, "[data-part=searchText]", "Escape", "Enter", "ArrowDown")
    assert window.page.locator("[data-part=searchText]").evaluate("one => one === document.activeElement")
    window.press("Escape")
    field(window).fill("a1")
    window.page.get_by_role("option").wait_for()
    compose(window, "[data-part=findAll]", "Escape", "Enter", "ArrowDown")
    assert field(window).input_value() == "a1"
    assert window.page.locator("[role=option][aria-selected=true]").count() == 0
    window.press("Escape")
    # Rows, the menu of a row, a lifted row, lists, and the keys that work everywhere.
    window.focus("kana-a")
    compose(window, '[data-task="kana-a"]', "Delete", " ", "Enter", "F2", "ArrowDown", "n", "/", "?")
    assert window.page.evaluate("document.activeElement.dataset.task") == "kana-a"
    window.press("Shift+F10")
    compose(window, "[data-part=menu] button", "Escape", "ArrowDown", "Tab")
    assert window.page.locator("[data-part=menu] button").first.evaluate("one => one === document.activeElement")
    window.press("Escape", "Space")
    compose(window, '[data-task="kana-a"]', "Escape", "ArrowDown", " ", "Enter")
    assert window.page.locator(".held").count() == 2
    window.press("Escape")
    window.page.locator('nav a[href="#kana"]').focus()
    window.page.evaluate("""() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
        { key: "ArrowDown", altKey: true, keyCode: 229, bubbles: true, cancelable: true }))""")
    assert server.send("GET", "/lists/kana")["version"] == 1
