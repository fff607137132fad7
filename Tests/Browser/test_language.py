"""The page in the language of the browser."""

from page_server import eventually
from test_direction import IS_LEFT_TO_RIGHT, make_hebrew
from test_token import WIDE
from test_worker import cached, shows, worker_window


def language(window):
    return window.page.evaluate("document.documentElement.lang")


def complete(window, task):
    window.row(task).locator(".tick").click()


def a_german_browser_shows_german_words_also_without_a_network(server, open_window):
    server.make("german", "Milch\nBrot")
    window = worker_window(open_window, "german", locale="de-AT")
    assert language(window) == "de"
    complete(window, "german-Milch")
    window.says("„\u2068Milch\u2069“ ist erledigt")
    assert window.note.locator("button").text_content() == "Rückgängig"
    assert any(path.endswith("/de.js") for path in cached(window)["paths"])
    server.stop()
    window.context.unroute_all()
    window.page.reload()
    shows(window, "Milch", "Brot")
    assert language(window) == "de"
    complete(window, "german-Brot")
    window.says("„\u2068Brot\u2069“ ist erledigt")
    window.focus("german-Brot")
    window.press("?")
    window.page.locator("dialog.shortcuts h2", has_text="Tastenkürzel").wait_for()
    server.start()


def a_browser_without_a_known_language_shows_english_words_and_its_own_titles(server, open_window):
    make_hebrew(server, "hebrew")
    window = open_window("hebrew", viewport=WIDE, reduced_motion="reduce", locale="he-IL")
    assert language(window) == "en"
    assert window.page.locator("main").get_attribute("dir") == "rtl"
    complete(window, "hebrew-a")
    window.says("“\u2068להתקשר לשרברב\u2069” is done")
    assert window.note.locator(".text").evaluate(IS_LEFT_TO_RIGHT)


def words_that_cannot_be_loaded_are_english(server, open_window):
    server.make("unloaded", "a")
    window = open_window(None, locale="de")
    window.expected = ("/de.js",)
    window.context.route("**/de.js", lambda route: route.abort())
    window.open("unloaded")
    assert language(window) == "en"
    complete(window, "unloaded-a")
    window.says("“\u2068a\u2069” is done")
    assert eventually(lambda: server.outline("unloaded") == "a x", "it is saved")
