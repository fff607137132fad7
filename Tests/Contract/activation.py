"""The server accepts an inherited socket from a service manager, and no socket that is meant for another process."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.request
from pathlib import Path


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
                with started(program, store, listener) as (process, line):
                    assert line == f"reorderd listening on http://127.0.0.1:{port}\n", line
                    asking.join()
                    assert answers == [200], answers
                    process.send_signal(signal.SIGTERM)
                    assert process.wait(20) == 0
            with started(program, store, listener, process_id="1") as (process, line):
                assert line.startswith("reorderd listening on http://127.0.0.1:"), line
                other = int(line.rsplit(":", 1)[1])
                assert other != port and get(other) == 200
            with started(program, store, listener, count="2") as (process, line):
                assert process.wait(20) == 69, process.returncode
        with open(Path(folder, "file"), "w") as file, started(program, store, file) as (process, line):
            assert process.wait(20) == 69, process.returncode
        with socket.create_server(("::1", 0), family=socket.AF_INET6) as listener:
            with started(program, store, listener) as (process, line):
                assert line == f"reorderd listening on http://[::1]:{listener.getsockname()[1]}\n", line
    print("the server accepts an inherited socket, also after a restart, and no others")


@contextlib.contextmanager
def started(program, store, file, process_id="$$", count="1"):
    """The process, and its first line."""
    script = f'export LISTEN_PID={process_id} LISTEN_FDS={count}; exec "$@"'
    given = file.fileno()

    def hand_over():
        if given == 3:
            os.set_inheritable(3, True)
        else:
            os.dup2(given, 3)

    process = subprocess.Popen(
        ["sh", "-c", script, "sh", program, "serve", "--port", "0", "--store", store, "--log-level", "error"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=hand_over, pass_fds=(3,))
    try:
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def get(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=20) as answer:
        return answer.status
