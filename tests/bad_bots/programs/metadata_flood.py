"""Sends metadata without end in one stream's headers, as long as the referee lets it, and stays away from its seat."""

from __future__ import annotations

import signal

from tests.bad_bots.frames import CONTINUATION, begin, field, flood, frame, headers

connection = begin()
connection.sendall(headers(1, flags=0))
flood(connection, frame(CONTINUATION, field(b"x-more", b"x" * 100) * 100, stream=1))
signal.pause()  # whether and when the referee cuts the flood off depends on how busy the machine is
