"""A client of CalDAV, as small as the tests need it: one collection over one connection."""

import base64
import contextlib
import http.client
import xml.etree.ElementTree as Xml
from urllib.parse import quote, unquote, urlsplit
from xml.sax.saxutils import escape

from waiting import HANG_SECONDS

D, C, CS = "{DAV:}", "{urn:ietf:params:xml:ns:caldav}", "{http://calendarserver.org/ns/}"
SPACES = 'xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" xmlns:cs="http://calendarserver.org/ns/"'
# As many as Tasks.org and DAVx5 ask for at once.
TOGETHER = 30


class Refused(Exception):
    """A response that is not what the request needs."""

    def __init__(self, response, what):
        super().__init__(f"{what}: {response.status} {response.body[:500]!r}")
        self.response = response


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def etag(self):
        return self.headers["ETag"]


class Member:
    """One response of a multistatus: the properties with status 200, or the status of the whole."""

    def __init__(self, element):
        self.href = unquote(urlsplit(element.findtext(f"{D}href") or "").path)
        status = element.findtext(f"{D}status")
        self.status = int(status.split()[1]) if status else 200
        self.properties = {}
        for part in element.findall(f"{D}propstat"):
            if (part.findtext(f"{D}status") or "").split()[1] == "200":
                self.properties |= {child.tag: child for child in part.find(f"{D}prop") or ()}

    def text(self, name):
        found = self.properties.get(name)
        return None if found is None else (found.text or "").strip(" \t\r\n") if name != f"{C}calendar-data" else found.text


class Server:
    """A connection with a user's name and password, or with a token alone."""

    def __init__(self, url, password, user=None):
        self.address = urlsplit(url).netloc
        basic = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.authorization = f"Bearer {password}" if user is None else f"Basic {basic}"
        self.connection = None

    def ask(self, method, path, body=None, **headers):
        """Sends a request. Underscores in names of header fields mean hyphens. The path is not encoded yet."""
        return self.send(method, quote(path, safe="/:@!$&'()*+,;=~"), body, {name.replace("_", "-"): value for name, value in headers.items()})

    def send(self, method, target, body=None, headers=None):
        fields = {"Authorization": self.authorization} | (headers or {})
        body = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else body
        # The server may have closed the connection meanwhile: then a new one is used, once.
        for is_last in (self.connection is None, True):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.address, timeout=HANG_SECONDS)
            try:
                self.connection.request(method, target, body, fields)
                answer = self.connection.getresponse()
                return Response(answer.status, answer.headers, answer.read())
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if is_last:
                    raise
        raise AssertionError

    def close(self):
        if self.connection is not None:
            with contextlib.suppress(OSError):
                self.connection.close()
        self.connection = None

    def multistatus(self, method, path, body, depth):
        response = self.ask(method, path, f'<?xml version="1.0" encoding="utf-8"?>{body}', Depth=depth, Content_Type="application/xml; charset=utf-8")
        if response.status != 207:
            raise Refused(response, f"{method} {path}")
        root = Xml.fromstring(response.body)
        return [Member(element) for element in root.findall(f"{D}response")], root.findtext(f"{D}sync-token")


class Collection:
    """One list. `ledger` hears of each version of a resource that passes, in both directions."""

    def __init__(self, server, path, ledger):
        self.server, self.path, self.ledger = server, path, ledger

    def tags(self):
        """The collection's tag and its token for synchronization."""
        body = f"<d:propfind {SPACES}><d:prop><cs:getctag/><d:sync-token/></d:prop></d:propfind>"
        (member,), _ = self.server.multistatus("PROPFIND", self.path, body, "0")
        return member.text(f"{CS}getctag"), member.text(f"{D}sync-token")

    def etags(self):
        body = (
            f"<c:calendar-query {SPACES}><d:prop><d:getetag/></d:prop><c:filter><c:comp-filter name='VCALENDAR'>"
            "<c:comp-filter name='VTODO'/></c:comp-filter></c:filter></c:calendar-query>"
        )
        members, _ = self.server.multistatus("REPORT", self.path, body, "1")
        return {member.href: member.text(f"{D}getetag") for member in members}

    def changes(self, token):
        """The new token, and the tag of each resource that changed after the old one; None if it was deleted."""
        body = (
            f"<d:sync-collection {SPACES}><d:sync-token>{escape(token or '')}</d:sync-token><d:sync-level>1</d:sync-level>"
            "<d:prop><d:getetag/></d:prop></d:sync-collection>"
        )
        members, new = self.server.multistatus("REPORT", self.path, body, "0")
        return new, {member.href: member.text(f"{D}getetag") if member.status != 404 else None for member in members}

    def read(self, hrefs):
        """The tag and the text of each resource that still exists."""
        hrefs, found = list(hrefs), {}
        for start in range(0, len(hrefs), TOGETHER):
            names = "".join(f"<d:href>{escape(quote(href))}</d:href>" for href in hrefs[start : start + TOGETHER])
            body = f"<c:calendar-multiget {SPACES}><d:prop><d:getetag/><c:calendar-data/></d:prop>{names}</c:calendar-multiget>"
            for member in self.server.multistatus("REPORT", self.path, body, "1")[0]:
                if f"{C}calendar-data" in member.properties:
                    # A parser of XML reads each line end as \n.
                    text = member.text(f"{C}calendar-data").replace("\r\n", "\n").replace("\n", "\r\n")
                    found[member.href] = member.text(f"{D}getetag"), text
        for href, (etag, text) in found.items():
            self.ledger.read(href, etag, text)
        return found

    def get(self, href):
        response = self.server.ask("GET", href)
        if response.status == 404:
            return None
        if response.status != 200:
            raise Refused(response, f"GET {href}")
        text = response.body.decode("utf-8", "surrogateescape")
        self.ledger.get(href, response.etag, text)
        return response.etag, text

    def put(self, href, text, etag=None, is_new=False):
        conditions = {"If_None_Match": "*"} if is_new else {"If_Match": etag} if etag else {}
        response = self.server.ask("PUT", href, text, Content_Type="text/calendar; charset=utf-8", **conditions)
        if response.status in (200, 201, 204):
            self.ledger.wrote(href, response.etag, text)
        elif response.status not in (403, 404, 409, 412):
            raise Refused(response, f"PUT {href}")
        return response

    def delete(self, href, etag=None):
        response = self.server.ask("DELETE", href, **({"If_Match": etag} if etag else {}))
        if response.status in (200, 204):
            self.ledger.deleted(href)
        elif response.status not in (404, 412):
            raise Refused(response, f"DELETE {href}")
        return response
