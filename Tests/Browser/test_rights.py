"""What a token allows, and the bin."""

from page_server import eventually
from test_lists import link, lists, shows
from test_token import WIDE, enter, live

# Everything with which a list, or the lists, can be changed.
EDITING = """main :is(footer, .handle, .more, .add, .delete, .adder, [data-part=undo], [data-part=redo], [data-part=settings],
    [data-part=edit]), nav :is(form, .more, [data-part=newFolder], [data-part=bin], [data-part=name], [data-part=sample])"""


def visible(window):
    return window.page.evaluate(f"""() => [...document.querySelectorAll(`{EDITING}`)]
        .filter((one) => one.checkVisibility()).map((one) => one.outerHTML.slice(0, 80))""")


def with_token(open_window, server, token, list_id, **options):
    window = open_window(None, **{"viewport": WIDE, "reduced_motion": "reduce", **options})
    window.expected = ("401", "403")
    window.page.add_init_script(f"localStorage.getItem('reorderd token') ?? localStorage.setItem('reorderd token', '{token}')")
    window.page.goto(f"{server.url}/#{list_id}")
    live(window)
    return window


def a_reader_sees_no_editing(server, open_window):
    server.make("home", "a\nb\nc")
    server.require_tokens()
    reader = server.add_token("reader", "read")
    server.make("plan", "a\n  a1\nb +\n  b1\n# Home\nc\n# Later")
    entries = [{"id": "pets", "title": "Pets"}, {"id": "e", "title": "?", "parent": "pets", "data": {"list": "home"}}]
    server.send("PUT", "/lists/index", {"title": "Lists", "tasks": entries})
    window = with_token(open_window, server, reader, "plan")
    shows(window, "Pets", "  home", "Weekend", "plan")
    window.shows("a", "  a1", "b", "# Home", "c", "# Later")
    assert visible(window) == [], visible(window)
    # Neither do keys and clicks change anything, nor do they begin something that would be lost.
    for key in ("F2", "n", "Delete", "Space", "Control+Enter", "Shift+ArrowDown", "Control+Space", "Shift+F10", "Enter"):
        window.focus("plan-a")
        window.press(key)
    window.row("plan-b").locator(".tick").click()
    window.row("plan-a").locator(".title").dblclick()
    window.row("plan-c").locator(".title").click(button="right")
    window.page.locator("[data-part=title] button").click(force=True)
    link(window, "home").focus()
    window.press("Alt+ArrowUp")
    assert window.page.locator("textarea, .selected, .held, .menu:popover-open, dialog:modal").count() == 0
    assert not window.note.is_visible()
    assert visible(window) == [], visible(window)
    # Folds are only for this window.
    window.row("plan-b").locator(".fold").click()
    window.shows("a", "  a1", "b", "  b1", "# Home", "c", "# Later")
    window.focus("plan-a")
    window.press("ArrowLeft")
    window.shows("a", "b", "  b1", "# Home", "c", "# Later")
    window.page.get_by_role("button", name="Pets", exact=True).click()
    shows(window, "Pets", "Weekend", "plan")
    assert server.send("GET", "/lists/plan")["version"] == 1
    assert server.send("GET", "/lists/index")["version"] == 1
    # An empty list does not invite to add tasks.
    server.make("void", "")
    window.open("void")
    window.page.get_by_text("This list is empty.").wait_for()
    assert not window.page.get_by_text("Add its first task below.").is_visible()
    # Another token allows more.
    window.open("plan")
    window.page.locator("[data-part=token]").click()
    enter(window, server.own)
    window.handle("plan-a").wait_for()
    window.page.locator("[data-part=newTitle]").fill("new")
    window.press("Enter")
    eventually(lambda: "new" in server.outline("plan"), lambda: server.outline("plan"))


def a_token_for_some_lists_edits_these_lists_only(server, open_window):
    server.make("home", "a\nb\nc")
    server.require_tokens()
    server.make("team-one", "a")
    server.make("team-two", "b")
    token = server.add_token("team", "write", "team-*", "home")
    window = with_token(open_window, server, token, "team-one")
    shows(window, "home", "team-one", "team-two")
    # The index is not covered: lists cannot be put in order.
    assert not window.page.locator("[data-part=newFolder]").is_visible()
    link(window, "team-two").focus()
    window.press("Alt+ArrowUp")
    # A new list has an id that the token covers.
    window.page.get_by_label("Title of a new list").fill("Three")
    window.press("Enter")
    window.page.wait_for_url("**/#team-*")
    window.page.locator("h1[data-part=title]", has_text="Three").wait_for()
    window.page.locator("[data-part=newTitle]").fill("first")
    window.press("Enter")
    window.shows("first")


def the_page_notices_that_a_token_allows_less_now(server, open_window):
    server.make("home", "a\nb\nc")
    server.require_tokens()
    token = server.add_token("changing", "write")
    window = with_token(open_window, server, token, "home")
    window.handle("home-a").wait_for()
    server.change_token("changing", token, "read")
    window.row("home-b").locator(".tick").click()
    window.until("document.querySelector('main').dataset.readonly === 'true'")
    assert visible(window) == [], visible(window)
    assert server.outline("home") == "a\nb\nc"


def what_a_token_allows_is_known_without_a_network(server, open_window):
    server.make("home", "a\nb\nc")
    server.require_tokens()
    window = with_token(open_window, server, server.own, "home", service_workers="allow")
    window.expected = ("401", "403", "net::ERR_")
    window.handle("home-a").wait_for()
    window.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.stop()
    window.page.reload()
    window.page.wait_for_selector("main[data-state=offline]")
    window.handle("home-a").wait_for()
    server.start()
    live(window)


def a_list_that_someone_else_deleted_is_restored_while_its_page_is_open(server, open_window):
    server.make("gone", "a")
    window = open_window("gone", viewport=WIDE, reduced_motion="reduce")
    window.expected = ("status of 404",)
    server.send("DELETE", "/lists/gone")
    window.page.locator("main[data-state=gone]").wait_for()
    window.page.get_by_role("button", name="Deleted lists…").click()
    window.page.locator("dialog.bin").get_by_role("button", name="Restore").first.click()
    window.shows("a")


def deleted_lists_are_restored_from_the_bin(server, open_window):
    lists(server, "ant", "bee")
    server.send("PATCH", "/lists/bee", {"title": "Bees of Rome"})
    window = open_window("bee", viewport=WIDE, reduced_motion="reduce")
    window.expected = ("status of 404",)
    window.page.locator("[data-part=settings]").click()
    for _ in range(2):
        window.page.locator("[data-part=deleteList]").click()
    window.note.get_by_text("Deleted “\u2068Bees of Rome\u2069”").wait_for()
    shows(window, "ant", "Weekend")
    # The note is gone after a while, and after a reload.
    window.page.reload()
    shows(window, "ant", "Weekend")
    window.page.get_by_role("button", name="Deleted lists…").click()
    bin_dialog = window.page.locator("dialog.bin")
    bin_dialog.get_by_text("1 task, deleted on").wait_for()
    bin_dialog.get_by_role("button", name="Restore “\u2068Bees of Rome\u2069”").click()
    bin_dialog.wait_for(state="hidden")
    window.shows("a")
    window.page.locator("h1[data-part=title]", has_text="Bees of Rome").wait_for()
    shows(window, "ant", "Bees of Rome", "Weekend")
    window.page.get_by_role("button", name="Deleted lists…").click()
    bin_dialog.get_by_text("There are no deleted lists.").wait_for()
    window.press("Escape")
    assert server.outline("bee") == "a"
