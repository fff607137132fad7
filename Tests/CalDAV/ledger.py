"""What passed between the clients and a list: by it, each reading of a resource is judged."""

from ical import Todo


class Ledger:
    def __init__(self):
        self.faults = []
        self.texts = {}
        """The text of each version of a resource, by its path and entity tag."""
        self.exact = {}
        """The same with its line ends, of versions that a client wrote and that have a tag."""
        self.foreign = {}
        """The lines that the last client wrote and that a server must not change."""
        self.removed = set()
        self.places = {}
        """The keys and the parents that a resource has had."""
        self.readings = 0

    def read(self, href, etag, text):
        self.readings += 1
        self._version(href, etag, text)
        self._place(href, Todo(text))
        if href in self.removed:
            self.faults.append(f"{href} was deleted, and is there again")
        wanted = self.foreign.get(href)
        if wanted is not None:
            found = [plain(line) for line in Todo(text).foreign]
            if found != wanted:
                self.faults.append(f"{href}: lines of a client changed: {difference(wanted, found)}")

    def get(self, href, etag, text):
        """A reading by GET, which has the line ends as they are stored."""
        self.read(href, etag, text)
        wanted = self.exact.get((href, etag))
        if wanted is not None and wanted != text:
            self.faults.append(f"{href}: has the entity tag {etag} of what was written, but other bytes: {wanted!r} and {text!r}")

    def wrote(self, href, etag, text):
        self.foreign[href] = [plain(line) for line in Todo(text).foreign]
        self.removed.discard(href)
        self._place(href, Todo(text))
        if etag:
            self._version(href, etag, text)
            self.exact[href, etag] = text

    def deleted(self, href):
        self.removed.add(href)
        self.foreign.pop(href, None)

    def _place(self, href, todo):
        self.places[href] = self.places.get(href, frozenset()) | {("key", todo.key), ("parent", todo.parent)}

    def _version(self, href, etag, text):
        known = self.texts.setdefault((href, etag), plain(text))
        if known != plain(text):
            lines = difference(known.splitlines(), plain(text).splitlines())
            self.faults.append(f"{href}: the entity tag {etag} stayed, but the text changed: {lines}")


def plain(text):
    return text.replace("\r\n", "\n")


def difference(old, new):
    return f"missing {[line for line in old if line not in new]}, new {[line for line in new if line not in old]}, or their order"
