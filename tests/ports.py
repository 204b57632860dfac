"""A port for a program that is told where to listen."""

from __future__ import annotations

import random
import socket

PORTS = range(20_000, 32_000)
"""Below those that Linux gives to connections and to programs that ask for any port: no other program gets one."""
RANDOM = random.SystemRandom()
"""Whatever a test has seeded: each worker of the suite takes others."""


def free_port() -> int:
    """A port of the loopback on which nobody listens."""
    while True:
        port = RANDOM.choice(PORTS)
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
