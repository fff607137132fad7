"""Importing files, and saving lists as files."""

import json
import urllib.request
from pathlib import Path

from page_server import eventually
from test_access import check
from test_lists import names
from test_palette import options
from test_rights import with_token
from test_share import guest, make_link, open_sharing, shared
from test_token import WIDE

MARKDOWN = """# Groceries

For the weekend, when the others come.

## Fruit
- [ ] Apples
  - [x] Red ones
- [ ] Pears
"""
TABLE = "Task,Status,Note,Place\nTickets,done,two,the station\nMap,,,at home\n"


def file(name, text):
    return {"name": name, "mimeType": "", "buffer": text if isinstance(text, bytes) else text.encode()}


def several(**titles):
    """A file with several lists: the id of each, and the title of its only task."""
    return "\n".join(json.dumps({"id": one, "title": one, "tasks": [{"id": f"{one}-{task}", "title": task}]}) for one, task in titles.items())


def dialog(window):
    return window.page.locator("dialog.import:modal")


def choose(window, *files):
    """Opens the dialog with the button in the sidebar, and chooses files."""
    window.page.get_by_role("button", name="Import…").click()
    dialog(window).locator("input[type=file]").set_input_files(list(files))


def state(window, text):
    part = dialog(window).locator("[role=status]")
    eventually(lambda: part.text_content() == text, lambda: f"{text}, but {part.text_content()}")


def fault(window, text):
    part = dialog(window).locator(".fault")
    eventually(lambda: text in part.text_content(), lambda: f"{text}, but {part.text_content()}")


def go_on(window, label):
    dialog(window).get_by_role("button", name=label, exact=True).click()


def following(window):
    """The text of the button that goes on, and whether it can be pressed."""
    button = dialog(window).locator("[type=submit]")
    return button.text_content(), button.is_enabled()


def outline(window):
    """The preview's first tasks of the lists that are open, indented by their nesting."""
    return dialog(window).locator(".outline").evaluate_all("""(all) => all.flatMap((one) => [...one.querySelectorAll("li")]
        .filter((item) => item.checkVisibility())
        .map((item) => {
            let depth = -1;
            for (let list = item; list !== one; list = list.parentElement) if (list.matches("li")) depth += 1;
            const text = item.firstElementChild.textContent;
            return "  ".repeat(depth) + (item.className === "section" ? "# " : "") + text;
        }))""")


def exists(server, list_id):
    return server.refusal("GET", f"/lists/{list_id}") is None


def drag_files(window, *paths, to="body", kinds=("dragEnter", "dragOver", "drop")):
    """Drags files from elsewhere onto the page, as the browser sees it."""
    session = window.context.new_cdp_session(window.page)
    box = window.page.locator(to).first.bounding_box()
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in kinds:
        point = {"x": box["x"] + 8, "y": box["y"] + 8}
        session.send("Input.dispatchDragEvent", {"type": kind, **point, "data": data})


def written(folder, name, text):
    path = Path(folder) / name
    path.write_text(text)
    return path


def a_dropped_file_is_imported_after_a_preview(server, open_window):
    server.make("home", "a\nb")
    window = open_window("home", viewport=WIDE, reduced_motion="reduce")
    path = written(server._store.parent, "groceries.md", MARKDOWN)
    over = lambda *kinds: drag_files(window, path, to='[data-task="home-b"]', kinds=kinds)
    over("dragEnter")
    eventually(lambda: over("dragOver") or window.page.locator(".drop-here").is_visible(), "files can be dropped")
    over("drop")
    state(window, "Markdown: 1 list, 3 tasks.")
    assert not window.page.locator(".drop-here").is_visible()
    assert dialog(window).locator(".file").text_content() == "groceries.md"
    assert dialog(window).locator(".lists .name").all_inner_texts() == ["Groceries"]
    assert "3 tasks, 1 done, 1 section · new" in dialog(window).locator(".lists").inner_text()
    assert outline(window) == ["# Fruit", "Apples", "  Red ones (done)", "Pears"], outline(window)
    left_out = dialog(window).locator(".differences")
    assert "Left out" in left_out.inner_text() and "line 3" in left_out.inner_text(), left_out.inner_text()
    check(window, "a preview")
    # Until now, nothing is written, and the list is as it was.
    assert not exists(server, "groceries")
    go_on(window, "Import 1 list")
    window.page.wait_for_url(f"{server.url}/#groceries")
    window.shows("# Fruit", "Apples", "  Red ones", "Pears")
    assert not window.page.locator("dialog:modal").count()
    assert server.outline("home") == "a\nb" and server.send("GET", "/lists/home")["version"] == 1
    assert "Groceries" in names(window), names(window)
    window.note.get_by_text("Imported “\u2068Groceries\u2069”").wait_for()
    # Its undo puts the list into the bin.
    window.note.get_by_role("button", name="Undo").click()
    eventually(lambda: not exists(server, "groceries"), "the list is deleted")
    assert [one["id"] for one in server.send("GET", "/bin")["lists"]] == ["groceries"]
    window.page.wait_for_url(f"{server.url}/#")
    window.note.get_by_text("Deleted 1 list.").wait_for()


