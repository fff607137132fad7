"""The types of the JavaScript client, and the examples with libraries."""

import itertools
import subprocess
import tempfile
from pathlib import Path

from page_server import eventually
from test_client import app, example
from test_recipes import LIBRARIES, recipe
from window import CLIENT

MEMBERS = Path(__file__).parent / "members.ts"
LOWER_HALF = {"x": 60, "y": 15}
OPTIONS = ("--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node", "--lib", "es2022,dom")


def the_types_are_those_of_the_client(server, open_window):
    check_members(server, open_window, "client.js", "1.js")


def the_types_are_those_of_the_client_in_one_file(server, open_window):
    check_members(server, open_window, "bundle/reorderd.js", "1/reorderd.js")


def check_members(server, open_window, module, path):
    """Compiles `members.ts` with the types of a module, and runs it with the module that the server has at a path."""
    own = "../../clients/javascript/"
    text = MEMBERS.read_text()
    assert text.count(f"{own}client.js") == 1
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "members.ts").write_text(text.replace(f"{own}client.js", str(CLIENT / module)))
        result = subprocess.run(["tsc", *OPTIONS, "members.ts"], capture_output=True, text=True, cwd=folder)
        assert result.returncode == 0, result.stdout
        code = (Path(folder) / "members.js").read_text()
    code = code.replace(str(CLIENT / module), f"http://127.0.0.1:8080/client/{path}")
    with app(server, open_window, f"<body><script type=module>{code}</script>") as (window, url):
        # The requests that the server refuses.
        window.expected = ("status of 404",)
        server.make("typed", "a\nb")
        window.page.goto(url)
        assert eventually(window.page.title, "it has ended") == "faults: none", window.page.title()


def the_example_with_types_compiles(server, open_window):
    with tempfile.TemporaryDirectory() as folder:
        code = f'import {{ connect }} from "{CLIENT}/client.js";\nconst lists = connect();\n{recipe("interface Dish", "ts")}'
        (Path(folder) / "example.ts").write_text(code + "void price;\n")
        result = subprocess.run(["tsc", *OPTIONS, "--noEmit", "example.ts"], capture_output=True, text=True, cwd=folder)
    assert result.returncode == 0, result.stdout


def serve_libraries(window):
    for name, file in LIBRARIES.items():
        window.context.route(f"**/{name}", lambda route, *, file=file: route.fulfill(path=file))


def the_example_with_sortablejs_works(server, open_window):
    with app(server, open_window, example("sortable.html")) as (window, url):
        serve_libraries(window)
        server.make("groceries", "milk\nfruit\n  apples\nbread !")
        window.page.goto(url)
        rows = window.page.locator("li")
        shown = lambda: rows.all_text_contents()
        eventually(lambda: shown() == ["milk", "fruit", "apples", "bread"], shown)

        def drag(row, to):
            title, steps = shown()[row], itertools.count(1)
            target = window.box_of(rows.nth(to))
            x, y = window.box_of(rows.nth(row))["x"] + 60, target["y"] + target["height"] / 2
            rows.nth(row).hover(position={"x": 60, "y": 8})
            window.page.mouse.down()
            # The library looks at the pointer now and then, and only while it moves.
            trembles = lambda: window.page.mouse.move(x, y + next(steps) % 2)
            eventually(lambda: trembles() or rows.nth(to).text_content() == title, shown)
            window.page.mouse.up()

        drag(0, 2)
        eventually(lambda: server.outline("groceries") == "fruit\n  apples\nmilk\nbread !",
                   lambda: server.outline("groceries"))
        eventually(lambda: shown() == ["fruit", "apples", "milk", "bread"], shown)
        # A locked task returns to its place.
        drag(3, 0)
        eventually(lambda: shown() == ["fruit", "apples", "milk", "bread"], shown)
        server.send("PATCH", "/tasks/groceries-milk", {"title": "oat milk"})
        eventually(lambda: shown() == ["fruit", "apples", "oat milk", "bread"], shown)
        assert server.outline("groceries") == "fruit\n  apples\noat milk\nbread !"


def the_example_with_react_works(server, open_window):
    with app(server, open_window, example("react.html")) as (window, url):
        serve_libraries(window)
        server.make("groceries", "milk\nfruit\n  apples\nbread !")
        window.page.goto(url)
        rows = window.page.locator("li")
        shown = lambda: rows.all_text_contents()
        eventually(lambda: shown() == ["milk", "fruit", "apples", "bread"], shown)
        rows.nth(1).evaluate("(fruit) => { fruit.mark = 'kept'; }")
        rows.nth(0).drag_to(rows.nth(2), target_position=LOWER_HALF)
        eventually(lambda: server.outline("groceries") == "fruit\n  apples\nmilk\nbread !",
                   lambda: server.outline("groceries"))
        eventually(lambda: shown() == ["fruit", "apples", "milk", "bread"], shown)
        # A locked task cannot be dragged.
        rows.nth(3).drag_to(rows.nth(0))
        assert rows.nth(3).get_attribute("draggable") == "false"
        rows.nth(1).locator("input").click()
        eventually(lambda: server.outline("groceries") == "fruit\n  apples x\nmilk\nbread !",
                   lambda: server.outline("groceries"))
        # The changes of others appear, and the elements of other rows stay the same.
        server.send("PATCH", "/tasks/groceries-milk", {"title": "oat milk", "done": True})
        eventually(lambda: shown() == ["fruit", "apples", "oat milk", "bread"], shown)
        assert rows.locator("input").evaluate_all("(all) => all.map((one) => one.checked)") == [False, True, True, False]
        assert rows.nth(0).evaluate("(fruit) => fruit.mark") == "kept"
        state = window.page.locator("p")
        eventually(lambda: state.text_content() == "live, 0 waiting", state.text_content)
