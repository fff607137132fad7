"""A server that requires a token."""

WIDE = {"width": 1100, "height": 800}


def locked_window(server, open_window, list_id="home"):
    """A window without a token, for a server that requires one."""
    server.make("home", "a\nb\nc")
    server.require_tokens()
    window = open_window(None, viewport=WIDE)
    window.expected = ("401", "403")
    window.page.goto(f"{server.url}/#{list_id}")
    return window


def dialog(window):
    return window.page.locator("dialog.token")


def enter(window, token):
    dialog(window).locator("input").fill(token)
    dialog(window).locator("[type=submit]").click()


def live(window):
    window.page.wait_for_selector("main[data-state=live]")


def the_page_asks_for_a_token_and_stores_it(server, open_window):
    window = locked_window(server, open_window)
    dialog(window).wait_for()
    assert not dialog(window).locator("[data-part=why]").is_visible()
    enter(window, "rdr_wrong")
    dialog(window).locator("[data-part=why]").wait_for()
    assert "unknown" in dialog(window).locator("[data-part=why]").text_content()
    enter(window, server.own)
    live(window)
    window.shows("a", "b", "c")
    window.page.locator('nav a[href="#home"]').wait_for()
    window.reload()
    assert not dialog(window).is_visible()
    assert server.own not in window.page.url
    window.page.locator("[data-part=token]").click()
    dialog(window).locator("[data-part=forget]").click()
    window.page.wait_for_selector("main[data-state=locked]")
    assert window.page.evaluate("JSON.stringify({ ...localStorage })") == "{}"


def steps_without_permission_wait_for_another_token(server, open_window):
    window = locked_window(server, open_window)
    phone = server.add_token("phone", "write")
    dialog(window).wait_for()
    enter(window, phone)
    live(window)
    server.remove_token("phone")
    window.page.wait_for_selector("main[data-state=locked]")
    dialog(window).locator("[data-part=later]").click()
    window.focus("home-a")
    window.press("Space", "ArrowDown", "Space")
    window.until('document.querySelector("main").dataset.waiting !== "0"')
    assert server.outline("home") == "a\nb\nc"
    window.page.locator("[data-part=token]").click()
    enter(window, server.own)
    live(window)
    window.shows("b", "a", "c")
    assert server.outline("home") == "b\na\nc"


def a_read_token_shows_the_list_and_allows_no_changes(server, open_window):
    window = locked_window(server, open_window)
    reader = server.add_token("reader", "read")
    dialog(window).wait_for()
    enter(window, reader)
    live(window)
    window.focus("home-a")
    window.press("Space", "ArrowDown", "Space")
    assert window.page.locator(".held").count() == 0
    window.shows("a", "b", "c")
    assert server.outline("home") == "a\nb\nc"
