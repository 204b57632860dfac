"""Takes its seat, but lets the referee send nothing."""

from __future__ import annotations

from tests.bad_bots.frames import INITIAL_WINDOW_SIZE, begin, headers, message, until_closed
from tests.bad_bots.line import hello

connection = begin(settings=bytes([0, INITIAL_WINDOW_SIZE, 0, 0, 0, 0]))
connection.sendall(headers(1) + message(1, hello()))
until_closed(connection)
