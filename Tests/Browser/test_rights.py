"""What a token allows, and the bin."""

from page_server import eventually
from test_lists import link, lists, shows
from test_token import WIDE, enter, live
from window import NOTE

# Everything with which a list, or the lists, can be changed.
EDITING = """main :is(footer, .handle, .more, .add, .delete, .adder, [data-part=undo], [data-part=redo],
    [data-part=edit]), nav :is(form, .more, [data-part=import], [data-part=newFolder], [data-part=bin], [data-part=name], [data-part=sample])"""


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
    window.row("plan-b").locator(".tick").click(force=True)
    window.row("plan-a").locator(".title").dblclick()
    window.row("plan-c").locator(".title").click(button="right")
    window.page.locator("[data-part=title] button").click(force=True)
    link(window, "home").focus()
    window.press("Alt+ArrowUp")
    assert window.page.locator("textarea:not([readonly]), .selected, .held, .menu:popover-open, dialog:modal").count() == 0
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
    token = server.add_token("team", "write:team-*,home")
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


def a_token_that_reads_one_list_and_writes_another_edits_only_the_second(server, open_window):
    server.make("home", "a\nb\nc")
    server.require_tokens()
    server.make("plan", "a\nb")
    server.make("third", "a")
    token = server.add_token("guest", "read:plan", "purge:home,third")
    window = with_token(open_window, server, token, "plan")
    shows(window, "home", "plan", "third")
    window.shows("a", "b")
    assert window.page.locator("main").get_attribute("data-readonly") == "true"
    assert window.page.locator("main :is(footer, .handle, .more, .delete):visible").count() == 0
    window.open("home")
    window.handle("home-a").wait_for()
    window.page.locator("[data-part=newTitle]").fill("d")
    window.press("Enter")
    eventually(lambda: "d" in server.outline("home"), lambda: server.outline("home"))
    # A task moves to lists that may be changed.
    window.focus("home-a")
    window.press("Shift+F10")
    window.page.get_by_role("menuitem", name="Move…").click()
    choices = window.page.locator("dialog:modal").get_by_role("option")
    choices.first.wait_for()
    assert choices.all_inner_texts() == ["third"], choices.all_inner_texts()


def the_id_of_a_new_list_has_a_long_beginning_that_the_token_covers(server, open_window):
    server.make("home", "a")
    server.require_tokens()
    # An id has at most 64 characters, and at least 12 of them must be random.
    longest = "p" * 52
    token = server.add_token("long", f"write:home,{longest}*,{longest}q*")
    window = with_token(open_window, server, token, "home")
    ids = set()
    for title in ("One", "Two"):
        window.page.get_by_label("Title of a new list").fill(title)
        window.press("Enter")
        window.page.locator("h1[data-part=title]", has_text=title).wait_for()
        ids.add(window.page.evaluate("location.hash.slice(1)"))
    assert len(ids) == 2 and all(one.startswith(longest) and len(one) == 64 for one in ids), ids
    # A longer beginning leaves no room, so no list can be created.
    token = server.add_token("longer", f"write:home,{longest}q*")
    window = with_token(open_window, server, token, "home")
    window.handle("home-a").wait_for()
    assert not window.page.get_by_label("Title of a new list").is_visible()


def a_list_that_is_created_again_after_a_lost_response_is_one_list(server, open_window):
    window = open_window("demo", viewport=WIDE, reduced_motion="reduce")
    window.expected = ("net::ERR_",)

    def lose(route):
        route.fetch()
        route.abort()

    def create(title):
        window.page.get_by_label("Title of a new list").fill(title)
        window.press("Enter")

    window.page.route("**/lists", lose)
    create("Trip")
    window.note.get_by_text("The server can’t be reached.").wait_for()
    window.page.unroute("**/lists")
    create("Trip")
    window.page.locator("h1[data-part=title]", has_text="Trip").wait_for()
    titles = lambda: sorted(one["title"] for one in server.send("GET", "/lists")["lists"])
    assert titles() == ["Trip", "Weekend"], titles()
    # Another list with this title is a new one.
    window.until("document.activeElement.dataset.part === 'newTitle'")
    create("Trip")
    eventually(lambda: titles() == ["Trip", "Trip", "Weekend"], titles)


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
    server.send("DELETE", "/lists/gone")
    window.page.locator("main[data-state=gone]").wait_for()
    window.page.get_by_role("button", name="Deleted lists…").click()
    window.page.locator("dialog.bin").get_by_role("button", name="Restore").first.click()
    window.shows("a")


