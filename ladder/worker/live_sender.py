"""Events on their way to the coordinator: collected, and sent together a few times a second."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ladder.values.live_events import LiveGap, to_line

if TYPE_CHECKING:
    from collections.abc import Callable

FLUSH_SECONDS = 0.1
"""Seconds from the first event of a batch until it is sent."""
BUFFER_CHARACTERS = 1 << 20
"""The most that waits to be sent, of one match; what does not find room is lost, and a gap says so."""


class LiveSender:
    """
    Collects the events of one match. Only for the thread of an event loop.

    To collect one is to append to a list: no system call, no waiting.
    """

    def __init__(self, offer: Callable[[str], bool], flush_seconds: float = FLUSH_SECONDS) -> None:
        """
        Prepare to collect.

        Args:
            offer: Takes a batch, its events separated by line breaks, without waiting. False: there is no room for it
                now, and it is offered again.
            flush_seconds: Seconds from the first event of a batch until it is sent, and between two offers.
        """
        self._take = offer
        self._flush_seconds = flush_seconds
        self._lines: list[str] = []
        self._characters = 0
        self._missed = 0
        self._timer: asyncio.TimerHandle | None = None

    def send(self, line: str) -> None:
        """Take an event: a line of JSON without a line break."""
        if self._characters + len(line) > BUFFER_CHARACTERS:
            self._missed += 1
            return
        self._lines.append(line)
        self._characters += len(line)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._flush_seconds, self._send)

    def flush(self) -> None:
        """Send what is there, now or never."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lines or self._missed:
            self._offer()

    def _send(self) -> None:
        self._timer = None
        if not self._offer():
            self._timer = asyncio.get_running_loop().call_later(self._flush_seconds, self._send)

    def _offer(self) -> bool:
        gap = [to_line(LiveGap(missed=self._missed))] if self._missed else []
        if not self._take("\n".join(self._lines + gap)):
            return False
        self._lines, self._characters, self._missed = [], 0, 0
        return True
