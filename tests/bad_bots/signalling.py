"""Two seats that send each other hands through what their containers share."""

from __future__ import annotations

import errno
import random

import pigpen
from tests.bad_bots.channels import HANDS, Channel
from tests.bad_bots.honest import Honest, report

TRICKS = 13
LATE = 3
"""Tricks that may have passed since a seat last sent: for a forced card it is not asked, and sends nothing."""


class Signalling(Honest):
    """In seat 0 it sends a number at each trick, in seat 1 it reads the last one. Both know what it should be."""

    def __init__(self, *ways: str) -> None:
        self._channels: dict[str, Channel] = {}
        self._right = dict.fromkeys(ways, 0)
        self._looks = 0
        self._met: set[str] = set()

    def play(self, view: pigpen.View) -> pigpen.Card:
        self._looks += view.seat != 0 and len(view.hand) < TRICKS
        for way in self._right:
            try:
                if view.seat == 0:
                    self._channel(way).send(message(way, len(view.hand)))
                else:
                    self._look(way, len(view.hand))
            except OSError as error:
                self._met.add(errno.errorcode[error.errno or 0])
        received = sorted(way for way, right in self._right.items() if right > self._looks / 2)
        report(
            {f"seat {view.seat} met": sorted(self._met), f"seat {view.seat} received by": received}
        )  # the last one counts
        return super().play(view)

    def _look(self, way: str, cards: int) -> None:
        channel, bits = self._channel(way), HANDS[way].bits
        if cards < TRICKS:
            found = [int(score) for score in channel.receive(bits)]
            self._right[way] += found in [message(way, cards + ago) for ago in range(LATE)]
        if hasattr(channel, "clear"):
            channel.clear(bits)

    def _channel(self, way: str) -> Channel:
        if way not in self._channels:
            self._channels[way] = HANDS[way].make()
        return self._channels[way]


def message(way: str, cards: int) -> list[int]:
    """Give the bits that are sent when *cards* cards are left."""
    chance = random.Random(f"{way} {cards}")
    return [chance.randrange(2) for _ in range(HANDS[way].bits)]
