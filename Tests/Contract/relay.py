"""A TCP relay to another port, which can be cut, as a network can."""

import contextlib
import socket
import threading


class Relay:
    """Passes connections on to a port of this machine. While it is cut, it has no connections and accepts none."""

    def __init__(self, target):
        self._target = target
        self._ends = set()
        self._lock = threading.Lock()
        self._is_cut = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        with self._lock:
            self._is_cut = True
            ends, self._ends = self._ends, set()
        for end in ends:
            _shut(end)

    def heal(self):
        with self._lock:
            self._is_cut = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near):
        with near, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._target)) as far:
            with self._lock:
                if self._is_cut:
                    return
                self._ends |= {near, far}
            back = threading.Thread(target=_copy, args=(far, near), daemon=True)
            back.start()
            _copy(near, far)
            back.join()
            with self._lock:
                self._ends -= {near, far}


def _copy(source, target):
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    _shut(source)
    _shut(target)


def _shut(end):
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
