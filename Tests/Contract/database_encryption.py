"""TLS to PostgreSQL, with the store's URL as in docs/many-servers.md. The database accepts only TLS. The server uses it if its
certificate has the right authority and name; otherwise it logs the reason, and waits."""

import os
import shutil
import subprocess
import urllib.request

import contract_server
import nginx
from encryption import Identity
from postgres import USER, Postgres
from waiting import HANG_SECONDS

CANNOT_CREATE = 73


def run(program, seed, is_long):
    with nginx.folder() as place:
        right, wrong = (identity(place / name) for name in ("right", "wrong"))
        database = Postgres(place / "database", {"ssl": "on"}).make()
        install(right, database)
        with database.start():
            def url(host="127.0.0.1", mode="verify-full", authority=right):
                return (f"postgres://reorderd@{host}:{database.port}/postgres?sslmode={mode}"
                        f"&sslrootcert={authority.certificate}")

            with contract_server.running(program, "--store", url(), "--migrate") as address:
                request = urllib.request.Request(
                    f"{address}/lists/l", b'{"title":"L"}', {"Content-Type": "application/json"}, method="PUT")
                assert urllib.request.urlopen(request).status == 201
                connections = database.sql(
                    "SELECT ssl, count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                    "WHERE application_name = 'reorderd' GROUP BY ssl")
                assert [ssl for ssl, _ in connections] == ["t"], connections
            for refused, why in (
                (url(authority=wrong), "certificate verify failed"),
                (url(host="localhost"), 'does not match host name "localhost"'),
                (url(mode="disable"), "no encryption"),
            ):
                migration = subprocess.run(
                    [program, "migrate", "--store", refused], capture_output=True, text=True, timeout=HANG_SECONDS)
                assert migration.returncode == CANNOT_CREATE and why in migration.stderr, (refused, migration)
                wait_in_vain(program, refused, why)
    print(f"{connections[0][1]} connections, all with TLS; another authority, another name and no TLS are refused")


def wait_in_vain(program, url, why):
    """A server that can't connect logs the reason, does not listen, and ends on SIGTERM."""
    command = [program, "serve", "--port", "0", "--store", url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            attempt = next((line for line in server.stderr if "can't be reached" in line), "")
            assert why in attempt, (url, attempt)
            server.terminate()
            assert server.wait(HANG_SECONDS) == 0
            assert server.stdout.read() == ""
        finally:
            server.kill()


def identity(folder):
    folder.mkdir()
    return Identity(folder)


def install(identity, database):
    """Lets the database use this certificate, and accept only connections with TLS."""
    data = database.folder / "data"
    for file, name in ((identity.certificate, "server.crt"), (identity.key, "server.key")):
        shutil.copy(file, data / name)
        (data / name).chmod(0o600)
        if os.getuid() == 0:
            shutil.chown(data / name, USER)
    (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 trust\n")
