"""A list as a board: its sections are columns."""

from page_server import eventually
from test_drag import expect
from test_length import in_page
from test_rights import with_token
from window import LONG_PRESS, Finger

OUTLINE = """
call
# To-do
fruit
  apples
milk
# Doing
write
bread
# Done
"""
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1500, "height": 700}}

# The titles of each column from the start side, and of each from top to bottom.
COLUMNS = """() => {
    const way = document.querySelector("main").dir === "rtl" ? -1 : 1;
    const columns = {};
    const rows = [...document.querySelectorAll(".canvas .row:not(.lifted, .adder)")]
        .map((row) => [row, (row.querySelector(".cell") ?? row).getBoundingClientRect()]).sort(([, one], [, other]) => one.top - other.top);
    for (const [row, { left }] of rows) (columns[Math.round(left) * way] ??= [])
        .push(row.matches(".blank") ? "|" : row.matches(".section") ? `# ${row.querySelector("h2").textContent}`
            : "  ".repeat(row.dataset.depth) + row.querySelector(".title").textContent);
    return Object.entries(columns).sort(([one], [other]) => one - other).map(([, titles]) => titles);
}"""


def board(open_window, list_id, **options):
    window = open_window(list_id, **options)
    window.page.locator("[data-part=board]").click()
    return window


def shows(window, *columns):
    columns = [column.split(",") for column in columns]
    found = lambda: window.page.evaluate(COLUMNS)
    eventually(lambda: found() == columns, lambda: f"{columns}\nbut {found()}")
    window.still()


def hover(window, element, below=0):
    """Moves the held row over a row, or a distance below that."""
    box = window.box_of(element)
    window.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + below + window.y - window.row_box["y"], steps=6)


def focused(window):
    return window.page.evaluate("document.activeElement.dataset.key")


def a_mouse_drags_rows_to_the_column_under_it(server, open_window):
    server.make("mouse", OUTLINE)
    window = board(open_window, "mouse", **WIDE)
    shows(window, "call", "# To-do,fruit,  apples,milk", "# Doing,write,bread", "# Done")
    # To the top, with its subtask.
    window.lift("mouse-fruit")
    hover(window, window.row("mouse-write"))
    shown = lambda: window.page.evaluate(COLUMNS)
    eventually(lambda: "|" in shown()[2], shown)
    window.drop()
    expect(server, "mouse", "call\n# To-do\nmilk\n# Doing\nfruit\n  apples\nwrite\nbread\n# Done")
    shows(window, "call", "# To-do,milk", "# Doing,fruit,  apples,write,bread", "# Done")
    # To an empty column, and out of a parent: in another column, a task gets no parent by the way.
    window.lift("mouse-apples")
    hover(window, window.section("Done").locator(".title"))
    window.drop()
    window.lift("mouse-call")
    hover(window, window.row("mouse-apples"), 30)
    window.drop()
    expect(server, "mouse", "# To-do\nmilk\n# Doing\nfruit\nwrite\nbread\n# Done\napples\ncall")
    shows(window, "# To-do,milk", "# Doing,fruit,write,bread", "# Done,apples,call")
    # In its own column, the way to the side is the level.
    window.lift("mouse-write")
    window.page.mouse.move(window.x + 30, window.y + 1, steps=4)
    window.drop()
    expect(server, "mouse", "# To-do\nmilk\n# Doing\nfruit\n  write\nbread\n# Done\napples\ncall")
    # Before the first section, a column appears.
    window.lift("mouse-milk")
    edge = window.box_of(window.page.locator(".canvas"))["x"]
    window.page.mouse.move(edge + 4, window.y, steps=6)
    eventually(lambda: shown()[0] == ["|"], shown)
    window.page.mouse.move(edge + 150, window.y, steps=4)
    window.drop()
    expect(server, "mouse", "milk\n# To-do\n# Doing\nfruit\n  write\nbread\n# Done\napples\ncall")


