"""The types of the JavaScript client, and the examples with libraries."""

import re
import subprocess
import tempfile
from pathlib import Path

from page_server import eventually
from test_client import DOCUMENT, app
from window import Window

MEMBERS = Path(__file__).parent / "members.ts"
SORTABLE = Path("/usr/share/javascript/sortable/Sortable.min.js")
REACT = Path("/usr/share/nodejs")
OPTIONS = ("--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node", "--lib", "es2022,dom")


def the_types_are_those_of_the_client(server, open_window):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(["tsc", *OPTIONS, "--outDir", folder, MEMBERS], capture_output=True, text=True,
                                cwd=folder)
        assert result.returncode == 0, result.stdout
        code = (Path(folder) / "members.js").read_text()
    code = code.replace("../../clients/javascript/client.js", "http://127.0.0.1:8080/client/1.js")
    browser = open_window("demo").context.browser
    with app(server.program, f"<body><script type=module>{code}</script>") as (other, url):
        window = Window(browser, other.url)
        window.allowed = (url,)
        # The requests that the server refuses.
        window.expected = ("status of 404",)
        other.make("typed", "a\nb")
        window.page.goto(url)
        assert eventually(window.page.title, "it has ended") == "faults: none", window.page.title()
        window.close()


def example(word):
    """The code of the document's example that contains a word."""
    [code] = [code for code in re.findall(r"```html\n(.*?)```", DOCUMENT.read_text(), re.DOTALL) if word in code]
    return code


def the_example_with_sortablejs_works(server, open_window):
    code = example("Sortable")
    browser = open_window("demo").context.browser
    with app(server.program, code) as (other, url):
        window = Window(browser, other.url)
        window.allowed = (url,)
        window.context.route("**/Sortable.min.js", lambda route: route.fulfill(path=SORTABLE))
        other.make("groceries", "milk\nfruit\n  apples\nbread !")
        window.page.goto(url)
        rows = window.page.locator("li")
        shown = lambda: rows.all_text_contents()
        eventually(lambda: shown() == ["milk", "fruit", "apples", "bread"], shown)

        def drag(row, to):
            title = shown()[row]
            box, target = rows.nth(row).bounding_box(), rows.nth(to).bounding_box()
            window.page.mouse.move(box["x"] + 60, box["y"] + 8)
            window.page.mouse.down()
            end = target["y"] + target["height"] / 2
            for step in range(1, 21):
                window.page.mouse.move(box["x"] + 60, box["y"] + 8 + step / 20 * (end - box["y"] - 8))
                window.page.wait_for_timeout(30)
            eventually(lambda: rows.nth(to).text_content() == title, shown, 10)
            window.page.mouse.up()

        drag(0, 2)
        eventually(lambda: other.outline("groceries") == "fruit\n  apples\n  milk\nbread !",
                   lambda: other.outline("groceries"))
        eventually(lambda: shown() == ["fruit", "apples", "milk", "bread"], shown)
        # A locked task returns to its place.
        drag(3, 0)
        eventually(lambda: shown() == ["fruit", "apples", "milk", "bread"], shown)
        other.send("PATCH", "/tasks/groceries-milk", {"title": "oat milk"})
        eventually(lambda: shown() == ["fruit", "apples", "oat milk", "bread"], shown)
        assert other.outline("groceries") == "fruit\n  apples\n  oat milk\nbread !"
        window.close()


def the_example_with_react_works(server, open_window):
    browser = open_window("demo").context.browser
    with app(server.program, example("React")) as (other, url):
        window = Window(browser, other.url)
        window.allowed = (url,)
        for package in ("react", "react-dom"):
            file = REACT / package / f"umd/{package}.production.min.js"
            window.context.route(f"**/{file.name}", lambda route, *, file=file: route.fulfill(path=file))
        other.make("groceries", "milk\nfruit\n  apples\nbread !")
        window.page.goto(url)
        rows = window.page.locator("li")
        shown = lambda: rows.all_text_contents()
        eventually(lambda: shown() == ["milk", "fruit", "apples", "bread"], shown)
        rows.nth(1).evaluate("(fruit) => { fruit.mark = 'kept'; }")
        rows.nth(0).drag_to(rows.nth(2))
        eventually(lambda: other.outline("groceries") == "fruit\n  apples\n  milk\nbread !",
                   lambda: other.outline("groceries"))
        eventually(lambda: shown() == ["fruit", "apples", "milk", "bread"], shown)
        # A locked task cannot be dragged.
        rows.nth(3).drag_to(rows.nth(0))
        assert rows.nth(3).get_attribute("draggable") == "false"
        rows.nth(1).locator("input").click()
        eventually(lambda: other.outline("groceries") == "fruit\n  apples x\n  milk\nbread !",
                   lambda: other.outline("groceries"))
        # The changes of others appear, and the elements of other rows stay the same.
        other.send("PATCH", "/tasks/groceries-milk", {"title": "oat milk", "done": True})
        eventually(lambda: shown() == ["fruit", "apples", "oat milk", "bread"], shown)
        assert rows.locator("input").evaluate_all("(all) => all.map((one) => one.checked)") == [False, True, True, False]
        assert rows.nth(0).evaluate("(fruit) => fruit.mark") == "kept"
        state = window.page.locator("p")
        eventually(lambda: state.text_content() == "live, 0 waiting", state.text_content)
        window.close()


TESTS = [the_types_are_those_of_the_client, the_example_with_sortablejs_works, the_example_with_react_works]
