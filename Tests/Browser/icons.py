"""Draws the icons for installed pages, from icon.svg."""

SIZES = {"icon-180.png": 180, "icon-192.png": 192, "icon-512.png": 512, "icon-maskable-512.png": 512}
# iOS and launchers that cut icons to a shape need a background up to the edges. Launchers show only the middle.
FULL = {"icon-180.png": 1, "icon-maskable-512.png": 0.8}
FRAME = """<style>
  body {{ margin: 0; background: {background}; }}
  svg {{ display: block; width: 100vw; height: 100vh; transform: scale({scale}); }}
</style>{svg}"""


def make(browser, folder):
    svg = (folder / "icon.svg").read_text()
    for name, size in SIZES.items():
        page = browser.new_page(viewport={"width": size, "height": size})
        background = "#1f5fbf" if name in FULL else "transparent"
        page.set_content(FRAME.format(svg=svg, background=background, scale=FULL.get(name, 1)))
        page.screenshot(path=folder / name, omit_background=name not in FULL)
        page.close()
