"""Requests of attackers: each gets a clear 4xx, changes nothing, and leaves a server that answers."""

import socket
import time

import worlds
from dav import SPACES
from ledger import Ledger
from waiting import HANG_SECONDS

HEAD = '<?xml version="1.0"?>'
TODO = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//judge//EN\r\nBEGIN:VTODO\r\nUID:{uid}\r\nSUMMARY:{title}\r\n{more}END:VTODO\r\nEND:VCALENDAR\r\n"
ALL = "<d:propfind xmlns:d='DAV:'><d:prop><d:getetag/></d:prop></d:propfind>"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
MIB = 1 << 20


def todo(uid="new", title="New #9", more=""):
    return TODO.format(uid=uid, title=title, more=more)


def propfind(inner, head=HEAD):
    return f"{head}<d:propfind xmlns:d='DAV:'>{inner}</d:propfind>"


def query(inner):
    return f"<c:calendar-query {SPACES}><d:prop><d:getetag/></d:prop><c:filter><c:comp-filter name='VCALENDAR'>{inner}</c:comp-filter></c:filter></c:calendar-query>"


def multiget(hrefs):
    names = "".join(f"<d:href>{href}</d:href>" for href in hrefs)
    return f"<c:calendar-multiget {SPACES}><d:prop><d:getetag/><c:calendar-data/></d:prop>{names}</c:calendar-multiget>"


def proppatch(name, value):
    return f"<d:propertyupdate xmlns:d='DAV:'><d:set><d:prop><x:{name} xmlns:x='urn:x'>{value}</x:{name}></d:prop></d:set></d:propertyupdate>"


# The name, the method, the body, and header fields. The path is the collection's.
BODIES = (
    ("billion laughs", "PROPFIND", propfind("<d:prop><d:getetag/>&l9;</d:prop>", f'{HEAD}<!DOCTYPE lolz [<!ENTITY l0 "lol">{LAUGHS}]>'), {}),
    ("quadratic entity", "PROPFIND", propfind("&a;" * 50_000, f'{HEAD}<!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>'), {}),
    ("external entity", "PROPFIND", propfind("<d:prop>&x;</d:prop>", f'{HEAD}<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'), {}),
    ("parameter entity", "PROPFIND", propfind("<d:allprop/>", f'{HEAD}<!DOCTYPE x [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x"> %x;]>'), {}),
    ("external DTD", "PROPFIND", propfind("<d:allprop/>", f'{HEAD}<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">'), {}),
    ("plain DTD", "PROPFIND", propfind("<d:allprop/>", f"{HEAD}<!DOCTYPE d:propfind>"), {}),
    ("deep XML", "PROPFIND", propfind("<d:prop>" + "<a>" * 100_000 + "</a>" * 100_000 + "</d:prop>"), {}),
    ("deep XML without end", "PROPFIND", propfind("<d:prop>" + "<a>" * 200_000), {}),
    ("many attributes", "PROPFIND", propfind("<d:prop><d:getetag " + " ".join(f"a{n}='1'" for n in range(100_000)) + "/></d:prop>"), {}),
    ("repeated attribute", "PROPFIND", propfind("<d:prop a='1' a='2'/>"), {}),
    ("unknown prefix", "PROPFIND", propfind("<d:prop><y:getetag/></d:prop>"), {}),
    ("NUL in XML", "PROPFIND", propfind("<d:prop><d:getetag/>\0</d:prop>"), {}),
    ("UTF-7", "PROPFIND", propfind("<d:allprop/>", '<?xml version="1.0" encoding="UTF-7"?>'), {}),
    ("invalid UTF-8", "PROPFIND", propfind("<d:allprop/>").encode() .replace(b"allprop/", b"allprop/><!-- \xff\xfe --"), {}),
    ("not XML", "PROPFIND", '{"d": 1}', {}),
    ("depth infinity", "PROPFIND", ALL, {"Depth": "infinity"}),
    ("no depth", "PROPFIND", ALL, {"Depth": None}),
    ("unknown depth", "PROPFIND", ALL, {"Depth": "7"}),
    ("huge XML", "PROPFIND", propfind("<d:prop>" + "<d:getetag/>" * (MIB) + "</d:prop>"), {}),
    ("many properties", "PROPFIND", propfind("<d:prop>" + "".join(f"<x:p{n} xmlns:x='urn:x'/>" for n in range(100_000)) + "</d:prop>"), {}),
    ("unknown report", "REPORT", "<d:version-tree xmlns:d='DAV:'/>", {}),
    ("empty report", "REPORT", "", {}),
    ("unknown filter", "REPORT", query("<c:comp-filter name='VTODO'><c:prop-filter name='A'><c:bomb/></c:prop-filter></c:comp-filter>"), {}),
    ("deep filter", "REPORT", query("<c:comp-filter name='VTODO'>" * 1000 + "</c:comp-filter>" * 1000), {}),
    ("unknown collation", "REPORT", query("<c:comp-filter name='VTODO'><c:prop-filter name='SUMMARY'><c:text-match collation='i;nonsense'>x</c:text-match></c:prop-filter></c:comp-filter>"), {}),
    ("bad time range", "REPORT", query("<c:comp-filter name='VTODO'><c:time-range start='yesterday'/></c:comp-filter>"), {}),
    ("10,000 hrefs", "REPORT", multiget(f"/dav/calendars/mine/{n}.ics" for n in range(10_000)), {}),
    ("foreign token of a synchronization", "REPORT", f"<d:sync-collection {SPACES}><d:sync-token>urn:reorderd:other:1</d:sync-token><d:sync-level>1</d:sync-level><d:prop/></d:sync-collection>", {}),
    ("token of the future", "REPORT", f"<d:sync-collection {SPACES}><d:sync-token>urn:reorderd:mine:99999999999999999999</d:sync-token><d:sync-level>1</d:sync-level><d:prop/></d:sync-collection>", {}),
    ("huge dead property", "PROPPATCH", proppatch("big", "x" * MIB), {}),
    ("a protected property", "PROPPATCH", "<d:propertyupdate xmlns:d='DAV:'><d:set><d:prop><d:getetag>x</d:getetag></d:prop></d:set></d:propertyupdate>", {}),
    ("an unknown method", "BREW", "", {}),
    ("LOCK", "LOCK", "<d:lockinfo xmlns:d='DAV:'/>", {}),
    ("MKCALENDAR over a list", "MKCALENDAR", "", {}),
)

