"""Takes its seat and leaves it again, as fast as it can."""

from __future__ import annotations

import contextlib

from tests.bad_bots.frames import begin, headers, message
from tests.bad_bots.line import enter, hello

line = enter()
line.receive()
line.leave()
while True:
    with contextlib.suppress(OSError), begin() as connection:  # the socket is there, and then it is not
        connection.sendall(headers(1) + message(1, hello()))
        connection.recv(65536)
