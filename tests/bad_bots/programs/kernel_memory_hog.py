"""Lets the kernel hold its data, in sockets that nobody reads, until it is stopped."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.bad_bots.honest import play_with

HOARD = """
import os, socket
while os.fork() == 0:
    pairs = []
    try:
        while True:
            pairs.append(socket.socketpair())
            pairs[-1][0].setblocking(False)
            try:
                while True:
                    pairs[-1][0].send(bytes(65536))
            except BlockingIOError:
                pass
    except OSError:  # no more descriptors: the next process continues
        pass
os.wait()
"""


def hoard() -> dict[str, object]:
    subprocess.run([sys.executable, "-c", HOARD], check=False)
    os._exit(1)  # where a hoarder was killed, and not this process


play_with(hoard)
