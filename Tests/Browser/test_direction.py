"""Lists that are written from right to left, and the alignment of everything in a list."""

from page_server import eventually
from test_token import WIDE

PHONE = {"width": 390, "height": 780}

def make_hebrew(server, list_id):
    """Creates a list whose tasks have the ids a, b, b1 (in b), b2 (in b1) and c, with the list's id before them."""
    task = lambda name, title, **place: {"id": f"{list_id}-{name}", "title": title, **place}
    server.send("PUT", f"/lists/{list_id}", {
        "title": "בית וגינה",
        "sections": [{"id": f"{list_id}-s", "title": "מטבח"}, {"id": f"{list_id}-t", "title": "גינה"}],
        "tasks": [
            task("a", "להתקשר לשרברב"), task("b", "לקנות צבע"), task("b1", "לבן, לתקרה", parent=f"{list_id}-b"),
            task("b2", "Blue", parent=f"{list_id}-b1"), task("c", "לנקות את התנור", section=f"{list_id}-s"),
        ],
    })


# The boxes of a row's parts: of the text itself, not of its element.
PARTS = """(row) => {
    const box = (one) => { const { left, right, top, bottom } = one.getBoundingClientRect(); return { left, right, top, bottom }; };
    const text = document.createRange();
    text.selectNodeContents(row.querySelector(".title") ?? row.querySelector("button").lastChild);
    const circle = row.querySelector(".tick");
    const middle = circle && (box(circle).left + box(circle).right) / 2;
    const shown = (one) => one && one.checkVisibility() ? box(one) : null;
    return { text: box(text), circle: circle && { left: middle - 12, right: middle + 12 },
        fold: shown(row.querySelector(".fold")), handle: shown(row.querySelector(".handle")) };
}"""


def parts(window, row):
    return row.evaluate(PARTS)


def near(one, other, pixels=1.5):
    return abs(one - other) <= pixels


def a_list_in_hebrew_is_mirrored(server, open_window):
    make_hebrew(server, "rtl")
    for options in ({"viewport": WIDE}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}):
        window = open_window("rtl", reduced_motion="reduce", **options)
        window.still()
        of = {task: parts(window, window.row(f"rtl-{task}")) for task in ("a", "b", "b1", "b2", "c")}
        for task, one in of.items():
            # The text begins next to the circle, on its left, in either language. The handle is at the left edge.
            assert 8 < one["circle"]["left"] - one["text"]["right"] < 24, (task, one)
            assert one["handle"]["right"] < one["text"]["left"], (task, one)
        # The chevron does not push a parent inward, and subtasks are indented to the left.
        assert near(of["a"]["text"]["right"], of["b"]["text"]["right"])
        assert of["b"]["fold"]["right"] < of["b"]["text"]["left"]
        for above, below in (("b", "b1"), ("b1", "b2")):
            assert of[above]["circle"]["right"] - of[below]["circle"]["right"] > 10, of
        assert near(of["a"]["circle"]["right"], of["c"]["circle"]["right"])
    # An English page has a Hebrew title next to its circle, too.
    server.make("ltr", "one\ntwo\nthree\n# Home\nfour")
    server.send("PATCH", "/tasks/ltr-two", {"title": "לקנות צבע"})
    window = open_window("ltr", viewport=WIDE)
    one, two = parts(window, window.row("ltr-one")), parts(window, window.row("ltr-two"))
    assert near(one["text"]["left"], two["text"]["left"]), (one, two)


