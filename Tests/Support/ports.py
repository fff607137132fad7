"""A port for a server that restarts on it, or that another program must know before the server listens."""

from __future__ import annotations

import random
import socket

# Linux takes the ports of outgoing connections from 32768 upwards, such as those of a browser. While a server restarts, no
# connection takes a port below them.
_PORTS = range(20_000, 32_000)


def free_port() -> int:
    while True:
        port = random.SystemRandom().choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