def a_finger_drags_a_row_to_a_column_out_of_sight(server, open_window):
    server.make("touch", OUTLINE)
    window = board(open_window, "touch", **PHONE)
    left = lambda: window.page.evaluate("document.querySelector('.scroller').scrollLeft")
    column = window.box("touch-call")
    assert 0.83 * 390 < column["width"] < 0.87 * 390, column
    finger = Finger(window)
    finger.press(window.row("touch-call"), 100)
    window.elapse(LONG_PRESS)
    window.page.wait_for_selector(".drag-image")
    finger.move(0, 380 - finger.x)
    eventually(lambda: left() > 380, left)
    finger.move(0, 200 - finger.x)
    eventually(lambda: window.page.locator(".blank").count() == 1, "the blank")
    finger.release()
    window.page.wait_for_selector(".drag-image", state="detached")
    eventually(lambda: not server.outline("touch").startswith("call"), lambda: server.outline("touch"))
    # The column is at the side of the window.
    window.still()
    offset = lambda: left() % (column["width"] + 16)
    eventually(lambda: min(offset(), column["width"] + 16 - offset()) < 2 or window.page.evaluate(
        "(({ scrollLeft, clientWidth, scrollWidth }) => scrollLeft + clientWidth > scrollWidth - 2)(document.querySelector('.scroller'))"), left)


def a_full_column_refuses_a_row(server, open_window):
    server.make("full", "# A\na\nb\n# B\nc\n# C\nd\n# D\ne\nf", maxTasksPerSection=2)
    window = board(open_window, "full", **WIDE)
    counts = lambda: window.page.locator(".section .count").all_text_contents()
    eventually(lambda: counts() == ["2/2", "1/2", "1/2", "2/2"], counts)
    assert window.page.locator(".section.full").count() == 2
    window.lift("full-c")
    hover(window, window.row("full-b"))
    window.until("document.querySelector('.blank.refused')")
    window.drop()
    window.note.get_by_text("section is full").wait_for()
    shows(window, "# A,a,b", "# B,c", "# C,d", "# D,e,f")
    # A key says it, or leads past it.
    window.focus("full-d")
    window.press("Space", "ArrowRight")
    window.says("section is full")
    window.press("ArrowLeft", "Space")
    expect(server, "full", "# A\na\nb\n# B\nd\nc\n# C\n# D\ne\nf")
    eventually(lambda: counts() == ["2/2", "2/2", "0/2", "2/2"], counts)
    window.focus("full-a")
    window.press("Space", "ArrowRight", "Space")
    expect(server, "full", "# A\nb\n# B\nd\nc\n# C\na\n# D\ne\nf")


def keys_go_from_column_to_column(server, open_window):
    server.make("keys", OUTLINE)
    window = board(open_window, "keys", **WIDE)
    window.focus("keys-milk")
    for key, to in (("ArrowRight", "keys-bread"), ("ArrowUp", "keys-write"), ("ArrowLeft", "keys-fruit"), ("ArrowLeft", "keys-call"),
                    ("ArrowLeft", "keys-call"), ("End", "add "), ("ArrowDown", "add "), ("Home", "keys-call"), ("ArrowRight", "keys-fruit"),
                    ("Alt+ArrowRight", "keys-apples"), ("Alt+ArrowLeft", "keys-fruit")):
        window.press(key)
        eventually(lambda to=to: focused(window) == to, lambda key=key, to=to: (key, to, focused(window)))
    window.press("Alt+ArrowLeft")
    expect(server, "keys", OUTLINE.replace("fruit", "fruit +"))
    # A lifted row goes to the columns beside, and with Alt to other levels.
    window.focus("keys-milk")
    window.press("Space", "ArrowRight")
    window.says("Position 2 of 3, in “\u2068Doing\u2069”")
    window.press("Alt+ArrowRight")
    window.says("under “\u2068write\u2069”")
    window.press("Space")
    expect(server, "keys", "call\n# To-do\nfruit +\n  apples\n# Doing\nwrite\n  milk\nbread\n# Done")
    window.focus("keys-call")
    window.press("Space", "ArrowDown")
    window.says("Can’t go further down")
    window.press("ArrowRight", "ArrowLeft", "ArrowLeft")
    window.says("There is no column on that side.")
    window.press("Escape")
    # Buttons do the same.
    window.handle("keys-call").click()
    window.page.get_by_role("button", name="To the column after").click()
    window.page.get_by_role("button", name="Drop").click()
    expect(server, "keys", "# To-do\ncall\nfruit +\n  apples\n# Doing\nwrite\n  milk\nbread\n# Done")
    window.press("Control+z")
    # A section.
    window.page.locator('[data-section="Doing"]').focus()
    window.press("Space", "ArrowRight", "Space")
    expect(server, "keys", "call\n# To-do\nfruit +\n  apples\n# Done\n# Doing\nwrite\n  milk\nbread")
    shows(window, "call", "# To-do,fruit", "# Done", "# Doing,write,  milk,bread")