def several_files_are_imported_one_after_the_other(server, open_window):
    server.make("home", "a")
    window = open_window(None, viewport=WIDE, reduced_motion="reduce")
    window.page.goto(f"{server.url}/")
    window.page.locator("nav a").first.wait_for()
    choose(window, file("one.md", "- a"), file("two.txt", "- b"), file("three.json", several(x="X", y="Y")))
    name = dialog(window).locator(".file")
    eventually(lambda: name.text_content() == "one.md (1 of 3)", name.text_content)
    state(window, "Markdown: 1 list, 1 task.")
    go_on(window, "Import 1 list")
    eventually(lambda: name.text_content() == "two.txt (2 of 3)", name.text_content)
    go_on(window, "Skip this file")
    state(window, "JSON: 2 lists, 2 tasks.")
    # The others are folded.
    assert outline(window) == ["X"], outline(window)
    go_on(window, "Import 2 lists")
    window.page.wait_for_url(f"{server.url}/#one")
    window.note.get_by_text("Imported 3 lists").wait_for()
    assert [exists(server, one) for one in ("one", "two", "x", "y")] == [True, False, True, True]


def a_table_with_unknown_columns_asks_what_they_are(server, open_window):
    server.make("home", "a")
    window = open_window("home", viewport={"width": 390, "height": 760}, color_scheme="dark", reduced_motion="reduce")
    window.expected = ("422",)
    window.press("Control+k")
    window.page.locator("dialog.choose:modal input").fill("Import")
    eventually(lambda: options(window)[:1] == ["Import…"], lambda: options(window))
    window.press("Enter")
    dialog(window).locator("input[type=file]").set_input_files([file("plan.csv", TABLE)])
    state(window, "Which column is what?")
    selects = {name: dialog(window).get_by_label(name, exact=True) for name in ("Title", "Done", "Notes", "Due")}
    chosen = {name: one.evaluate("one => one.selectedOptions[0].textContent") for name, one in selects.items()}
    assert chosen == {"Title": "Task", "Done": "Status", "Notes": "Note", "Due": "–"}, chosen
    check(window, "the columns")
    selects["Notes"].select_option("")
    dialog(window).get_by_label("Section", exact=True).select_option("Note")
    go_on(window, "Show what will come")
    state(window, "CSV: 1 list, 2 tasks.")
    assert outline(window) == ["Map", "# two", "Tickets (done)"], outline(window)
    # They can be changed again.
    go_on(window, "Change the columns")
    assert selects["Notes"].evaluate("one => one.selectedOptions[0].textContent") == "–"
    selects["Done"].select_option("")
    go_on(window, "Show what will come")
    eventually(lambda: outline(window) == ["Map", "# two", "Tickets"], lambda: outline(window))
    assert not exists(server, "plan")
    go_on(window, "Import 1 list")
    window.page.wait_for_url(f"{server.url}/#plan")
    window.shows("Map", "# two", "Tickets")
    assert not any(one["done"] or "data" in one for one in server.send("GET", "/lists/plan")["tasks"])


