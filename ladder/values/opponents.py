"""
Names under which house bots sit at tables with people: each chair has an opponent with a name, a face and a level.

Records, results and the database keep the names of the bots (`counting`, `counting#2`). What people are shown is made
from these names alone, so that an opponent is called the same on every page of a table.
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class Level(enum.StrEnum):
    """Strength of an opponent."""

    EASY = "easy"
    STEADY = "steady"
    STRONG = "strong"


class Opponent(NamedTuple):
    """A house bot in a chair, as people are shown it."""

    name: str
    level: Level
    bot: str
    """The house bot that plays."""


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


def opponent(seat_name: str) -> Opponent | None:
    """
    Give the opponent that a house bot is at a table; None if the name is no house bot's.

    >>> opponent("counting"), opponent("tree#2").name
    (Opponent(name='Abacus', level=<Level.STEADY: 'steady'>, bot='counting'), 'Sage')
    """
    bot, _, number = seat_name.partition("#")
    if bot not in NAMES or not (number or "1").isdecimal():
        return None
    names = NAMES[bot]
    again, place = divmod(int(number or 1) - 1, len(names))
    return Opponent(names[place] + (f" {again + 1}" if again else ""), LEVELS[bot], bot)
