"""Checks the links between the files of the site: `site.py FOLDER BASE`. The file and the anchor must exist. docc checks links to symbols.

Prints each broken link, and exits with 1 if it finds one.
"""

import posixpath
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Examples load libraries that apps put beside them.
NOT_READ = ("Examples/",)


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def target_of(link, name, base, files):
    """The file to which a link of a page leads, or None if it does not exist."""
    path = posixpath.normpath(posixpath.join(f"{base}/{posixpath.dirname(name)}", unquote(link)))
    if path != base and not path.startswith(f"{base}/"):
        return None
    path = path.removeprefix(base).strip("/")
    return next((each for each in (path, f"{path}/index.html".lstrip("/")) if each in files), None)


def main(site, base):
    files = {str(file.relative_to(site)) for file in site.rglob("*") if file.is_file()}
    pages = {name: Page((site / name).read_text()) for name in sorted(files) if name.endswith(".html") and not name.startswith(NOT_READ)}
    links = [(name, link, urlsplit(link)) for name, page in pages.items() for link in page.links]
    inner = [(name, link, parts) for name, link, parts in links if not (parts.scheme or parts.netloc)]
    found = []
    for name, link, parts in inner:
        target = target_of(parts.path, name, base, files) if parts.path else name
        if not target:
            found.append(f"{name}: {link}: the file does not exist")
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            found.append(f"{name}: {link}: the anchor does not exist")
    print("\n".join(found) if found else f"{len(pages)} pages of the site: all {len(inner)} links are valid")
    return 1 if found or not inner else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
