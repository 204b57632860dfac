"""Opens streams without end on connections of its own, beside playing."""

from __future__ import annotations

from tests.bad_bots.frames import begin, headers, play_flooding

play_flooding(begin(), begin(), data=b"".join(headers(number) for number in range(1, 2001, 2)))
