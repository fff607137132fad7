"""What a person typed or did stays: in another list, after a reload, without the browser's storage, and without access."""

from page_server import eventually
from test_access import check
from test_drag import expect
from test_history import open_history, told
from test_menu import open_menu
from test_rights import with_token
from test_share import shared

# The browser has no network.
AWAY = ("net::ERR_",)
FIELD = "[data-part=newTitle]"
RENAME = "textarea.rename"


def text(window):
    return window.page.locator(FIELD).input_value()


def a_new_task_in_progress_survives_another_list_and_a_reload(server, open_window):
    server.make("one", "fruit\nbread")
    server.make("two", "x")
    window = open_window("one")
    open_menu(window, "one-fruit")
    window.page.get_by_role("menuitem", name="Add a subtask").click()
    window.page.keyboard.type("apples")
    window.open("two")
    assert text(window) == ""
    window.page.locator(FIELD).fill("y")
    window.page.go_back()
    window.shows("fruit", "bread")
    eventually(lambda: text(window) == "apples", lambda: text(window))
    window.reload()
    window.shows("fruit", "bread")
    eventually(lambda: text(window) == "apples", lambda: text(window))
    window.page.locator("[data-part=target]", has_text="Subtask of “\u2068fruit\u2069”").wait_for()
    window.page.locator(FIELD).press("Enter")
    expect(server, "one", "fruit\n  apples\nbread")
    window.reload()
    window.shows("fruit", "  apples", "bread")
    assert text(window) == ""
    window.open("two")
    eventually(lambda: text(window) == "y", lambda: text(window))


def a_title_in_progress_survives_a_reload(server, open_window):
    server.make("names", "a\nb\n# Home\nc")
    window = open_window("names")
    for begin, title in ((lambda: window.row("names-b").locator(".title").dblclick(), "bee"),
                         (lambda: window.section("Home").locator(".title").dblclick(), "House"),
                         (lambda: window.page.locator("h1[data-part=title] button").click(), "Titles")):
        begin()
        window.page.keyboard.type(title)
        window.reload()
        eventually(lambda: window.page.locator(RENAME).count() == 1, "the field is there again")
        assert window.page.locator(RENAME).input_value() == title
        window.reload()
        window.page.locator(RENAME).wait_for()
        window.page.keyboard.type("s")
        window.press("Enter")
        window.page.locator(RENAME).wait_for(state="detached")
    window.shows("a", "bees", "# Houses", "c")
    eventually(lambda: server.send("GET", "/lists/names")["title"] == "Titless", "the list is renamed")
    # The row was deleted meanwhile: the text is kept in the field for new tasks.
    window.row("names-c").locator(".title").dblclick()
    window.page.keyboard.type("sea")
    window.stored()
    window.page.goto("about:blank")
    server.send("DELETE", "/tasks/names-c")
    window.page.go_back()
    window.page.wait_for_selector("main[data-state=live]")
    window.shows("a", "bees", "# Houses")
    eventually(lambda: text(window) == "sea", lambda: text(window))
    window.page.locator(".note", has_text="“\u2068sea\u2069” is kept").wait_for()


NONE = """for (const name of %s) Object.defineProperty(globalThis, name, {
    get() { throw new DOMException("forbidden", "SecurityError"); },
});"""
SENTENCE = "Changes are not kept on this device until they are sent."


def the_page_works_without_storage_and_says_so(server, open_window):
    server.make("bare", "a\nb")
    everything = ["indexedDB", "localStorage", "sessionStorage"]
    for number, names in enumerate((*([one] for one in everything), everything)):
        window = open_window(None)
        window.expected = AWAY
        window.context.add_init_script(NONE % names)
        window.open("bare")
        waits = window.page.locator("[data-part=waits]")
        eventually(lambda window=window: window.titles()[:2] == ["a", "b"], window.titles)
        window.page.locator(FIELD).fill(f"t{number}")
        window.press("Enter")
        eventually(lambda number=number: f"t{number}" in server.outline("bare"), lambda: server.outline("bare"))
        window.page.locator("[data-part=find]").click()
        window.page.locator("[data-part=sinkDone]").click()
        window.page.locator("[data-part=endSearch]").click()
        assert not waits.is_visible()
        window.context.set_offline(True)
        window.page.locator(FIELD).fill("later")
        window.press("Enter")
        window.until("document.querySelector('main').dataset.waiting === '1'")
        if "indexedDB" in names:
            waits.get_by_text(SENTENCE).wait_for()
            assert not waits.get_by_role("button").is_visible()
            check(window, "not kept")
        else:
            assert not waits.is_visible()
        window.context.set_offline(False)
        window.page.wait_for_selector("main[data-state=live]")
        eventually(lambda waits=waits: not waits.is_visible(), "nothing waits")
        window.page.close()


