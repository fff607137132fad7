"""nginx on a free port of this machine, with all its files in a temporary folder."""

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from waiting import HANG_SECONDS, wait_until

CONFIGURATION = """
pid nginx.pid;
error_log error.log;
worker_processes 1;
events {{ worker_connections 1024; }}
http {{
    log_format seen escape=none '$request_method\t$upstream_status\t$request_uri';
    access_log access.log seen;
    client_body_temp_path temporary;
    proxy_temp_path temporary;
    fastcgi_temp_path temporary;
    uwsgi_temp_path temporary;
    scgi_temp_path temporary;
    {servers}
}}
"""


@contextlib.contextmanager
def running(servers, port):
    """Runs nginx with these servers, which listen on the port. Yields the lines of its log (method, the server's status, path),
    which are filled in after it has ended."""
    program, lines = shutil.which("nginx") or "/usr/sbin/nginx", []
    with folder() as place:
        (place / "temporary").mkdir()
        (place / "temporary").chmod(0o777)
        (place / "nginx.conf").write_text(CONFIGURATION.format(servers=servers))
        command = [program, "-p", place, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"]
        with proxy(command, port, place / "error.log") as process:
            yield lines
            # nginx finishes the requests that it has begun.
            process.send_signal(signal.SIGQUIT)
            process.wait(HANG_SECONDS)
        lines += (place / "access.log").read_text(errors="replace").splitlines()


@contextlib.contextmanager
def folder():
    """If root starts a proxy, its workers run as another user, who must be able to read the folder."""
    with tempfile.TemporaryDirectory(prefix="reorderd-proxy-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextlib.contextmanager
def proxy(command, port, errors, **options):
    """Runs a proxy, and waits until it listens."""
    with errors.open("a") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, **options)

    def listens():
        assert process.poll() is None, f"the proxy ended: {errors.read_text()}"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True

    try:
        wait_until(listens, "the proxy listens")
        yield process
    finally:
        process.terminate()
        process.wait()
