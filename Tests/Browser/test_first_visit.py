"""The first visit with a browser, on a slow line."""

MOST_REQUESTS = 8
MOST_BYTES_OF_SCRIPT = 204_800
LATENCY_MILLISECONDS, BYTES_PER_SECOND = 150, 200_000


def the_first_visit_needs_few_requests(server, open_window):
    """Prints when the first row was shown."""
    server.make("visit", "\n".join(f"t{number}" for number in range(100)))
    window = open_window(None)
    responses = []
    window.page.on("response", lambda response: responses.append(response))
    session = window.context.new_cdp_session(window.page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": LATENCY_MILLISECONDS,
        "downloadThroughput": BYTES_PER_SECOND, "uploadThroughput": BYTES_PER_SECOND})
    window.page.goto(f"{server.url}/#visit", wait_until="commit")
    window.row("visit-t0").wait_for()
    print(f"the first row after {window.page.evaluate('performance.now()'):.0f} ms")
    window.page.wait_for_selector("main[data-state=live]")
    paths = [one.url.removeprefix(server.url) for one in responses]
    if paths[-1].endswith("/later.js"):
        paths.pop()  # the list is shown before it
    assert len(paths) <= MOST_REQUESTS, paths
    files = {path.rsplit("/", 1)[1]: one for path, one in zip(paths, responses, strict=False) if path.startswith("/web/")}
    assert set(files) == {"app.js", "styles.css"}, files
    # A bundle of other files is readable, so it is larger.
    assert window.files or len(files["app.js"].body()) < MOST_BYTES_OF_SCRIPT
