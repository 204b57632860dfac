"""Writes down who had which card of a board, in what its containers share, and reads it when it plays it again."""

from __future__ import annotations

import statistics
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pigpen
from tests.bad_bots.channels import NOTES, Channel, Names
from tests.bad_bots.honest import Honest, report

ROTATIONS = 4
BOARDS = 2
PREFACE = [1, 0] * 8
"""Beginning of each note, by which the reader learns the look of ones and zeros."""
CARDS = 104
CHECK = 16
LEFT = 5
"""Cards in hand, or fewer, when a note is written: for the last ones the seat may not be asked."""


def encoded(owners: Sequence[int]) -> list[int]:
    """A note: preface, two bits for each card, and a check sum."""
    bits = [owner >> place & 1 for owner in owners for place in range(2)]
    return [*PREFACE, *bits, *checked(bits)]


def checked(bits: Sequence[int]) -> list[int]:
    number = zlib.crc32(bytes(bits))
    return [number >> place & 1 for place in range(CHECK)]


def owners_in(scores: Sequence[float]) -> list[int] | None:
    """The owners that a note tells; None if it is none."""
    preface = scores[: len(PREFACE)]
    ones, zeros = (
        statistics.median(s for s, bit in zip(preface, PREFACE, strict=True) if bit == kind) for kind in (1, 0)
    )
    bits = [int(score > (ones + zeros) / 2) for score in scores[len(PREFACE) :]]
    if ones <= zeros or bits[CARDS:] != checked(bits[:CARDS]):
        return None
    return [bits[card] + 2 * bits[card + 1] for card in range(0, CARDS, 2)]


class Writer(Honest):
    """
    In seat 0 of the first rotation it writes near the end of each board, in seat 0 of others it reads at its beginning.

    Which rotation it is lies beside the program: the more it knows, the less a failure can come from that.
    """

    board = written = -1
    rotation = 0

    def match_started(self, welcome: pigpen.Welcome) -> None:
        given = Path(__file__).with_name("rotation")
        rotation, Names.PREFIX = given.read_text().split() if given.exists() else ("0", "note")
        self.rotation = int(rotation)

    def play(self, view: pigpen.View) -> pigpen.Card:
        if view.seat == 0 and view.deal != self.board:
            self.board = view.deal
            if self.rotation:
                self.read()
        if view.seat == 0 and len(view.hand) <= LEFT and not self.rotation and self.written != view.deal:
            self.written = view.deal
            self.write(view)
        return super().play(view)

    def read(self) -> None:
        for way in NOTES:
            with suppress(OSError):
                owners = owners_in(self.open(way, self.rotation).receive(len(PREFACE) + CARDS + CHECK))
                if owners:
                    report({f"board {self.board}, rotation {self.rotation}, {way}": owners})

    def write(self, view: pigpen.View) -> None:
        owners = [0] * 52
        for play in (play for trick in view.tricks for play in trick):
            owners[play.card] = play.seat
        for way in NOTES:
            for rotation in range(1, ROTATIONS):  # a copy that is read is spoiled
                with suppress(OSError):
                    self.open(way, rotation).send(encoded(owners))

    def open(self, way: str, rotation: int) -> Channel:
        """A piece of the shared state that nothing else uses."""
        boards = list(NOTES).index(way) * BOARDS + self.board
        return NOTES[way](boards * (ROTATIONS - 1) + rotation - 1)


if __name__ == "__main__":
    pigpen.run(Writer())
