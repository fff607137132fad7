"""nginx in front of a server, on a free port of this machine, with all its files in a temporary folder."""

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
    {limits}
    proxy_temp_path temporary;
    fastcgi_temp_path temporary;
    uwsgi_temp_path temporary;
    scgi_temp_path temporary;
    upstream reorderd {{ server {upstream}; keepalive 16; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://reorderd;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            {directives}
        }}
    }}
}}
"""


@contextlib.contextmanager
def running(address, directives="", limits=""):
    """Yields nginx's address, and the lines of its log (method, the server's status, path), which are filled in after it
    has ended."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    with tempfile.TemporaryDirectory(prefix="reorderd-nginx-") as name:
        folder, port, lines = Path(name), free_port(), []
        # If root starts nginx, its workers run as another user.
        folder.chmod(0o755)
        (folder / "temporary").mkdir()
        (folder / "temporary").chmod(0o777)
        (folder / "nginx.conf").write_text(CONFIGURATION.format(
            upstream=address.removeprefix("http://"), port=port, directives=directives, limits=limits))
        process = subprocess.Popen(
            [program, "-p", folder, "-c", "nginx.conf", "-e", "error.log", "-g", "daemon off;"],
            stderr=subprocess.DEVNULL)
        try:
            wait_for(port, process, folder / "error.log")
            yield f"http://127.0.0.1:{port}", lines
            # nginx finishes the requests that it has begun.
            process.send_signal(signal.SIGQUIT)
            process.wait(HANG_SECONDS)
        finally:
            process.terminate()
            process.wait()
        lines += (folder / "access.log").read_text(errors="replace").splitlines()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process, errors):
    def listens():
        assert process.poll() is None, f"the proxy ended: {errors.read_text()}"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True

    wait_until(listens, "the proxy listens")