def a_list_that_someone_else_restores_appears_on_its_page(server, open_window):
    server.make("back", "a\nb")
    window = open_window("back", viewport=WIDE, reduced_motion="reduce")
    narrow = open_window("back", viewport={"width": 400, "height": 700}, reduced_motion="reduce")
    for _ in range(2):
        server.send("DELETE", "/lists/back")
        for one in (window, narrow):
            one.page.locator("main[data-state=gone]").wait_for()
            one.page.get_by_text("This list does not exist.").and_(one.page.locator("[data-part=gone]")).wait_for()
            one.shows()
        server.send("POST", "/lists/back/restore")
        for one in (window, narrow):
            one.shows("a", "b")
            one.page.locator("main[data-state=live]").wait_for()
            assert not one.page.locator("[data-part=gone]").is_visible()
    window.page.locator("[data-part=newTitle]").fill("c")
    window.press("Enter")
    narrow.shows("a", "b", "c")
    window.handle("back-a").wait_for()


def a_deletion_by_someone_else_ends_what_is_being_edited(server, open_window):
    server.make("edited", "a\nb")
    window = open_window("edited", viewport=WIDE, reduced_motion="reduce")
    window.expected = ("status of 404",)  # the drag that ends with the list
    version = server.send("GET", "/lists/edited")["version"]

    def edit_the_title():
        window.page.locator("[data-part=title] button").click()
        window.page.keyboard.type("Renamed")

    def edit_a_task():
        window.focus("edited-a")
        window.press("F2")
        window.page.keyboard.type("renamed")

    def open_the_settings():
        window.command("Settings…")

    def open_the_menu():
        window.focus("edited-a")
        window.press("Shift+F10")

    def lift_a_row():
        window.focus("edited-a")
        window.press("Space", "ArrowDown")

    editing = "textarea.rename, dialog:modal, .menu:popover-open, .held"
    for act in (edit_the_title, edit_a_task, open_the_settings, open_the_menu, lift_a_row):
        window.shows("a", "b")
        act()
        eventually(lambda: window.page.locator(editing).count() > 0, act.__name__)
        server.send("DELETE", "/lists/edited")
        window.page.locator("main[data-state=gone]").wait_for()
        eventually(lambda: window.page.locator(editing).count() == 0, act.__name__)
        typed = {edit_the_title: "Renamed", edit_a_task: "renamed"}.get(act)
        if typed:
            window.note.get_by_text(f"“\u2068{typed}\u2069” is kept").wait_for()
            window.elapse(NOTE)
        else:
            assert not window.note.get_by_text("Changed").or_(window.note.get_by_text("deleted")).is_visible(), act.__name__
        window.page.locator("[data-part=title] button").click(force=True)
        window.press("Control+z")
        assert window.page.locator(editing).count() == 0, act.__name__
        server.send("POST", "/lists/edited/restore")
        version += 2
        window.page.locator("main[data-state=live]").wait_for()
    assert server.send("GET", "/lists/edited")["version"] == version
    assert server.outline("edited") == "a\nb"
    assert window.page.locator("[data-part=newTitle]").input_value() == "Renamed renamed"


def deleted_lists_are_restored_from_the_bin(server, open_window):
    lists(server, "ant", "bee")
    server.send("PATCH", "/lists/bee", {"title": "Bees of Rome"})
    window = open_window("bee", viewport=WIDE, reduced_motion="reduce")
    window.expected = ("status of 404",)
    window.delete_list()
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