def keys_and_drags_go_deeper_to_the_left_in_a_list_in_hebrew(server, open_window):
    make_hebrew(server, "deeper")
    window = open_window("deeper", viewport=WIDE, reduced_motion="reduce")
    parent = lambda task: server.send("GET", f"/tasks/{task}")["parent"]
    window.focus("deeper-b")
    window.press("ArrowRight")
    eventually(lambda: server.send("GET", "/tasks/deeper-b")["collapsed"], "it is folded")
    window.press("ArrowLeft")
    eventually(lambda: not server.send("GET", "/tasks/deeper-b")["collapsed"], "it is unfolded")
    window.press("Space", "ArrowLeft", "Space")
    eventually(lambda: parent("deeper-b") == "deeper-a", "it is a subtask")
    window.press("Space", "ArrowRight", "Space")
    eventually(lambda: parent("deeper-b") is None, "it is no subtask")
    window.still()
    window.drag("deeper-b", over="deeper-b", levels=-1)
    eventually(lambda: parent("deeper-b") == "deeper-a", "it is a subtask")


# Whether the last character of a text is to the right of its first one.
IS_LEFT_TO_RIGHT = """(element) => {
    const [first, last] = [0, element.firstChild.length - 1].map((start) => {
        const character = document.createRange();
        character.setStart(element.firstChild, start);
        character.setEnd(element.firstChild, start + 1);
        return character.getBoundingClientRect();
    });
    return first.right <= last.left;
}"""


def sentences_in_english_keep_their_direction_in_a_list_in_hebrew(server, open_window):
    make_hebrew(server, "english")
    window = open_window("english", viewport=WIDE, reduced_motion="reduce")
    window.row("english-a").locator(".tick").click()
    window.note.wait_for()
    assert window.note.locator(".text").evaluate(IS_LEFT_TO_RIGHT)
    assert window.page.locator("[data-part=target]").evaluate(IS_LEFT_TO_RIGHT)
    window.page.locator("[data-part=edit]").click()
    window.row("english-b").locator(".title").click(modifiers=["Control"])
    window.page.locator("[data-part=selection]", has_text="1 selected").wait_for()
    assert window.page.locator("[data-part=selection]").evaluate(IS_LEFT_TO_RIGHT)
    # An empty field begins at its right edge, and what is typed decides then.
    field = window.page.locator("[data-part=newTitle]")
    direction = lambda: field.evaluate("field => getComputedStyle(field).direction")
    assert direction() == "rtl"
    field.fill("milk")
    assert direction() == "ltr"


EDGES = """() => {
    const main = document.querySelector("main");
    const isMirrored = main.dir === "rtl";
    const textOf = (one) => { const range = document.createRange(); range.selectNodeContents(one); return range.getBoundingClientRect(); };
    // The distance from the edge of the window at which lines begin.
    const start = ({ left, right }) => isMirrored ? innerWidth - right : left;
    const circle = (one) => { const box = one.getBoundingClientRect(); const middle = (box.left + box.right) / 2;
        return { left: middle - 12, right: middle + 12 }; };
    const all = (selector, box) => [...main.querySelectorAll(selector)].filter((one) => one.checkVisibility())
        .map((one) => Math.round(start(box(one)) * 10) / 10);
    const box = (one) => one.getBoundingClientRect();
    return {
        outer: [...all("[data-part=title] button", textOf), ...all(".section .title", textOf), ...all(".task[data-depth='0'] .tick", circle),
            ...all(".append svg", box), ...all(".target[hidden] + [data-part=newTitle]", box), ...all("[data-part=target]", textOf)],
        inner: [...all(".task[data-depth='0'] .title", textOf), ...all(".append", (one) => textOf(one.lastChild))],
    };
}"""


def titles_headers_circles_and_fields_share_their_edges(server, open_window):
    server.make("edges", "one\ntwo\n  sub\nthree\n# Home\nfour\n# Work")
    make_hebrew(server, "edges2")
    touch = {"has_touch": True, "is_mobile": True}
    for list_id in ("edges", "edges2"):
        for options in ({"viewport": WIDE}, {"viewport": {"width": 700, "height": 700}}, {"viewport": PHONE, **touch}):
            window = open_window(list_id, reduced_motion="reduce", **options)
            window.still()
            edges = window.page.evaluate(EDGES)
            assert len(edges["outer"]) >= 7 and len(edges["inner"]) >= 3, edges
            for kind, found in edges.items():
                assert max(found) - min(found) <= 1, (list_id, options, kind, found)