def a_section_is_dragged_by_its_title(server, open_window):
    server.make("columns", OUTLINE)
    window = board(open_window, "columns", **WIDE)
    window.lift_row(window.section("To-do"))
    shows_blank = lambda: window.page.evaluate(COLUMNS)
    hover(window, window.section("Done").locator(".title"))
    eventually(lambda: shows_blank() == [["call"], ["# Doing", "write", "bread"], ["# Done"], ["|"]], shows_blank)
    window.drop()
    shows(window, "call", "# Doing,write,bread", "# Done", "# To-do,fruit,  apples,milk")
    expect(server, "columns", "call\n# Doing\nwrite\nbread\n# Done\n# To-do\nfruit\n  apples\nmilk")


def a_board_is_mirrored_in_a_list_from_right_to_left(server, open_window):
    server.make("rtl", OUTLINE)
    server.send("PATCH", "/lists/rtl", {"title": "קניות"})
    for task in ("call", "fruit", "apples", "milk", "write", "bread"):
        server.send("PATCH", f"/tasks/rtl-{task}", {"title": "חלב"})
    window = board(open_window, "rtl", **WIDE)
    shows(window, "חלב", "# To-do,חלב,  חלב,חלב", "# Doing,חלב,חלב", "# Done")
    assert window.page.evaluate("document.querySelector('.scroller').scrollLeft") == 0
    assert window.box("rtl-call")["x"] > window.box("rtl-milk")["x"] > window.box("rtl-bread")["x"]
    window.lift("rtl-milk")
    hover(window, window.row("rtl-bread"), 30)
    window.drop()
    eventually(lambda: [task["section"] for task in server.send("GET", "/lists/rtl")["tasks"] if task["id"] == "rtl-milk"] == ["Doing"], "it is there")
    window.focus("rtl-milk")
    window.press("ArrowRight")
    eventually(lambda: focused(window) == "rtl-apples", lambda: focused(window))
    window.press("ArrowLeft")
    eventually(lambda: focused(window) in ("rtl-milk", "rtl-bread"), lambda: focused(window))


def each_list_is_shown_as_it_was_last(server, open_window):
    for name in ("one", "two"):
        server.make(name, "# A\na\n# B\nb")
    window = board(open_window, "one")
    shows(window, "# A,a", "# B,b")
    window.page.goto(f"{window.url}/#two")
    window.row("two-a").wait_for()
    shows(window, "# A,a,# B,b")
    window.page.goto(f"{window.url}/#one")
    window.row("one-a").wait_for()
    shows(window, "# A,a", "# B,b")
    window.reload()
    shows(window, "# A,a", "# B,b")
    pressed = window.page.get_by_role("button", name="Sections as columns")
    assert pressed.get_attribute("aria-pressed") == "true"
    pressed.click()
    shows(window, "# A,a,# B,b")
    window.reload()
    shows(window, "# A,a,# B,b")


