"""The test suites of caldav-server-tester, python-caldav and vdirsyncer, with the server."""

import json
import subprocess

import judges
import worlds
from expected import PYTHON_CALDAV, SERVER_TESTER, VDIRSYNCER

# A check that ends the program if the server has no events, and what it asks for comes from events anyway.
WITHOUT = ("CheckDuplicateEvent",)
MIXIN = '''
import pytest


class ServerMixin:
    @pytest.fixture
    def get_storage_args(self, request, tmpdir, slow_create_collection, aio_connector):
        async def inner(collection="test"):
            args = {{"url": {url!r}, "username": "anna", "password": {token!r}, "connector": aio_connector}}
            if collection is not None:
                args = await slow_create_collection(self.storage_class, args, collection)
            return args

        return inner
'''


def server_tester(site, programs):
    tester = programs / "caldav-server-tester"
    listed = subprocess.run([tester, "--list-checks"], check=True, capture_output=True, text=True).stdout.split()
    checks = [part for name in listed if name not in WITHOUT for part in ("--run-checks", name)]
    access = ["--caldav-url", f"{site.url}/dav/", "--caldav-username", "anna", "--caldav-password", site.token]
    result = subprocess.run([tester, *access, "--format", "json", "--verbose", *checks], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-3000:]
    found = {}
    for name, feature in json.loads(result.stdout)["features"].items():
        support = feature.get("support", "full")
        # Unknown is what it did not test, because something else is missing.
        if support != "unknown":
            found[name] = ("passed" if support == "full" else "failed"), f"{support}: {feature.get('behaviour', '')}"
    judges.compare("caldav-server-tester", found, SERVER_TESTER)


def python_caldav(site, programs):
    folder = judges.source("caldav")
    server = {"type": "external", "enabled": True, "url": f"{site.url}/dav/", "username": "anna", "password": site.token}
    servers = {"radicale": {"type": "embedded", "enabled": False}, "xandikos": {"type": "embedded", "enabled": False}, "reorderd": server}
    # JSON is YAML.
    (folder / "tests/caldav_test_servers.yaml").write_text(json.dumps({"test-servers": servers}))
    names = ["tests/test_caldav.py", "-k", "TestForServer and not testCheckCompatibility"]
    found = judges.pytest(folder, site.folder / "python-caldav.log", names, PYTHON_CALDAV_TEST_DOCKER="0")
    judges.compare("python-caldav", found, PYTHON_CALDAV)


def vdirsyncer(site, programs):
    folder = judges.source("vdirsyncer")
    package = folder / "tests/storage/servers/reorderd"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text(MIXIN.format(url=f"{site.url}/dav/", token=site.token))
    names = ["tests/storage/dav/test_caldav.py", "tests/storage/dav/test_main.py"]
    found = judges.pytest(folder, site.folder / "vdirsyncer.log", names, DAV_SERVER="reorderd")
    judges.compare("vdirsyncer", found, VDIRSYNCER)


def run(program, seed, is_long):
    programs = judges.make()
    for judge in (server_tester, vdirsyncer, python_caldav):
        with worlds.running(program, "--log-level", "critical") as site:
            site.make("home", ["One #1", "Two #2"])
            judge(site, programs)
