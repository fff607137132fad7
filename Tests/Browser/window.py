"""A browser window that shows the page."""

from pathlib import Path

from page_server import eventually
from waiting import HANG_SECONDS

MILLISECONDS = 1000 * HANG_SECONDS
# The page's times, in milliseconds: a press that lifts a row, a hold over a row that puts the lifted rows into it, how long a note
# stays, and a completed row before it is hidden.
LONG_PRESS, HOLD, NOTE, STAY = 400, 800, 8000, 1500

# Pages of other origins may use the client.
OPEN = {"Access-Control-Allow-Origin": "*"}
CLIENT = Path(__file__).parents[2] / "clients/javascript"

TYPES = {
    ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html", ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}


# The page's timers for gestures and notes do not run by themselves: `Window.elapse` ends them. So a slow machine does not make a
# long press of a click, and a note stays until a test has seen it. The same applies to all timers of more than six seconds.
CLOCK = f"const GESTURES = [{LONG_PRESS}, {HOLD}, {STAY}];" + """
    const { setTimeout, clearTimeout } = window;
    const timers = new Map();
    let [now, last] = [0, 0];
    window.setTimeout = (act, milliseconds = 0, ...rest) => {
        if (milliseconds <= 100 && window.isLate) return addEventListener("touchend", act, { once: true });
        if (milliseconds <= 6000 && !GESTURES.includes(milliseconds)) return setTimeout(act, milliseconds, ...rest);
        last -= 1;
        timers.set(last, { act, milliseconds, end: now + milliseconds });
        return last;
    };
    window.clearTimeout = (timer) => timers.delete(timer) || clearTimeout(timer);
    window.elapse = (milliseconds) => {
        now += milliseconds;
        for (const [timer, { act, end }] of [...timers]) if (end <= now && timers.delete(timer)) act();
    };
    window.timers = () => [...timers.values()].map(({ milliseconds }) => milliseconds);
"""

# The box of an element, and the point to press at a distance from its corner (without a distance, its middle). Null if an
# animation runs, if the element still moves, or if something else is at the point.
AT_REST = """async (element, [x, y, isPressed]) => {
    if (isPressed) (element.closest(".row") ?? element).scrollIntoView({ block: "nearest", inline: "nearest" });
    const boxes = [];
    for (let frame = 0; frame < 4; frame += 1) {
        await new Promise(requestAnimationFrame);
        boxes.push(JSON.stringify(element.getBoundingClientRect()));
    }
    if (new Set(boxes).size > 1 || document.getAnimations().some(({ playState }) => playState === "running")) return null;
    const box = JSON.parse(boxes[0]);
    const point = [box.x + (x ?? box.width / 2), box.y + (y ?? box.height / 2)];
    return !isPressed || element.contains(document.elementFromPoint(...point)) ? { box, point } : null;
}"""


# The ids of the steps in each store of the browser's database; undefined for other records. Everything that the page has written before is counted.
STORED = """async () => {
    const steps = {};
    for (const { name } of await indexedDB.databases()) {
        const database = await new Promise((resolve) => {
            const request = indexedDB.open(name);
            request.onsuccess = () => resolve(request.result);
        });
        const stores = [...database.objectStoreNames];
        const transaction = database.transaction(stores);
        for (const store of stores) {
            const request = transaction.objectStore(store).getAll();
            request.onsuccess = () => (steps[store] ??= []).push(...request.result.map((record) => record.step?.id));
        }
        await new Promise((resolve) => { transaction.oncomplete = resolve; });
        database.close();
    }
    return steps;
}"""


class Window:
    """One window with its own storage. It records every error and every violation of the content security policy."""

    # A folder with the page's files, to test changes of them without building the server, and one with the bundles made of them.
    files = None
    bundle = None

    def __init__(self, browser, url, **options):
        # A service worker would answer requests that a test wants to see.
        self.options = {"viewport": {"width": 900, "height": 700}, "service_workers": "block", **options}
        self.context = browser.new_context(**self.options)
        self.context.set_default_timeout(MILLISECONDS)
        if self.files:
            self.context.route(f"{url}/web/**", self._serve)
            self.context.route(f"{url}/client/**", self._serve)
            self.context.route(f"{url}/", self._serve)
        self.page = self.context.new_page()
        self.url = url
        self.policy = None
        self.faults = []
        # Errors that a test causes on purpose: the browser logs each failed request as an error.
        self.expected = ()
        # Addresses of other origins that a test uses on purpose.
        self.allowed = ()
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error.stack or error}"))
        self.page.on("console", self._note)
        self.page.on("request", self._check_origin)
        self.context.add_init_script(f"""{{
            window.violations = [];
            document.addEventListener("securitypolicyviolation",
                (event) => window.violations.push(`${{event.violatedDirective}} ${{event.blockedURI}}`));
            {CLOCK}
        }}""")

    def _serve(self, route):
        name = route.request.url.rsplit("/", 1)[1] or "index.html"
        if name == "1.js":
            route.fulfill(body='export * from "./files/client.js";', content_type=TYPES[".js"], headers=OPEN)
            return
        file = next(one for one in (self.bundle / name, self.files / name, CLIENT / name, CLIENT / "bundle" / name) if one.exists())
        if self.policy is None:
            self.policy = route.fetch(url=f"{self.url}/").headers["content-security-policy"]
        headers = {"Content-Security-Policy": self.policy, "Service-Worker-Allowed": "/", **OPEN}
        route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix], headers=headers)

    def _note(self, message):
        if message.type not in ("error", "warning"):
            return
        text = f"{message.text} {message.location.get('url', '')}"
        if not any(part in text for part in ("blocked by Playwright", *self.expected)):
            self.faults.append(f"console: {text}")

    def _check_origin(self, request):
        if not request.url.startswith((self.url, "data:", "blob:", *self.allowed)):
            self.faults.append(f"request to {request.url}")

    def close(self):
        """Closes the window, if it is still open."""
        if self.page.is_closed():
            return
        faults = self.faults + [f"policy: {one}" for one in self.page.evaluate("window.violations")]
        self.context.close()
        assert not faults, "\n".join(faults)

    def open(self, list_id):
        self.page.goto(f"{self.url}/#{list_id}")
        self.page.wait_for_selector("main[data-state=live]")
        return self

    def reload(self, state="live"):
        """Reloads the page, after the browser has stored what the page has written."""
        self.stored()
        self.page.reload()
        self.page.wait_for_selector(f"main[data-state={state}]")

    # Reading the page

    def stored(self, store="waiting"):
        """The number of records that the browser keeps in a store: steps that are not sent, or what can be undone."""
        return len(self.page.evaluate(STORED).get(store, []))

    def stored_steps(self):
        """The ids of the steps that the browser keeps."""
        return set(self.page.evaluate(STORED).get("waiting", []))

    def row(self, task):
        return self.page.locator(f'.canvas [data-task="{task}"]')

    def section(self, section):
        return self.page.locator(f'.canvas [data-section="{section}"]')

    def handle(self, task):
        return self.row(task).locator("[data-handle]")

    def box(self, task):
        """The box of a row at rest, and how far the list was scrolled then."""
        self.still()
        return self.box_of(self.row(task)) | {"scrolled": self.scrolled()}

    def box_of(self, element):
        """The box of an element, after it has come to rest."""
        return eventually(lambda: element.evaluate(AT_REST, [None, None, False]), f"{element} is at rest")["box"]

    def point(self, element, x=None, y=None):
        """Where to press an element: it is in sight and at rest, and nothing covers it. The distance is from its top left corner;
        without a distance, it is the middle."""
        self.still()
        at_rest = lambda: element.evaluate(AT_REST, [x, y, True])
        return eventually(at_rest, f"{element} is at rest, and nothing covers it")["point"]

    def scrolled(self):
        """How far the list is scrolled, after it has come to rest: a row that is held near an edge scrolls it."""
        return self.page.evaluate("""async () => {
            const scroller = document.querySelector(".canvas").parentElement;
            const frame = () => new Promise(requestAnimationFrame);
            for (let before = -1; before !== scroller.scrollTop; await frame()) {
                before = scroller.scrollTop;
                await frame();
            }
            return scroller.scrollTop;
        }""")

    def until(self, condition):
        """Waits for a condition in the page. It is evaluated from outside, because the page's policy forbids evaluating strings."""
        eventually(lambda: self.page.evaluate(f"() => {condition}"), condition)

    def still(self):
        """Waits until all animations and drags have ended and no step is pending."""
        self.until("""!document.querySelector(".drag-image")
            && (document.querySelector("main").dataset.waiting ?? "0") === "0"
            && document.getAnimations().every((one) => one.playState !== "running")""")

    def titles(self):
        """The titles of the rows in the page, from top to bottom, indented by their level."""
        return self.page.evaluate("""() => [...document.querySelectorAll(".canvas .row:not(.blank, .adder)")]
            .map((row) => ({ row, top: row.getBoundingClientRect().top }))
            .sort((one, other) => one.top - other.top)
            .map(({ row }) => (row.dataset.section ? "# " : "  ".repeat(row.dataset.depth))
                + row.querySelector(".title").textContent)""")

    def order_in_page(self):
        """The same titles in the order of the page's elements, as a screen reader reads them."""
        return self.page.evaluate("""() => [...document.querySelectorAll(".canvas .row:not(.blank, .adder)")]
            .map((row) => (row.dataset.section ? "# " : "  ".repeat(row.dataset.depth))
                + row.querySelector(".title").textContent)""")

    def shows(self, *titles):
        eventually(lambda: self.titles() == list(titles), lambda: f"{titles}\nbut {self.titles()}")
        self.still()
        eventually(lambda: self.order_in_page() == list(titles),
                   lambda: f"{titles}\nbut in the page {self.order_in_page()}")

    @property
    def note(self):
        return self.page.locator(".note")

    @property
    def live(self):
        return self.page.locator(".live")

    def says(self, text):
        eventually(lambda: text in (self.live.text_content() or ""),
                   lambda: f"“{text}”, but “{self.live.text_content()}”")

    # Acting in the page

    def grab(self, element, x=None, y=None):
        """Presses the mouse on an element at rest. Every press of a test comes from here, from `Finger` or from a locator, because
        an element that still moves, or is behind an edge, would not get it."""
        self.x, self.y = self.point(element, x, y)
        self.page.mouse.move(self.x, self.y)
        self.page.mouse.down()

    def elapse(self, milliseconds):
        """Lets time pass for gestures and notes."""
        self.page.evaluate("(milliseconds) => window.elapse(milliseconds)", milliseconds)

    def lift(self, task):
        """Presses on the handle, and moves far enough to start a drag."""
        self.lift_row(self.row(task))

    def lift_row(self, row):
        self.grab(row.locator("[data-handle]"))
        self.row_box = row.bounding_box()
        self.page.mouse.move(self.x, self.y + 8)
        self.page.wait_for_selector(".drag-image")

    def hover(self, over, levels=0):
        """Drags the held row to the former place of another one, and a number of levels to the right."""
        indent = self.page.evaluate(
            "parseFloat(getComputedStyle(document.querySelector('.canvas')).getPropertyValue('--indent'))")
        x, y = self.x + levels * indent, over["y"] + self.y - self.row_box["y"]
        self.page.mouse.move(x, y, steps=6)
        # On the way, the list may have been scrolled. Then the place is elsewhere in the window.
        if "scrolled" in over:
            self.page.mouse.move(x, y + over["scrolled"] - self.scrolled())

    def drop(self):
        self.page.mouse.up()
        self.page.wait_for_selector(".drag-image", state="detached")

    def drag(self, task, over, levels=0):
        self.point(self.row(task).locator("[data-handle]"))
        target = self.box(over)
        self.lift(task)
        self.hover(target, levels)
        self.drop()

    def focus(self, task):
        self.row(task).focus()

    def command(self, name):
        """Chooses an item of the menu at the list's title."""
        self.page.locator("[data-part=listMenu]").click()
        self.page.get_by_role("menuitem", name=name, exact=True).click()

    def delete_list(self):
        """Deletes the open list."""
        self.command("Delete this list…")
        self.page.locator("dialog.confirm").get_by_role("button", name="Delete the list").click()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)


class Finger:
    """A finger on a window's screen."""

    def __init__(self, window):
        self._window = window
        self._session = window.context.new_cdp_session(window.page)

    def _touch(self, kind, *points):
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    def press(self, element, x=None, y=None):
        self.x, self.y = self._window.point(element, x, y)
        self._touch("touchStart", {"x": self.x, "y": self.y})

    def move(self, way, aside=0):
        """Moves down and to the right by distances."""
        for step in range(1, 9):
            self._touch("touchMove", {"x": self.x + aside * step / 8, "y": self.y + way * step / 8})
        self.x += aside
        self.y += way

    def release(self):
        self._touch("touchEnd")

    def release_late(self):
        """Releases on a slow device: the browser's mouse events, which follow the touch, arrive after the page's short timers."""
        self._window.page.evaluate("window.isLate = true")
        self.release()
        self._window.page.mouse.move(1, 1)  # the browser sends it after those events
        self._window.page.evaluate("window.isLate = false")
