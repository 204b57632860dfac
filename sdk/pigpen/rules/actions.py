"""Questions to a seat, and its answers."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from pigpen.rules.cards import Card


class Phase(enum.IntEnum):
    """
    The phases of a deal, in order. Phases that a variant does not have are skipped.

    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> [Deal(rules, deal_hands(rules, bytes(32), 0)).phase.name for rules in (PRESETS["hearts"], PRESETS["gongzhu"])]
    ['PASS', 'EXPOSE']
    """

    PASS = 1
    """Every seat chooses the cards that it passes, sealed."""
    EXPOSE = 2
    """Every seat that holds an exposable card chooses which to expose, sealed."""
    PLAY = 3
    """One seat at a time plays a card."""
    MOON = 4
    """The shooter chooses how the moon is scored (HB-7)."""
    OVER = 5
    """Nothing is left to decide."""


class Face(enum.IntEnum):
    """
    The side on which a card is exposed.

    >>> from pigpen.rules import Card, Face
    >>> {Card.parse("QS"): Face.UP}
    {Card('QS'): <Face.UP: 1>}
    """

    UP = 1
    """Every seat sees the card."""
    DOWN = 2
    """The other seats see only that there is a card, until it is played (GS-2)."""


class MoonChoice(enum.IntEnum):
    """
    The choices of a shooter (HB-7).

    >>> from pigpen.rules import MoonChoice
    >>> [choice.name for choice in MoonChoice]
    ['SUBTRACT', 'ADD']
    """

    SUBTRACT = 1
    """The shooter scores −26. The default."""
    ADD = 2
    """Every other player scores +26."""


class Exposure(NamedTuple):
    """
    One exposed card.

    >>> from pigpen.rules import Card, Exposure, Face
    >>> Exposure(seat=2, card=Card.parse("QS"), face=Face.UP).card
    Card('QS')
    """

    seat: int
    """Seat that exposes the card."""
    card: Card
    """The card."""
    face: Face
    """The side on which it is exposed."""


Action: TypeAlias = Card | tuple[Card, ...] | Mapping[Card, Face] | MoonChoice
"""An answer. PLAY: a card. PASS: a tuple of cards. EXPOSE: a mapping from card to face. MOON: a choice."""