def a_list_that_exists_is_replaced_only_if_the_person_says_so(server, open_window):
    server.make("groceries", "mine")
    window = open_window("groceries", viewport=WIDE, reduced_motion="reduce")
    choose(window, file("groceries.md", MARKDOWN))
    exist = dialog(window).locator(".existing")
    exist.get_by_text("The list “\u2068Groceries\u2069” exists with other content.").wait_for()
    assert exist.get_by_label("Leave it as it is").is_checked()
    assert following(window) == ("Import", False), following(window)
    check(window, "a list that exists")
    # As a new list, beside the other one.
    exist.get_by_label("Import it as a new list").click()
    eventually(lambda: following(window) == ("Import 1 list", True), lambda: following(window))
    go_on(window, "Import 1 list")
    window.shows("# Fruit", "Apples", "  Red ones", "Pears")
    assert server.outline("groceries") == "mine" and "#groceries" not in window.page.url
    # In its place.
    choose(window, file("groceries.md", MARKDOWN))
    exist.get_by_label("Replace it").check()
    assert exist.get_by_text("What is there now is replaced for everybody.").is_visible()
    assert following(window) == ("Replace 1 list", True), following(window)
    go_on(window, "Replace 1 list")
    window.page.wait_for_url(f"{server.url}/#groceries")
    window.shows("# Fruit", "Apples", "  Red ones", "Pears")
    window.note.get_by_text("Imported “\u2068Groceries\u2069”").wait_for()
    assert not window.note.get_by_role("button", name="Undo").count()
    # Then there is nothing left to import.
    choose(window, file("groceries.md", MARKDOWN))
    state(window, "Markdown: 1 list, 3 tasks. All of it is here already.")
    assert following(window) == ("Import", False) and not exist.count()


def other_lists_of_a_file_are_imported_beside_one_that_exists(server, open_window):
    server.make("beta", "mine")
    window = open_window("beta", viewport=WIDE, reduced_motion="reduce")
    choose(window, file("all.json", several(alpha="A", beta="B")))
    assert dialog(window).locator(".existing").get_by_label("Leave it as it is").is_checked()
    go_on(window, "Import 1 list")
    window.page.wait_for_url(f"{server.url}/#alpha")
    assert (server.outline("alpha"), server.outline("beta")) == ("A", "mine")


def a_file_that_cannot_be_imported_says_why(server, open_window):
    server.restart("--max-body-bytes", "100000")
    server.make("home", "a")
    window = open_window("home", viewport=WIDE, reduced_motion="reduce")
    window.expected = ("422", "413", "ERR_")
    choose(window, file("picture.bin", bytes(range(256))))
    fault(window, "The format of this file is unknown, or ")
    for name in ("Markdown", "Trello", "iCalendar"):
        fault(window, name)
    check(window, "an unknown file")
    window.press("Escape")
    choose(window, file("large.md", "- a\n" * 200_000))
    fault(window, "The file is too large for this server.")
    window.press("Escape")
    choose(window, file("broken.json", '{"title": "a",\n"tasks": [}'))
    fault(window, "The file can’t be imported. Line 2")
    window.press("Escape")
    # A folder is no file.
    drag_files(window, server._store.parent, to=".canvas")
    fault(window, "The file can’t be read.")
    assert len(server.send("GET", "/lists")["lists"]) == 2


def an_import_that_broke_off_is_completed_by_another_attempt(server, open_window):
    server.make("home", "a")
    window = open_window("home", viewport=WIDE, reduced_motion="reduce")
    window.expected = ("ERR_",)
    # The dialog is in the second script.
    window.page.evaluate("import(document.querySelector('link[rel=later]').href)")
    server.stop()
    window.page.wait_for_selector("main[data-state=offline]")
    choose(window, file("all.json", several(alpha="A", beta="B")))
    fault(window, "The server can’t be reached. The file is kept")
    server.start()
    go_on(window, "Try again")
    state(window, "JSON: 2 lists, 2 tasks.")

    # Only one of the lists is written, and the response is lost.
    def break_off(route):
        request = urllib.request.Request(
            f"{server.url}/imports?name=all.json", data=several(alpha="A").encode(), method="POST")
        urllib.request.urlopen(request).close()
        route.abort()

    window.page.route("**/imports?*", break_off)
    go_on(window, "Import 2 lists")
    fault(window, "perhaps not everything is here")
    assert (exists(server, "alpha"), exists(server, "beta")) == (True, False)
    window.page.unroute("**/imports?*")
    go_on(window, "Try again")
    window.page.wait_for_url(f"{server.url}/#alpha")
    window.note.get_by_text("Imported 2 lists").wait_for()
    assert [server.send("GET", f"/lists/{one}")["version"] for one in ("alpha", "beta")] == [1, 1]
    # What the first attempt has written belongs to the import, too.
    window.note.get_by_role("button", name="Undo").click()
    eventually(lambda: not exists(server, "alpha") and not exists(server, "beta"), "both are deleted")


