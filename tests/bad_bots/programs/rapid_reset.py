"""Opens streams and resets them at once, without end, on connections of its own, beside playing."""

from __future__ import annotations

from tests.bad_bots.frames import RST_STREAM, begin, frame, headers, play_flooding

reset = bytes([0, 0, 0, 8])  # CANCEL
streams = [headers(number) + frame(RST_STREAM, reset, stream=number) for number in range(1, 2001, 2)]
play_flooding(begin(), begin(), data=b"".join(streams))
