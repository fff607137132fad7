"""Passwords through nginx, with the configuration of docs/proxies.md: they are accepted only if the client uses https."""

import http.client
import re
import ssl
import tempfile
from pathlib import Path

import encryption
import environment
import nginx
import proxies
import worlds
from ports import free_port
from waiting import HANG_SECONDS

ELSEWHERE = "192.0.2.7"
FORWARDED = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"


def documented_line():
    """What the page adds for passwords."""
    text = Path(environment.ROOT, "docs/proxies.md").read_text()
    return re.search(r"`(proxy_set_header X-Forwarded-Proto [^`]*)`", text)[1]


def status(port, site, context=None, **fields):
    """Of a request with a password."""
    if context:
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=HANG_SECONDS, context=context)
    else:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_SECONDS)
    authorization = {"Authorization": site.client().authorization, "Depth": "0"}
    connection.request("PROPFIND", worlds.HOME, None, authorization | {key.replace("_", "-"): value for key, value in fields.items()})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def through_nginx(site, identity, sends_protocol):
    """The statuses with https, with http, and with http by a client that claims https."""
    plain, secure = free_port(), free_port()
    listen = f"listen 127.0.0.1:{plain}; listen 127.0.0.1:{secure} ssl; ssl_certificate {identity.certificate}; ssl_certificate_key {identity.key};"
    # As if the client were on another machine.
    fields = f"proxy_set_header X-Forwarded-For {ELSEWHERE};" + (documented_line() if sends_protocol else "")
    changes = {"127.0.0.1:8080": site.url.removeprefix("http://"), "listen 80;": listen, FORWARDED: fields}
    context = ssl.create_default_context(cafile=identity.certificate)
    with nginx.running(proxies.block("nginx", "proxies.md", changes), plain):
        return status(secure, site, context), status(plain, site), status(plain, site, X_Forwarded_Proto="https")


def run(program, seed, is_long):
    with tempfile.TemporaryDirectory(prefix="reorderd-tls-") as folder:
        identity = encryption.Identity(Path(folder))
        with worlds.running(program, "--trust-proxy", "127.0.0.1") as site:
            found = through_nginx(site, identity, sends_protocol=True)
            assert found == (207, 403, 403), f"the documented configuration: {found}"
            found = through_nginx(site, identity, sends_protocol=False)[:2]
            assert found == (403, 403), f"without X-Forwarded-Proto: {found}"
            assert status(int(site.url.rsplit(":", 1)[1]), site) == 207, "this machine, without a proxy"
        with worlds.running(program) as site:
            found = through_nginx(site, identity, sends_protocol=True)
            assert found == (403, 403, 403), f"a proxy that is not trusted: {found}"
    print("nginx: passwords are accepted only with https, from a proxy that says so and is trusted")
