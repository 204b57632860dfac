"""The bots of a table that are not asked: checked, and frozen if necessary, while another one takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.seats.lazy_timer import LazyTimer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.match.player import Player

LOOK_SECONDS = 0.004
"""Seconds of wall time from a question to the first look, and from each look to the next."""
LOOKS = 5
"""At this look all are frozen, whether they work or not: further looks would cost more than that."""


class IdleBots:
    """
    Freezes the bots of a table that are not asked, while a decision takes long.

    To freeze and thaw a bot costs many times what it costs to read its CPU time. Where many tables share the cores,
    most decisions take long though no bot works unasked. So at first only the bots that do work are frozen.
    """

    def __init__(self) -> None:
        """Prepare; the timer runs in the event loop that runs now."""
        self._timer = LazyTimer(self._look)
        self._players: Sequence[Player] = ()
        self._asked: tuple[int, ...] = ()
        self._looks = 0

    def question(self, players: Sequence[Player], asked: tuple[int, ...]) -> None:
        """
        Begin: a question has been put.

        Args:
            players: The players by their seat.
            asked: The seats that it is put to.
        """
        self._players, self._asked, self._looks = players, asked, 0
        self._timer.set(LOOK_SECONDS)

    def answered(self, seat: int) -> None:
        """Count *seat* as idle, too: it has answered a sealed question, others have not."""
        self._asked = tuple(other for other in self._asked if other != seat)
        if self._looks == LOOKS and self._asked:
            self._players[seat].freeze()

    def stop(self) -> None:
        """Stop: all have answered, so look no more until the next question."""
        self._timer.stop()

    def close(self) -> None:
        """Stop for good: no question follows."""
        self._timer.close()

    def _look(self) -> None:
        self._looks += 1
        is_last = self._looks == LOOKS
        for seat, player in enumerate(self._players):
            if seat not in self._asked:
                (player.freeze if is_last else player.freeze_if_working)()
        if not is_last:
            self._timer.set(LOOK_SECONDS)