# What is sent as a new resource. Control characters could not be shown in XML.
TEXTS = (
    ("an empty text", ""),
    ("no calendar", "hello"),
    ("an event", todo().replace("VTODO", "VEVENT")),
    ("a journal", todo().replace("VTODO", "VJOURNAL")),
    ("two tasks", todo().replace("END:VCALENDAR", "BEGIN:VTODO\r\nUID:second\r\nSUMMARY:x\r\nEND:VTODO\r\nEND:VCALENDAR")),
    ("no UID", todo().replace("UID:new\r\n", "")),
    ("an empty UID", todo(uid="")),
    ("two UIDs", todo(more="UID:other\r\n")),
    ("a UID that is used", todo(uid="{taken}")),
    ("METHOD", todo().replace("BEGIN:VTODO", "METHOD:REQUEST\r\nBEGIN:VTODO")),
    ("no end", todo()[:-30]),
    ("a wrong end", todo().replace("END:VTODO", "END:VEVENT")),
    ("a huge title", todo(title="x" * 100_000)),
    ("a huge text", todo(more=f"X-HUGE:{'x' * 9 * MIB}\r\n")),
    ("a large text", todo(more=f"X-LARGE:{'x' * 100_000}\r\n")),
    ("NUL", todo(title="a\0b")),
    ("control characters", todo(more="X-C:\x01\x02\r\n")),
    ("invalid UTF-8", todo(title="\udcff\udcfe")),
    ("deep components", todo(more="BEGIN:X-A\r\n" * 10_000 + "END:X-A\r\n" * 10_000)),
    ("HTML", "<html><script>alert(1)</script></html>"),
)

# Paths that must not lead to the other list or to a file. `{mine}` and `{other}` are the collections.
PATHS = (
    "{mine}../other/secret.ics", "{mine}%2e%2e/other/secret.ics", "{mine}..%2fother%2fsecret.ics", "{mine}%2e%2e%2fother%2fsecret.ics",
    "{mine}..%5cother%5csecret.ics", "{mine}./../other/secret.ics", "{mine}..;/other/secret.ics", "{mine}%252e%252e/other/secret.ics",
    "{mine}..%c0%afother/secret.ics", "{other}secret.ics", "{other}", "//dav//calendars//other//secret.ics", "/dav/calendars/./other/secret.ics",
    "/dav/calendars/mine/secret.ics", "/dav/calendars/mine/%00.ics", "/dav/calendars/mine/a%00b.ics", "/dav/calendars/mine/%ff.ics",
    "/dav/../../../../etc/passwd", "/dav/%2e%2e/%2e%2e/etc/passwd", "/dav/calendars/mine/" + "a" * 10_000 + ".ics", "/dav/calendars/" + "a/" * 3000,
)