def a_closed_dialog_ends_no_import_that_has_begun(server, open_window):
    server.make("home", "a")
    window = open_window("home", viewport=WIDE, reduced_motion="reduce")
    held = []
    choose(window, file("one.md", "- a"), file("two.md", "- b"))
    state(window, "Markdown: 1 list, 1 task.")
    window.page.route("**/imports?*", lambda route: held.append(route))
    go_on(window, "Import 1 list")
    eventually(lambda: held, "the request is sent")
    window.press("Escape")
    assert not dialog(window).count()
    held[0].continue_()
    window.page.wait_for_url(f"{server.url}/#one")
    window.note.get_by_text("Imported “\u2068one\u2069”").wait_for()
    assert not dialog(window).count() and not exists(server, "two")


def only_a_person_who_may_make_lists_can_import(server, open_window):
    token = shared(server)
    anna = with_token(open_window, server, token, "plan")
    open_sharing(anna)
    link = make_link(anna, "", "write")
    path = written(server._store.parent, "groceries.md", MARKDOWN)
    reader = with_token(open_window, server, server.add_token("Ben", "read"), "plan")
    for window in (reader, guest(open_window, link)):
        assert not window.page.locator("[data-part=import]").is_visible()
        window.press("Control+k")
        window.page.locator("dialog.choose:modal input").fill("port…")
        eventually(lambda window=window: options(window) == ["Export…"], lambda window=window: options(window))
        window.press("Escape")
        # The browser does not open the file in place of the page.
        drag_files(window, path, to=".canvas")
        drag_files(window, path, to=".canvas", kinds=("dragEnter", "dragOver", "dragOver"))
        window.row("plan-a").wait_for()
        assert not dialog(window).count() and not window.page.locator(".drop-here").is_visible()
        assert window.page.url == f"{server.url}/#plan"
    # A token for some lists makes lists of these only.
    team = with_token(open_window, server, server.add_token("Team", "read", "write:team-*"), "plan")
    choose(team, file("groceries.md", MARKDOWN))
    state(team, "Markdown: 1 list, 3 tasks.")
    go_on(team, "Import 1 list")
    team.shows("# Fruit", "Apples", "  Red ones", "Pears")
    assert "/#team-" in team.page.url, team.page.url


def bytes_of(server, list_id, name):
    headers = {"Authorization": f"Bearer {server.own}"} if server.own else {}
    request = urllib.request.Request(f"{server.url}/lists/{list_id}/export?format={name}", headers=headers)
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def save(window, label):
    """Saves the open list in a format. Returns the file's name and its bytes."""
    window.command("Export…")
    window.page.locator("dialog.choose:modal input").fill(label)
    with window.page.expect_download() as download:
        window.press("Enter")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def a_list_is_saved_as_a_file(server, open_window):
    token = shared(server)
    server.send("PATCH", "/lists/plan", {"title": "Zoë & Co"})
    server.send("PATCH", "/tasks/plan-b", {"title": "Brötchen, 4", "done": True})
    anna = with_token(open_window, server, token, "plan", accept_downloads=True)
    open_sharing(anna)
    reader = guest(open_window, make_link(anna, "", "read"))
    anna.press("Escape")
    formats = (("Markdown", "markdown", "md"), ("Todoist", "todoist", "csv"), ("JSON", "json", "json"), ("CSV", "csv", "csv"),
               ("todo.txt", "todotxt", "txt"), ("OPML", "opml", "opml"), ("iCalendar", "ics", "ics"))
    for window in (anna, reader):
        for label, name, ending in formats if window is anna else formats[:1]:
            file_name, text = save(window, label)
            assert file_name == f"Zoë & Co.{ending}", file_name
            assert text == bytes_of(server, "plan", name) and "Brötchen".encode() in text, text
            window.note.get_by_text(f"Saved “\u2068Zoë & Co.{ending}\u2069”", exact=True).wait_for()
    anna.command("Export…")
    check(anna, "the formats")
    anna.press("Escape")
    # It is the list as the server has it.
    anna.expected = reader.expected = (*anna.expected, "ERR_")
    anna.page.route("**/lists/plan/batch", lambda route: route.abort())
    anna.row("plan-a").locator(".tick").click()
    anna.until("document.querySelector('main').dataset.waiting === '1'")
    save(anna, "Markdown")
    anna.note.get_by_text("without 1 change that is not on the server yet.").wait_for()
    server.stop()
    anna.command("Export…")
    anna.press("Enter")
    anna.note.get_by_text("The server can’t be reached.").wait_for()


def a_fault_of_a_file_does_not_name_members_of_json(server, open_window):
    server.make("home", "a")
    window = open_window("home", viewport=WIDE)
    window.expected = ("422", "400")
    choose(window, file("broken.json", '{"lists": [1, '))
    fault(window, "imported. Line 1: The JSON text ends")
