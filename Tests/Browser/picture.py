"""Makes the picture in README.md: the sample list in a window, in the middle of a drag, and on a phone in dark mode."""

import base64
import tempfile
from pathlib import Path

from page_server import Server
from window import Window

FRAME = """
<style>
  body { margin: 0; padding: 28px; display: flex; gap: 28px; align-items: center; width: max-content; background: #dcdcd8; }
  img { display: block; border-radius: 12px; box-shadow: 0 2px 6px rgb(0 0 0 / .18), 0 18px 48px rgb(0 0 0 / .22); }
  img.phone { border-radius: 30px; border: 8px solid #0c0d0e; }
</style>
<img width="1000" height="800" src="%s"><img class="phone" width="360" height="740" src="%s">
"""


def make(program, browser, file):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, Path(folder))
        try:
            draw(server, browser, file)
        finally:
            server.stop()


def draw(server, browser, file):
    window = Window(browser, server.url, viewport={"width": 1000, "height": 800}, device_scale_factor=2)
    window.open("demo")
    target = window.box("demo-cheese")
    window.lift("demo-fruit")
    window.hover({"y": target["y"] - 20})
    window.page.mouse.move(window.x - 18, target["y"] + 20)
    window.until("document.getAnimations().every((one) => one.playState !== 'running')")
    wide = window.page.screenshot()
    window.press("Escape")
    window.page.mouse.up()
    phone = Window(browser, server.url, viewport={"width": 360, "height": 740}, color_scheme="dark",
                   device_scale_factor=2, has_touch=True, is_mobile=True)
    phone.open("demo").still()
    small = phone.page.screenshot()
    images = ["data:image/png;base64," + base64.b64encode(image).decode() for image in (wide, small)]
    frame = browser.new_page(viewport={"width": 1500, "height": 900}, device_scale_factor=1.25)
    frame.set_content(FRAME % tuple(images))
    frame.locator("body").screenshot(path=file)
    for one in (window, phone):
        one.close()