def a_section_is_added_beside_the_others(server, open_window):
    server.make("plain", "a\nb")
    window = board(open_window, "plain", **WIDE)
    shows(window, "a,b")
    window.page.locator("[data-part=newColumn]").click()
    window.page.keyboard.type("Later")
    window.press("Enter")
    eventually(lambda: [one["title"] for one in server.send("GET", "/lists/plain")["sections"]] == ["Later"], "it has a title")
    shows(window, "a,b", "# Later")


def five_thousand_rows_scroll_with_few_elements(server, open_window):
    lines = [line for section in range(10) for line in (f"# S{section}", *(f"t{section}-{number}" for number in range(500)))]
    server.make("long", "\n".join(lines))
    window = board(open_window, "long", **WIDE)
    scroller = window.page.locator(".scroller")
    for share in (0, 0.3, 0.9):
        scroller.evaluate("(one, share) => one.scrollTo(one.scrollWidth * share, one.scrollHeight * share)", share)
        eventually(lambda share=share: window.page.evaluate(f"""() => {{
            const [row, header] = [300, 30].map((y) => document.elementFromPoint(1000, y + 56)?.closest("[data-key]"));
            const number = Number(row?.querySelector(".title").textContent.split("-")[1]);
            return header?.dataset.section && Math.abs(number / 500 - {share}) < 0.05; }}"""), f"it shows {share}")
        assert in_page(window) < 300, in_page(window)


def frames_make_few_rows_and_first_those_in_sight(server, open_window):
    lines = [line for section in range(10) for line in (f"# S{section}", *(f"t{section}-{number}" for number in range(100)))]
    server.make("frames", "\n".join(lines))
    window = board(open_window, "frames", viewport={"width": 1500, "height": 1000})
    window.focus("frames-t0-0")
    made, in_sight = window.page.evaluate("""async () => {
        const canvas = document.querySelector(".canvas"), rows = () => [...canvas.children];
        const { bottom, right } = canvas.parentElement.getBoundingClientRect();
        const isInSight = ({ left, top }) => left < right && top < bottom;
        const made = [], inSight = [];
        let known = new Set(rows());
        const look = () => {
            const found = rows().filter((row) => !known.has(row));
            known = new Set(rows());
            made.push(found.length);
            inSight.push(found.every((row) => isInSight(row.getBoundingClientRect())));
        };
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true }));
        look();
        while (made.length < 2 || made.at(-1) > 0) {
            await new Promise(requestAnimationFrame);
            look();
        }
        return [made, inSight];
    }""")
    # At once, only the row that gets the focus is made.
    assert made[0] == 1, made
    assert max(made) <= 30 and sum(made) > 90, made
    assert in_sight[:3] == [True] * 3 and False in in_sight, in_sight
    # A change of a row out of sight is shown too.
    above = window.page.evaluate("""() => {
        const { top } = document.querySelector(".scroller").getBoundingClientRect();
        return [...document.querySelectorAll(".canvas .task")]
            .find((row) => Math.abs(row.getBoundingClientRect().bottom - top + 60) < 50).dataset.task;
    }""")
    server.send("PATCH", f"/tasks/{above}", {"done": True})
    window.row(above).and_(window.page.locator(".done")).wait_for(state="attached")


def the_menu_and_ctrl_k_switch_between_list_and_board(server, open_window):
    server.make("switch", OUTLINE)
    server.require_tokens()
    for token in (server.own, server.add_token("reader", "read")):
        window = with_token(open_window, server, token, "switch")
        window.command("Show as a board")
        window.page.wait_for_selector("main[data-board=true]")
        shows(window, "call", "# To-do,fruit,  apples,milk", "# Doing,write,bread", "# Done")
        window.press("Control+k")
        field = window.page.locator("dialog.choose:modal input")
        field.fill("as a list")
        window.page.get_by_role("option", name="Show as a list").wait_for()
        field.press("Enter")
        window.page.wait_for_selector("main[data-board=false]")
