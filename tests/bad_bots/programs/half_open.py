"""Connects and says nothing, until the referee has enough; then plays."""

from __future__ import annotations

from tests.bad_bots.frames import connect, until_closed
from tests.bad_bots.honest import play_after


def stare() -> dict[str, object]:
    until_closed(connect())
    return {"closed": True}


play_after(stare)
