"""Sends HTTP/2 pings without end on connections of its own, beside playing."""

from __future__ import annotations

from tests.bad_bots.frames import PING, begin, frame, play_flooding

play_flooding(begin(), begin(), data=frame(PING, bytes(8)) * 1000)