class Attack:
    def __init__(self, site):
        self.site = site
        _, self.mine_list = site.make("mine", ["Mine #1"])
        _, self.other_list = site.make("other", ["Secret #2"])
        self.mine, self.other = (f"{worlds.HOME}{name}/" for name in ("mine", "other"))
        self.client = site.client(site.tokens["mine"])
        self.faults = []
        self.count = 0
        ledger = Ledger()
        self.reader = site.collection("mine", ledger)
        self.all = site.collection("other", ledger)
        self.own = next(iter(self.reader.etags()))
        self.secret = next(iter(self.all.etags()))
        self.before = self.state()

    def state(self):
        """All that an attack could change."""
        paths = ("/lists", "/lists/mine", "/lists/other", self.own, self.secret)
        return [self.site.api.ask("GET", path).body for path in paths]

    def check(self, name, method, target, body=None, headers=None, client=None, allowed=range(400, 500)):
        self.count += 1
        client = client or self.client
        fields = {"Depth": "1", "Content-Type": "application/xml; charset=utf-8"} | (headers or {})
        fields = {key: value for key, value in fields.items() if value is not None}
        started = time.monotonic()
        try:
            response = client.send(method, target, body, fields)
        except OSError as error:
            # The server may end the connection while a body over the limit arrives.
            client.close()
            response = None
            if not (body and len(body) > MIB):
                self.faults.append(f"{name}: {method} {target[:80]}: no response: {error!r}")
        seconds = time.monotonic() - started
        if response is not None:
            if response.status not in allowed:
                self.faults.append(f"{name}: {method} {target[:80]}: {response.status} {response.body[:200]!r}")
            elif b"Secret" in response.body or b"root:" in response.body:
                self.faults.append(f"{name}: {method} {target[:80]}: shows what it must not: {response.body[:200]!r}")
        after = self.state()
        if after != self.before:
            self.faults.append(f"{name}: {method} {target[:80]} changed something: {response and response.status}")
            self.before = after
        return response, seconds

    def run(self):
        for name, method, body, headers in BODIES:
            allowed = (400, 403, 404, 405, 406, 409, 411, 412, 413, 414, 415, 417, 422, 423, 424, 431)
            response, _ = self.check(name, method, self.mine, body, headers, allowed=(*allowed, 501, 207))
            if response is None:
                continue
            is_partial = name in ("10,000 hrefs", "many properties", "a protected property", "huge dead property", "no depth", "many attributes", "repeated attribute")
            if response.status == 207 and not is_partial:
                self.faults.append(f"{name}: {method}: 207 {response.body[:200]!r}")
            if response.status == 501 and name != "an unknown method":
                self.faults.append(f"{name}: {method}: 501")
            if response.status == 207 and name in ("a protected property", "huge dead property") and b" 200 " in response.body:
                self.faults.append(f"{name}: accepted: {response.body[:300]!r}")
        calendar = {"Content-Type": "text/calendar; charset=utf-8"}
        uid = self.own.rsplit("/", 1)[1].removesuffix(".ics")
        for name, text in TEXTS:
            self.check(name, "PUT", f"{self.mine}new.ics", text.replace("{taken}", uid).encode("utf-8", "surrogateescape"), calendar)
        for kind in ("application/json", "text/html", "multipart/form-data; boundary=x"):
            self.check(f"a body of {kind}", "PUT", f"{self.mine}new.ics", todo(), {"Content-Type": kind})
        self.check("another UID", "PUT", self.own, todo(uid="other-uid"), calendar)
        for path in PATHS:
            target = path.format(mine=self.mine, other=self.other)
            for method in ("GET", "DELETE", "PROPFIND"):
                self.check("path", method, target, None, {"Depth": "0"}, allowed=(*range(400, 500), 301, 308))
        self.foreign(calendar)
        self.tokens(calendar)
        self.half_requests()

    def foreign(self, calendar):
        """The other list, by each way that names it."""
        for href in (self.secret, self.other, "/lists/other", "/etc/passwd", "http://example.org/dav/calendars/other/x.ics", f"{self.mine}../other/x.ics"):
            response, _ = self.check("a foreign href", "REPORT", self.mine, multiget([href]), allowed=(207, *range(400, 500)))
            if response is not None and response.status == 207 and b"BEGIN:VCALENDAR" in response.body:
                self.faults.append(f"a foreign href: {href}: {response.body[:300]!r}")
        name = self.secret.rsplit("/", 1)[1]
        for method in ("COPY", "MOVE"):
            self.check("from a foreign list", method, self.secret, None, {"Destination": f"{self.site.url}{self.mine}{name}"})
            self.check("to a foreign list", method, self.own, None, {"Destination": f"{self.site.url}{self.other}stolen.ics"})
            self.check("over a foreign task", method, self.own, None, {"Destination": f"{self.site.url}{self.secret}", "Overwrite": "T"})
            self.check("to another server", method, self.own, None, {"Destination": "http://example.org/dav/calendars/mine/x.ics"}, allowed=(403, 502))
            self.check("to nowhere", method, self.own, None, {})
            self.check("a collection", method, self.mine, None, {"Destination": f"{self.site.url}{worlds.HOME}copy/"})
            self.check("to dots", method, self.own, None, {"Destination": f"{self.site.url}{self.mine}../other/x.ics"})
        self.check("a foreign list", "PUT", f"{self.other}new.ics", todo(), calendar)
        self.check("a foreign task", "PUT", self.secret, todo(uid=name.removesuffix(".ics")), calendar)
        self.check("a foreign task", "DELETE", self.secret)
        self.check("a foreign list", "DELETE", self.other)
        self.check("a foreign list", "PROPPATCH", self.other, proppatch("a", "1"))
        self.check("a foreign list", "PROPFIND", self.other, ALL)
        self.check("a list that the token does not cover", "MKCALENDAR", f"{worlds.HOME}uncovered/")
        self.check("a list that the token does not cover", "MKCOL", f"{worlds.HOME}uncovered/")
        home, _ = self.check("the home", "PROPFIND", worlds.HOME, ALL, allowed=(207,))
        if home is not None and b"other" in home.body:
            self.faults.append("the home lists a foreign list")

    def tokens(self, calendar):
        """Tokens that must not write, or must not be used here."""
        share = self.mine_list.ask("POST", "/lists/mine/shares", {"scope": "write"})["token"]
        self.before = self.state()
        reader = self.site.client(self.site.tokens["reader"])
        for name, client in (("a token for reading", reader), ("a link's token", self.site.client(share)), ("a wrong token", self.site.client("wrong")),
                             ("a token for metrics", self.site.client(self.site.tokens["metrics"])), ("no token", self.site.client(""))):
            self.check(name, "PUT", f"{self.mine}new.ics", todo(), calendar, client)
            self.check(name, "DELETE", self.own, client=client)
            self.check(name, "DELETE", self.mine, client=client)
            self.check(name, "PROPPATCH", self.mine, proppatch("a", "1"), client=client)
            self.check(name, "MKCALENDAR", f"{worlds.HOME}uncovered/", client=client)
            self.check(name, "MOVE", self.own, None, {"Destination": f"{self.mine}moved.ics"}, client)
            if client is not reader:
                self.check(name, "PROPFIND", self.mine, ALL, client=client)
                self.check(name, "GET", self.own, client=client)
                self.check(name, "REPORT", self.mine, multiget([self.own]), client=client)
        for value in ("Basic", "Basic !!!", "Basic " + "A" * 20_000, "Basic OnB3", "Digest username=anna", "Basic YW5uYQ=="):
            self.check("malformed credentials", "PROPFIND", self.mine, ALL, {"Authorization": value})

    def half_requests(self):
        """Bodies that are announced, but do not come, must not hold the server."""
        host, port = self.site.url.removeprefix("http://").split(":")
        open_ones = []
        for _ in range(50):
            one = socket.create_connection((host, int(port)), timeout=HANG_SECONDS)
            one.sendall(f"REPORT {self.mine} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {self.client.authorization}\r\nContent-Length: 1000000\r\n\r\n<".encode())
            open_ones.append(one)
        self.check("beside half requests", "PROPFIND", self.mine, ALL, allowed=(207,))
        for one in open_ones:
            one.close()


def run(program, seed, is_long):
    others = (("mine", ("write:mine",)), ("reader", ("read:mine",)), ("metrics", ("metrics",)))
    with worlds.running(program, others=others) as site:
        attack = Attack(site)
        attack.run()
        memory = site.process.memory_bytes("VmHWM") >> 20
    assert not attack.faults, f"{len(attack.faults)} of {attack.count} attacks:\n" + "\n".join(attack.faults)
    print(f"{attack.count} attacks, each refused without a change; at most {memory} MiB of memory")
