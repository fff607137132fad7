"""A browser window that shows the page."""

from pathlib import Path

from page_server import eventually

MILLISECONDS = 60_000

# Pages of other origins may use the client.
OPEN = {"Access-Control-Allow-Origin": "*"}
# The page's files include those of the JavaScript client.
CLIENT = Path(__file__).parents[2] / "clients/javascript"

TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}


class Window:
    """One window with its own storage. It records every error and every violation of the content security policy."""

    # A folder with the page's files, to test changes of them without building the server.
    files = None

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
        self.page.add_init_script("""
            window.violations = [];
            document.addEventListener("securitypolicyviolation",
                (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
            // Notes stay until a test has seen them, and drags of others until they end.
            const { setTimeout } = window;
            window.setTimeout = (act, milliseconds, ...rest) =>
                milliseconds > 6000 ? 0 : setTimeout(act, milliseconds, ...rest);
        """)

    def _serve(self, route):
        name = route.request.url.rsplit("/", 1)[1] or "index.html"
        if name == "1.js":
            route.fulfill(body='export * from "./files/client.js";', content_type=TYPES[".js"], headers=OPEN)
            return
        file = next(one for one in (self.files / name, CLIENT / name) if one.exists())
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

    # Reading the page

    def row(self, task):
        return self.page.locator(f'.canvas [data-task="{task}"]')

    def section(self, section):
        return self.page.locator(f'.canvas [data-section="{section}"]')

    def handle(self, task):
        return self.row(task).locator("[data-handle]")

    def box(self, task):
        """The box of a row, after all animations have ended, and how far the list was scrolled then."""
        self.still()
        box = self.row(task).bounding_box()
        assert box, f"{task} is not in the page"
        return box | {"scrolled": self.scrolled()}

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
            && document.querySelector("main").dataset.waiting === "0"
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

    def lift(self, task):
        """Presses on the handle, and moves far enough to start a drag."""
        self.lift_row(self.row(task))

    def lift_row(self, row):
        self.reveal(row)
        box = row.locator("[data-handle]").bounding_box()
        self.row_box = row.bounding_box()
        self.x, self.y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(self.x, self.y)
        self.page.mouse.down()
        self.page.mouse.move(self.x, self.y + 8)
        self.page.wait_for_selector(".drag-image")

    def reveal(self, row):
        """Scrolls the list until the whole row is in sight: a press on a row behind an edge does not reach it."""
        self.still()
        row.evaluate("(row) => row.scrollIntoView({ block: 'nearest' })")
        self.scrolled()

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
        self.reveal(self.row(task))
        target = self.box(over)
        self.lift(task)
        self.hover(target, levels)
        self.drop()

    def focus(self, task):
        self.row(task).focus()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