def a_change_that_the_server_refused_is_shown_until_the_person_has_seen_it(server, open_window):
    server.make("firm", "a\nb\nc")
    window = open_window("firm")
    window.expected = AWAY
    window.shows("a", "b", "c")
    window.context.set_offline(True)
    window.row("firm-a").click()
    window.press("Delete")
    eventually(lambda: window.titles() == ["b", "c"], window.titles)
    server.send("PATCH", "/tasks/firm-a", {"locked": True})
    window.context.set_offline(False)
    window.page.wait_for_selector("main[data-state=live]")
    bar = window.page.locator("[data-part=refusals]")
    sentence = "“\u2068a\u2069”: A locked row can’t be moved, deleted or displaced."
    bar.get_by_text(sentence).wait_for()
    check(window, "refused")
    eventually(lambda: window.stored() == 0 and window.stored("refused") == 1, "it is kept")
    window.reload()
    bar.get_by_text(sentence).wait_for()
    other = window.context.new_page()
    other.goto(window.page.url)
    other.locator("[data-part=refusals]").get_by_text(sentence).wait_for()
    bar.get_by_role("button", name="OK").click()
    bar.wait_for(state="hidden")
    other.locator("[data-part=refusals]").wait_for(state="hidden")
    eventually(lambda: window.stored("refused") == 0, "it is not kept any more")
    window.reload()
    window.shows("a", "b", "c")
    assert not bar.is_visible()


def steps_on_a_list_without_access_wait_until_the_person_discards_them(server, open_window):
    shared(server)
    zoe = with_token(open_window, server, server.add_token("zoe", "write"), "plan")
    zoe.expected += AWAY
    zoe.shows("a", "b", "c")
    zoe.context.set_offline(True)
    zoe.page.locator(FIELD).fill("d")
    zoe.press("Enter")
    zoe.row("plan-a").locator(".tick").click()
    server.remove_token("zoe")
    zoe.context.set_offline(False)
    zoe.page.wait_for_selector("main[data-state=locked]")
    waits = zoe.page.locator("[data-part=waits]")
    waits.get_by_text("You have no access to this list. 2 changes are not sent.").wait_for()
    check(zoe, "no access")
    zoe.reload("locked")
    waits.get_by_text("2 changes are not sent.").wait_for()
    eventually(lambda: zoe.titles() == ["a", "b", "c", "d"], zoe.titles)
    dialog = zoe.page.locator("dialog.confirm")
    later = zoe.page.locator("dialog.token:modal [data-part=later]")
    if later.is_visible():
        later.click()
    waits.get_by_role("button", name="Discard…").click()
    dialog.get_by_text("Discard 2 changes?").wait_for()
    dialog.get_by_text("Added “\u2068d\u2069”; “\u2068a\u2069” is done.").wait_for()
    zoe.press("Escape")
    dialog.wait_for(state="hidden")
    zoe.until("document.querySelector('main').dataset.waiting === '2'")
    waits.get_by_role("button", name="Discard…").click()
    dialog.get_by_role("button", name="Discard", exact=True).click()
    zoe.until("document.querySelector('main').dataset.waiting === '0'")
    eventually(lambda: zoe.stored() == 0, "nothing is stored")
    assert not waits.is_visible()
    assert server.outline("plan") == "a\nb\nc"


