"""What a seat is asked, and what it may answer."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

from pigpen.rules.cards import Card


class Phase(enum.IntEnum):
    """
    The phases of a deal, in order; those that a variant lacks are skipped.

    >>> from pigpen.rules import PRESETS, Deal, deal_hands
    >>> [Deal(rules, deal_hands(rules, bytes(32), 0)).phase.name for rules in (PRESETS["hearts"], PRESETS["gongzhu"])]
    ['PASS', 'EXPOSE']
    """

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
    """
    How a card is exposed.

    >>> from pigpen.rules import Card, Face
    >>> {Card.parse("QS"): Face.UP}
    {Card('QS'): <Face.UP: 1>}
    """

    UP = 1
    DOWN = 2


class MoonChoice(enum.IntEnum):
    """
    What a shooter who is asked may take (HB-7).

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
    card: Card
    face: Face


Action = Card | tuple[Card, ...] | Mapping[Card, Face] | MoonChoice
"""PLAY: a card. PASS: a tuple of cards. EXPOSE: a mapping from card to face, often empty. MOON: a choice."""
