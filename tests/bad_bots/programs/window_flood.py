"""Opens the windows of a connection of its own without end, byte by byte, and stays away from its seat."""

from __future__ import annotations

import signal

from tests.bad_bots.frames import WINDOW_UPDATE, begin, flood, frame

flood(begin(), frame(WINDOW_UPDATE, (1).to_bytes(4, "big")) * 1000)
signal.pause()
