"""The server accepts an inherited socket from a service manager, and no socket that is meant for another process."""

import os
import socket
import tempfile
import threading
import urllib.request
from pathlib import Path

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
    print("the server accepts an inherited socket, also after a restart, and no others")


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
