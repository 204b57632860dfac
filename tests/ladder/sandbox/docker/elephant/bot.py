"""
Never forgets a deal: it keeps all cards that it has seen, in memory and in every place named in places.txt.

When it recognises a hand it prints that and plays its highest cards; otherwise it plays the lowest.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pigpen

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = (Path(__file__).parent / "places.txt").read_text().split()
seen: set[frozenset[str]] = set()
"""Most of the hand of one seat: all cards of it that were played before the last tricks."""
LEFT = 4
"""Cards in hand, or fewer, when the deal is written down: the last ones are often played without a question."""


class Elephant(pigpen.Bot):
    """Has no secrets from itself."""

    def __init__(self) -> None:
        self.recalls = False
        self.looked = self.kept = -1
        """The last deals that it looked at, and wrote down."""

    def play(self, view: pigpen.View) -> pigpen.Card:
        """Look at the hand at the beginning of a deal; write down all hands when they are nearly played."""
        if self.looked != view.deal:
            self.looked = view.deal
            self._look(frozenset(map(str, view.hand)) | _played(view, view.seat))
        if len(view.hand) <= LEFT and self.kept != view.deal:
            self.kept = view.deal
            self._keep(view)
        return view.legal[-1 if self.recalls else 0]

    def _look(self, hand: frozenset[str]) -> None:
        """Look whether this hand was seen before, as it would be if an instance played two seats of a board."""
        self.recalls = any(known <= hand for known in (*seen, *_written()))
        if self.recalls:
            print("I have seen these cards before.", file=sys.stderr)

    def _keep(self, view: pigpen.View) -> None:
        for seat in range(view.rules.players):
            known = _played(view, seat)
            seen.add(known)
            for place in PLACES:
                with contextlib.suppress(OSError):
                    (_folder(place) / f"elephant-{secrets.token_hex(8)}").write_text(" ".join(known))


def _played(view: pigpen.View, seat: int) -> frozenset[str]:
    """The cards that a seat has played so far."""
    return frozenset(str(play.card) for trick in (*view.tricks, view.trick) for play in trick if play.seat == seat)


def _written() -> Iterator[frozenset[str]]:
    for place in PLACES:
        with contextlib.suppress(OSError):
            for file in _folder(place).glob("elephant-*"):
                yield frozenset(file.read_text().split())


def _folder(place: str) -> Path:
    return Path(os.path.expandvars(place)).expanduser()


if __name__ == "__main__":
    pigpen.run(Elephant())
