"""The examples in Examples/web and in the JavaScript client's document, with all drops in two lists."""

import re
from pathlib import Path

from test_client import DOCUMENT, ROOT, example
from window import TYPES, Window

HERE = Path(__file__).parent
URL = "http://recipes.example"
LIBRARIES = {
    "Sortable.min.js": Path("/usr/share/javascript/sortable/Sortable.min.js"),
    "react.production.min.js": Path("/usr/share/nodejs/react/umd/react.production.min.js"),
    "react-dom.production.min.js": Path("/usr/share/nodejs/react-dom/umd/react-dom.production.min.js"),
}
# Calls the recipe instead of arrayMove, in the end of a drag that saw the rows at its beginning.
ARRAY_MOVE = """
import { list } from "/client/1.js";
globalThis.beginDrag = (end) => {
  const { rows } = list;
  %s
  return () => onDragEnd(end);
};
document.body.append(document.createElement("ul"));
list.subscribe(({ rows }) => document.querySelector("ul").replaceChildren(...rows.map(({ title }) => {
  const item = document.createElement("li");
  item.textContent = title;
  return item;
})));
"""
# In place of SortableJS: the harness does what SortableJS does.
SORTABLE = "globalThis.Sortable = { create(element, options) { element.sortable = options; } };"


def recipe(word, language="html"):
    """The code of the document's example that contains a text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    [code] = [code for code in blocks if word in code]
    return code


def open_recipe(open_window, code, replaced=None):
    """Opens the page of a recipe. It has a list without a server (recipes.js)."""
    window = Window(open_window("demo").context.browser, URL)
    page = code.replace("http://127.0.0.1:8080", URL)
    contents = {name: file.read_text() for name, file in LIBRARIES.items()} | (replaced or {})

    def serve(route):
        path = route.request.url.removeprefix(f"{URL}/").split("?")[0]
        if path == "":
            route.fulfill(body=page, content_type=TYPES[".html"])
        elif path == "favicon.ico":
            route.fulfill(status=204)
        else:
            body = contents.get(path) or (HERE / "recipes.js" if path == "client/1.js" else ROOT / path).read_text()
            route.fulfill(body=body, content_type=TYPES[".js"])

    window.context.route(f"{URL}/**", serve)
    window.page.goto(URL)
    return window


RUN = """async (parameters) => (await import("/client/1.js")).run(...parameters)"""


def check(open_window, name, code, replaced=None, every=1):
    """Makes each drop, or one in a number of them."""
    window = open_recipe(open_window, code, replaced)
    window.page.wait_for_selector("ul", state="attached")
    results = window.page.evaluate(RUN, [name, every])
    wrong = [f"{shown}, not {wanted}" for shown, wanted in results if shown != wanted]
    assert not wrong and len(results) >= 12, wrong
    window.close()


def drags_of_sortablejs_itself_land_where_they_end(server, open_window):
    """The tests below only do what SortableJS does: here it does it itself, in some of the drops."""
    check(open_window, "sortablejs", example("sections.html") + "<style>ul { padding-bottom: 2em }</style>", every=2)


def each_drop_of_the_first_example_lands_where_it_was_dropped(server, open_window):
    check(open_window, "plain", recipe("id=\"undo\""))


def each_drop_of_sortablejs_lands_where_it_was_dropped(server, open_window):
    check(open_window, "sortable", example("sortable.html"), {"Sortable.min.js": SORTABLE})


def each_drop_of_sortablejs_between_sections_lands_where_it_was_dropped(server, open_window):
    check(open_window, "sections", example("sections.html"), {"Sortable.min.js": SORTABLE})


def each_drop_of_the_example_with_react_lands_where_it_was_dropped(server, open_window):
    check(open_window, "react", example("react.html"))


def each_drop_of_dnd_kit_lands_where_it_was_dropped(server, open_window):
    code = ARRAY_MOVE % example("dnd-kit.js")
    check(open_window, "arrayMove", f"<body><script type=module>{code}</script>")
