"""Links to a list: making, opening and taking them back."""

from datetime import datetime

from page_server import eventually
from test_access import check
from test_history import items, open_history, told
from test_rights import visible, with_token
from test_token import WIDE, dialog, live


def shared(server):
    server.make("home", "x\ny")
    server.make("plan", "a\nb\nc")
    server.require_tokens()
    return server.add_token("Anna", "write")


def open_sharing(window):
    window.command("Share…")
    window.page.locator("dialog.share:modal").wait_for()


def make_link(window, name, scope, with_history=False):
    """Makes a link in the dialog, and returns it."""
    sharing = window.page.locator("dialog.share")
    before = sharing.locator("li").count()
    sharing.locator("[name=name]").fill(name)
    sharing.locator("[name=scope]").select_option(scope)
    sharing.locator("[name=history]").set_checked(with_history)
    sharing.get_by_role("button", name="Make a link").click()
    eventually(lambda: sharing.locator("li").count() == before + 1, lambda: sharing.locator("li").count())
    return sharing.locator("[data-part=link]").input_value()


def guest(open_window, link):
    """A window of another person, who opens a link."""
    window = open_window(None, viewport=WIDE)
    window.expected = ("401", "403")
    window.page.goto(link)
    live(window)
    return window


def stored(window, storage, name="token"):
    return window.page.evaluate(f"{storage}.getItem('reorderd {name}')")


def a_link_opens_the_list_until_it_is_taken_back(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)
    link = make_link(anna, "Zoë", "write")
    assert link.startswith(f"{server.url}/#plan/rdr_"), link
    assert "Zoë (link)" in anna.page.locator("dialog.share li .name").inner_text()
    zoe = guest(open_window, link)
    assert zoe.page.url == f"{server.url}/#plan"
    zoe.shows("a", "b", "c")
    zoe.focus("plan-a")
    zoe.press("Space", "ArrowDown", "Space")
    anna.shows("b", "a", "c")
    assert server.send("GET", "/tasks/plan-a")["updatedBy"] == "Zoë (link)"
    # It is not lost by a reload, and it allows nothing with the list itself.
    zoe.reload()
    live(zoe)
    zoe.shows("b", "a", "c")
    # Nothing is shown that is about other lists.
    assert not zoe.page.locator("nav, .back").filter(visible=True).count()
    zoe.page.goto(f"{server.url}/#home")
    zoe.page.wait_for_url(f"{server.url}/#plan")
    zoe.page.goto(f"{server.url}/")
    zoe.page.wait_for_url(f"{server.url}/#plan")
    live(zoe)
    zoe.page.locator("[data-part=listMenu]").click()
    zoe.page.get_by_role("menuitem", name="Settings…").wait_for()
    for name in ("Share…", "Delete this list…"):
        assert zoe.page.get_by_role("menuitem", name=name).count() == 0, name
    zoe.page.keyboard.press("Escape")
    anna.page.get_by_role("button", name="Take back: Zoë (link)").click()
    eventually(lambda: anna.page.locator("dialog.share li").count() == 0, lambda: "the link is still shown")
    # Then the page says so, and nothing else.
    for again in (False, True):
        if again:
            zoe.page.reload()
        zoe.page.get_by_role("heading", name="This link has ended.").wait_for()
        text = zoe.page.locator("body").inner_text()
        assert text.split("\n")[0] == "This link has ended." and "token" not in text.lower(), text
        assert "Ask Anna for a new one." in text, text
        zoe.says("This link has ended.")
        assert not zoe.page.locator("main, nav, dialog, .note").filter(visible=True).count()
    check(zoe, "an ended link")


def a_guest_gives_a_name_once_for_the_history(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)
    zoe = guest(open_window, make_link(anna, "Guests", "write"))
    asking = zoe.page.locator("[data-part=asking]")
    check(zoe, "a guest without a name")
    asking.get_by_label("Your name").fill("Zoë")
    asking.get_by_role("button", name="Save").click()
    asking.wait_for(state="hidden")
    live(zoe)
    zoe.reload()
    live(zoe)
    assert not asking.is_visible()
    zoe.row("plan-a").locator(".tick").click()
    zoe.still()
    anna.press("Escape")
    open_history(anna)
    told(anna, "{Zoë (link)} completed <a>")
    # A reader is not asked.
    anna.press("Escape")
    open_sharing(anna)
    reader = guest(open_window, make_link(anna, "", "read"))
    assert not reader.page.locator("[data-part=asking]").is_visible()


def a_link_for_reading_shows_no_editing(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)
    reader = guest(open_window, make_link(anna, "", "read"))
    reader.shows("a", "b", "c")
    assert visible(reader) == [], visible(reader)
    assert "Guest (link)" in anna.page.locator("dialog.share li .name").inner_text()


