"""The server accepts an inherited socket from a service manager, and no socket that is meant for another process. The unit's and
the container's limits of open files are enough, also with TLS."""

import os
import re
import resource
import socket
import tempfile
import threading
import urllib.request
from pathlib import Path

import environment
from encryption import Identity
from server_process import DidNotStart, ServerProcess
from waiting import HANG_SECONDS


def run(program, seed, is_long):
    with tempfile.TemporaryDirectory(prefix="reorderd-activation-") as folder:
        store = f"file:{folder}/lists.db"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            for _ in range(2):
                # The second process serves the request that arrived between the two.
                answers = []
                asking = threading.Thread(target=lambda kept=answers: kept.append(get(port)))
                asking.start()
                with start(program, store, listener) as server:
                    assert server.line == f"reorderd listening on http://127.0.0.1:{port}\n", server.line
                    asking.join()
                    assert answers == [200], answers
                    server.stop()
            with start(program, store, listener, process_id="1") as server:
                assert server.line.startswith("reorderd listening on http://127.0.0.1:"), server.line
                assert server.port != port and get(server.port) == 200
            assert refusal(program, store, listener, count="2") == 69
        with open(Path(folder, "file"), "w") as file:
            assert refusal(program, store, file) == 69
        with socket.create_server(("::1", 0), family=socket.AF_INET6) as listener:
            with start(program, store, listener) as server:
                assert server.line == f"reorderd listening on http://[::1]:{listener.getsockname()[1]}\n", server.line
    needed = descriptor_limits(program)
    print(f"the server accepts an inherited socket, also after a restart, and no others; TLS needs {needed} descriptors, which it has")


def descriptor_limits(program):
    """Compares the limits of open files that the unit and compose.yaml set with what a server with TLS needs, which it logs if its
    limit is too low."""
    with tempfile.TemporaryDirectory(prefix="reorderd-limits-") as name:
        identity = Identity(Path(name))
        command = [
            program, "serve", "--port", "0", "--store", "memory", "--tls-cert", identity.certificate, "--tls-key", identity.key]
        low = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1_000, 1_000))
        with ServerProcess(command, Path(name, "log"), preexec_fn=low) as server:
            server.stop()
            needed = int(re.search(r"the limit of open files is too low .* needed=(\d+)", server.log)[1])
    for file, form in (("packaging/systemd/reorderd.service", r"^LimitNOFILE=(\d+)$"), ("compose.yaml", r"nofile: (\d+)$")):
        limit = int(re.search(form, Path(environment.ROOT, file).read_text(), re.MULTILINE)[1])
        assert limit >= needed, f"{file}: {limit} open files, and a server with TLS needs {needed}"
    return needed


def start(program, store, file, process_id="$$", count="1"):
    """Starts a server that inherits a file as descriptor 3."""
    script = f'export LISTEN_PID={process_id} LISTEN_FDS={count}; exec "$@"'
    given = file.fileno()

    def hand_over():
        if given == 3:
            os.set_inheritable(3, True)
        else:
            os.dup2(given, 3)

    return ServerProcess(
        ["sh", "-c", script, "sh", program, "serve", "--port", "0", "--store", store, "--log-level", "error"],
        preexec_fn=hand_over, pass_fds=(3,))


def refusal(*arguments, **options):
    """The exit code of a server that does not accept what it inherits."""
    try:
        start(*arguments, **options).kill()
    except DidNotStart as failure:
        return failure.code
    return None


def get(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=HANG_SECONDS) as answer:
        return answer.status
