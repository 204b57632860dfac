"""Opens the windows of connections of its own without end, byte by byte, and stays away from its seat."""

from __future__ import annotations

from tests.bad_bots.frames import WINDOW_UPDATE, begin, flood, frame

while True:
    flood(begin(), frame(WINDOW_UPDATE, (1).to_bytes(4, "big")) * 1000)