def a_link_shows_history_from_its_creation_on(server, open_window):
    token = shared(server)
    anna = with_token(open_window, server, token, "plan")
    server.send("DELETE", "/tasks/plan-b")
    open_sharing(anna)
    links = [make_link(anna, "New", "read"), make_link(anna, "All", "read", with_history=True)]
    assert "May read the list and all earlier changes" in anna.page.locator("dialog.share li", has_text="All").inner_text()
    server.send("PATCH", "/tasks/plan-c", {"title": "later"})
    for link, count in zip(links, (1, 3)):
        reader = guest(open_window, link)
        reader.command("History…")
        eventually(lambda reader=reader, count=count: len(items(reader)) == count, lambda reader=reader: items(reader))


def a_link_beside_a_token_is_for_its_window_only(server, open_window):
    token = shared(server)
    anna = with_token(open_window, server, token, "plan")
    open_sharing(anna)
    link = make_link(anna, "Ben", "write")
    ben = with_token(open_window, server, server.add_token("Ben", "write:home"), "home")
    own = stored(ben, "localStorage")
    # The address changes, the page stays.
    ben.page.evaluate(f"location.href = '{link}'")
    ben.page.wait_for_url(f"{server.url}/#plan")
    live(ben)
    ben.shows("a", "b", "c")
    assert stored(ben, "localStorage") == own
    assert stored(ben, "sessionStorage", "link") in link
    assert not ben.page.locator("nav").is_visible()
    # Without the link, it is the person's own page again.
    ben.command("Forget this link")
    ben.page.goto(f"{server.url}/#home")
    ben.page.locator('nav a[href="#home"]').wait_for()
    assert stored(ben, "sessionStorage", "link") is None and stored(ben, "localStorage") == own


def a_drag_shows_its_author_and_not_the_name_of_the_client(server, open_window):
    token = shared(server)
    anna, tab = (with_token(open_window, server, token, "plan") for _ in range(2))
    anna.page.evaluate("localStorage.setItem('reorderd name', 'Anna')")
    anna.reload()
    open_sharing(anna)
    zoe = guest(open_window, make_link(anna, "Zoë", "write"))
    anna.page.keyboard.press("Escape")
    # The guest takes the name and the Client-Id of Anna's window.
    client = stored(anna, "sessionStorage", "client")
    zoe.page.evaluate("""(client) => {
        sessionStorage.setItem("reorderd client", client);
        localStorage.setItem("reorderd name", "Anna");
    }""", client)
    zoe.reload()
    assert stored(zoe, "sessionStorage", "client") == client
    for dragging, watching, author in ((zoe, [anna, tab], "Anna (link)"), (anna, [zoe, tab], "Anna")):
        target = dragging.box("plan-c")
        dragging.lift("plan-a")
        dragging.hover(target)
        for window in watching:
            window.page.locator(".ghost", has_text=f"{author}: a").wait_for()
            assert window.page.get_by_role("row", name=f"a, dragged by {author}", exact=True).count() == 1
        dragging.press("Escape")
        dragging.page.mouse.up()
        for window in watching:
            window.page.wait_for_selector(".ghost", state="detached")


def a_later_link_replaces_an_earlier_one(server, open_window):
    anna = with_token(open_window, server, shared(server), "plan")
    open_sharing(anna)
    first, second = make_link(anna, "One", "read"), make_link(anna, "Two", "write")
    window = guest(open_window, first)
    window.page.evaluate(f"location.href = '{second}'")
    window.page.wait_for_selector("main[data-readonly=false]")
    window.reload()
    live(window)
    assert stored(window, "localStorage", "link") in second and stored(window, "localStorage") is None
    window.command("Forget this link")
    window.page.wait_for_selector("main[data-state=locked]")
    assert window.page.evaluate("localStorage.getItem('reorderd link')") is None


def only_who_may_share_sees_the_button(server, open_window):
    server.make("plan", "a")
    window = open_window("plan")
    window.page.locator("[data-part=listMenu]").click()
    window.page.get_by_role("menuitem", name="Settings…").wait_for()
    assert window.page.get_by_role("menuitem", name="Share…").count() == 0


# The clock of the device is 400 days ahead.
AHEAD = """{
    const now = Date.now;
    Date.now = () => now() + 400 * 86_400_000;
}"""


def a_link_lasts_as_long_as_it_says_if_the_clock_is_wrong(server, open_window):
    token = shared(server)
    server.send("PATCH", "/tasks/plan-a", {"title": "A"})
    window = open_window(None, viewport=WIDE)
    window.context.add_init_script(AHEAD)
    window.expected = ("401", "403")
    window.page.goto(f"{server.url}/#plan")
    dialog(window).locator("input").fill(token)
    dialog(window).locator("[type=submit]").click()
    live(window)
    open_sharing(window)
    window.page.locator("dialog.share [name=days]").select_option("7")
    make_link(window, "Zoë", "read")
    [share] = server.send("GET", "/lists/plan/shares")["shares"]
    created, expires = (datetime.fromisoformat(share[name]) for name in ("createdAt", "expiresAt"))
    assert round((expires - created).total_seconds() / 86_400) == 7, share
    window.press("Escape")
    window.command("History…")
    times = window.page.locator("dialog.history:modal time")
    times.first.wait_for()
    assert set(times.all_inner_texts()) <= {"just now", "1 minute ago"}, times.all_inner_texts()
