"""What a seat is asked, and what it may answer."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

from pigpen.rules.cards import Card


class Phase(enum.IntEnum):
    """The phases of a deal, in order; those that a variant lacks are skipped."""

    PASS = 1
    """Sealed: every seat picks the cards it passes on."""
    EXPOSE = 2
    """Sealed: every seat that holds an exposable card says which it exposes."""
    PLAY = 3
    """One seat at a time plays a card."""
    MOON = 4
    """The shooter chooses what the moon is worth (HB-7)."""
    OVER = 5
    """Nothing is left to decide."""


class Face(enum.IntEnum):
    """How a card is exposed."""

    UP = 1
    DOWN = 2


class MoonChoice(enum.IntEnum):
    """What a shooter who is asked may take (HB-7)."""

    SUBTRACT = 1
    """The shooter scores −26. The default."""
    ADD = 2
    """Every other player scores +26."""


class Exposure(NamedTuple):
    """One exposed card."""

    seat: int
    card: Card
    face: Face


Action = Card | tuple[Card, ...] | Mapping[Card, Face] | MoonChoice
"""PLAY: a card. PASS: a tuple of cards. EXPOSE: a mapping from card to face, often empty. MOON: a choice."""