def steps_on_a_deleted_list_wait_for_it(server, open_window):
    server.make("bin", "a")
    window, other = open_window("bin"), open_window("bin")
    window.expected = other.expected = (*AWAY, "status of 404")
    window.context.set_offline(True)
    window.page.locator(FIELD).fill("b")
    window.press("Enter")
    other.delete_list()
    eventually(lambda: server.refusal("GET", "/lists/bin") == "list_not_found", "it is deleted")
    window.context.set_offline(False)
    window.page.wait_for_selector("main[data-state=gone]")
    waits = window.page.locator("[data-part=waits]")
    waits.get_by_text("1 change is not sent, because the list does not exist.").wait_for()
    waits.get_by_role("button", name="Discard…").wait_for()
    other.note.get_by_role("button", name="Undo").click()
    window.page.wait_for_selector("main[data-state=live]")
    window.shows("a", "b")
    expect(server, "bin", "a\nb")
    eventually(lambda: not waits.is_visible(), "nothing waits")


def the_question_before_steps_are_discarded_describes_each_of_them(server, open_window):
    server.make("said", "a\nb\nc")
    window = open_window("said")
    window.expected = (*AWAY, "status of 404")
    window.context.set_offline(True)
    window.page.locator(FIELD).fill("d")
    window.press("Enter")
    window.focus("said-a")
    window.press("Delete", "Control+z")
    window.focus("said-c")
    window.press("Control+Enter", "Control+z")
    window.focus("said-b")
    window.press("Delete")
    window.until("document.querySelector('main').dataset.waiting === '6'")
    server.send("DELETE", "/lists/said")
    window.context.set_offline(False)
    window.page.wait_for_selector("main[data-state=gone]")
    window.page.locator("[data-part=waits]").get_by_role("button", name="Discard…").click()
    dialog = window.page.locator("dialog.confirm")
    dialog.get_by_text("Discard 6 changes?").wait_for()
    title = dialog.locator("[data-part=text]").inner_text().split(". ")[0].replace("\u2068", "").replace("\u2069", "")
    assert title == "Added “d”; Deleted “a”; Added “a”; “c” is done; “c” is not done; 1 more", title
    dialog.get_by_role("button", name="Discard", exact=True).click()
    window.until("document.querySelector('main').dataset.waiting === '0'")


def each_of_several_refused_changes_is_shown(server, open_window):
    server.make("many", "\n".join("abcdefg"))
    window = open_window("many")
    window.expected = AWAY
    window.context.set_offline(True)
    for name in "abcdefg":
        window.focus(f"many-{name}")
        window.press("Delete")
    window.until("document.querySelector('main').dataset.waiting === '7'")
    for name in "abcdefg":
        server.send("PATCH", f"/tasks/many-{name}", {"locked": True})
    window.context.set_offline(False)
    bar = window.page.locator("[data-part=refusals]")
    locked = "A locked row can’t be moved, deleted or displaced."
    sentences = lambda names: " ".join(f"“\u2068{name}\u2069”: {locked}" for name in names)
    bar.get_by_text(f"7 changes were refused. The last 5: {sentences('cdefg')}").wait_for()
    bar.get_by_role("button", name="OK").click()
    bar.get_by_text(f"2 changes were refused. {sentences('ab')}").wait_for()
    bar.get_by_role("button", name="OK").click()
    bar.wait_for(state="hidden")
    eventually(lambda: window.stored("refused") == 0, "they are not kept any more")


def each_act_without_a_network_is_a_line_of_the_history(server, open_window):
    server.make("away", "a\nb\nc\nd")
    window = open_window("away")
    window.expected = AWAY
    window.context.set_offline(True)
    window.row("away-a").locator(".tick").click()
    window.row("away-b").locator(".tick").click()
    window.page.locator(FIELD).fill("e")
    window.press("Enter")
    window.focus("away-c")
    window.press("Delete")
    window.focus("away-d")
    window.press("Space", "ArrowUp", "ArrowUp", "Space")
    window.until("document.querySelector('main').dataset.waiting === '5'")
    window.context.set_offline(False)
    window.page.wait_for_selector("main[data-state=live]")
    expect(server, "away", "d\na x\nb x\ne")
    window.still()
    open_history(window)
    told(window, "Somebody moved <d> to the top", "Somebody deleted <c>", "Somebody added <e>", "Somebody completed <b>",
         "Somebody completed <a>", "Somebody created the list")
    undo = window.page.locator("dialog.history li button")
    assert undo.count() == 5
    undo.nth(3).click()
    told(window, "Somebody reopened <b>")
    expect(server, "away", "d\na x\nb\ne")
