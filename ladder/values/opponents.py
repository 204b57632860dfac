"""
Names under which players are shown at tables with people: a house bot is an opponent with a name and a level.

Records, results and the database keep the names of the bots (`counting`, `counting#2`). What people are shown is made
from these names alone, so an opponent is called the same on every page of a table, and its face, which is drawn from
the name, is the same, too.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GUEST = "guest"
"""Name of a person who gives none. Where several sit at a table, they are shown as `guest#1`, `guest#2`, …"""


class Level(enum.StrEnum):
    """Strength of an opponent."""

    EASY = "easy"
    STEADY = "steady"
    STRONG = "strong"


class Player(NamedTuple):
    """A player at a table, as people are shown it."""

    name: str
    """Of a guest `guest`, or `guest#1`, which pages translate."""
    level: Level | None = None
    """None: a person, or a bot of the ladder."""
    bot: str = ""
    """The house bot that plays; empty: none."""


LEVELS = {
    "random": Level.EASY,
    "cautious": Level.EASY,
    "counting": Level.STEADY,
    "sampling": Level.STRONG,
    "exact": Level.STRONG,
    "tree": Level.STRONG,
}
"""By house bot."""
NAMES = {
    "random": ("Dizzy", "Tumble", "Hiccup", "Wobble", "Bumble", "Scatter", "Pickle"),
    "cautious": ("Clover", "Daisy", "Poppy", "Bramble", "Willow", "Fern", "Hazel"),
    "counting": ("Abacus", "Tally", "Ledger", "Figures", "Sumner", "Digit", "Quincy"),
    "sampling": ("Dicey", "Rumba", "Jetton", "Chance", "Lotto", "Monte", "Croupier"),
    "exact": ("Euclid", "Gauss", "Newton", "Emmy", "Turing", "Pascal", "Fermat"),
    "tree": ("Magnus", "Sage", "Oakley", "Ashby", "Sequoia", "Linden", "Alder"),
}
"""Names of the opponents that each house bot plays: the first sits in its first chair at a table, and so on."""


def opponent(seat_name: str) -> Player | None:
    """
    Give the opponent that a house bot is at a table; None if the name is no house bot's.

    >>> opponent("counting"), opponent("tree#2").name
    (Player(name='Abacus', level=<Level.STEADY: 'steady'>, bot='counting'), 'Sage')
    """
    bot, _, number = seat_name.partition("#")
    if bot not in NAMES or ("#" in seat_name and not number.isdecimal()):
        return None
    names = NAMES[bot]
    again, place = divmod(int(number or 1) - 1, len(names))
    return Player(names[place] + (f" {again + 1}" if again else ""), LEVELS[bot], bot)


def shown_players(seat_names: Sequence[str], kinds: Iterable[str]) -> tuple[Player, ...]:
    """
    Give the players at a table as people are shown them.

    Args:
        seat_names: Of all players, as in the record: one that sits in several chairs is numbered.
        kinds: Of the same players: `person`, `house` or `bot`.

    >>> [player.name for player in shown_players(("guest", "counting", "counting#2"), ("person", "house", "house"))]
    ['guest', 'Abacus', 'Tally']
    """
    several = f"{GUEST}#2" in seat_names
    found = []
    for name, kind in zip(seat_names, kinds, strict=True):
        known = opponent(name) if kind == "house" else None
        found.append(known or Player(f"{name}#1" if several and name == GUEST else name))
    return tuple(found)
