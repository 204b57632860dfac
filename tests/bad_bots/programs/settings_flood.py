"""Sends HTTP/2 settings without end on connections of its own, beside playing."""

from __future__ import annotations

from tests.bad_bots.frames import SETTINGS, begin, frame, play_flooding

play_flooding(begin(), begin(), data=frame(SETTINGS) * 1000)
