"""A task's resource in iCalendar, as text. Lines that nobody changes stay as they are, with their folds and line ends."""

import calendar
import re

# What a server may rewrite, because the order, the title or the mark change it. Everything else is the client's.
OWN = {
    "SUMMARY", "STATUS", "COMPLETED", "PERCENT-COMPLETE", "X-APPLE-SORT-ORDER", "X-OC-HIDESUBTASKS", "LAST-MODIFIED", "DTSTAMP",
}
KEY = "X-APPLE-SORT-ORDER"
_LINE = re.compile(r"(?<=\n)(?![ \t])")
_FOLD = re.compile(r"\r?\n[ \t]")
_NAME = re.compile(r'([A-Za-z0-9-]+)((?:;[^":;]+="[^"]*"|;[^":;]*)*):(.*)', re.DOTALL)
# Seconds from 1970 to 2001, from which clients count the keys of tasks without one.
EPOCH = 978_307_200


class Todo:
    """The first VTODO of a text."""

    def __init__(self, text):
        self.lines = [line for line in _LINE.split(text) if line]

    @property
    def text(self):
        return "".join(self.lines)

    def properties(self):
        """The index, the name, the parameters and the value of each property that belongs to the VTODO itself."""
        inside = []
        for index, line in enumerate(self.lines):
            match = _NAME.fullmatch(_FOLD.sub("", line).rstrip("\r\n"))
            if match is None:
                continue
            name, parameters, value = match[1].upper(), match[2], match[3]
            if name == "BEGIN":
                inside.append(value.upper())
            elif name == "END":
                inside.pop()
            elif inside == ["VCALENDAR", "VTODO"]:
                yield index, name, parameters, value

    def get(self, name):
        return next((value for _, other, _, value in self.properties() if other == name), None)

    def put(self, name, value):
        """Sets the property, or removes it if the value is None. Its parameters stay."""
        for index, other, parameters, _ in self.properties():
            if other == name:
                self.lines[index : index + 1] = [] if value is None else [fold(f"{name}{parameters}:{value}")]
                return
        if value is not None:
            self._insert(f"{name}:{value}")

    def _insert(self, line):
        end = next(index for index, raw in enumerate(self.lines) if raw.upper().startswith("END:VTODO"))
        self.lines.insert(end, fold(line))

    def _parents(self):
        return [
            (index, value) for index, name, parameters, value in self.properties()
            if name == "RELATED-TO" and ("RELTYPE" not in parameters.upper() or "RELTYPE=PARENT" in parameters.upper())
        ]

    @property
    def parent(self):
        found = self._parents()
        return found[0][1] if found and found[0][1] else None

    @parent.setter
    def parent(self, uid):
        for index, _ in reversed(self._parents()):
            del self.lines[index]
        if uid is not None:
            self._insert(f"RELATED-TO;RELTYPE=PARENT:{uid}")

    @property
    def title(self):
        return unescape(self.get("SUMMARY") or "")

    @title.setter
    def title(self, title):
        self.put("SUMMARY", escape(title))

    @property
    def done(self):
        return self.get("STATUS") == "COMPLETED"

    def mark(self, done, time):
        self.put("STATUS", "COMPLETED" if done else "NEEDS-ACTION")
        self.put("COMPLETED", time if done else None)
        self.put("PERCENT-COMPLETE", "100" if done else None)

    @property
    def key(self):
        value = self.get(KEY)
        return int(value) if value is not None and re.fullmatch(r"-?\d+", value) else None

    @key.setter
    def key(self, key):
        self.put(KEY, None if key is None else str(key))

    @property
    def created(self):
        """The seconds since 2001, which are the key of a task without one."""
        match = re.match(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)", self.get("CREATED") or "")
        return 0 if match is None else calendar.timegm(tuple(map(int, match.groups()))) - EPOCH

    @property
    def rank(self):
        return self.created if self.key is None else self.key

    @property
    def foreign(self):
        """The lines that a server must not change, byte for byte."""
        own = {index for index, name, _, _ in self.properties() if name in OWN} | {index for index, _ in self._parents()}
        return [line for index, line in enumerate(self.lines) if index not in own]


def escape(text):
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def unescape(text):
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nN" else match[1], text)


def fold(line):
    """The line with folds after at most 75 bytes, and its end."""
    parts, size = [""], 0
    for letter in line:
        count = len(letter.encode())
        if size + count > 75:
            parts.append("")
            size = 1
        parts[-1] += letter
        size += count
    return "\r\n ".join(parts) + "\r\n"
