"""Lets the kernel hold its data, in sockets that nobody reads, until it is stopped."""

from __future__ import annotations

import contextlib
import os
import socket

from tests.bad_bots.honest import play_with


def hoard() -> dict[str, object]:
    while True:
        pairs = []
        with contextlib.suppress(OSError):  # no more descriptors: the next process goes on
            while True:
                pairs.append(socket.socketpair())
                pairs[-1][0].setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    while True:
                        pairs[-1][0].send(bytes(65536))
        if child := os.fork():
            os.waitpid(child, 0)
            os._exit(1)


play_with(hoard)
