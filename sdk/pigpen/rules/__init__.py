"""
The rules of the games: cards, variants, deals, scoring. Standard library only; no input or output, no clock, no wire.

Start a deal with ``deal = Deal(rules, deal_hands(rules, seed, 0))``. Until ``deal.is_over``: for each seat of
``deal.to_act``, look at ``deal.view(seat)``, choose from ``deal.legal(seat)``, and call ``deal.apply(seat, action)``.
"""

from pigpen.rules.actions import Action, Exposure, Face, MoonChoice, Phase
from pigpen.rules.cards import CARDS, Card, Suit, cards_in, mask_of
from pigpen.rules.deal import Deal
from pigpen.rules.errors import DealOver, IllegalAction, RulesError
from pigpen.rules.game import Game
from pigpen.rules.model import Rules
from pigpen.rules.parts import (
    Better,
    Direction,
    Doubler,
    End,
    Exposing,
    FirstTrick,
    Leading,
    Moon,
    Opening,
    Passing,
    PigWhenMoon,
    Scoring,
    ShooterCards,
)
from pigpen.rules.plan import Plan
from pigpen.rules.presets import PRESETS
from pigpen.rules.shuffle import deal_hands, new_seed, seed_from
from pigpen.rules.view import KnownToSeat, Play, SeatView

__all__ = [
    "CARDS",
    "PRESETS",
    "Action",
    "Better",
    "Card",
    "Deal",
    "DealOver",
    "Direction",
    "Doubler",
    "End",
    "Exposing",
    "Exposure",
    "Face",
    "FirstTrick",
    "Game",
    "IllegalAction",
    "KnownToSeat",
    "Leading",
    "Moon",
    "MoonChoice",
    "Opening",
    "Passing",
    "Phase",
    "PigWhenMoon",
    "Plan",
    "Play",
    "Rules",
    "RulesError",
    "Scoring",
    "SeatView",
    "ShooterCards",
    "Suit",
    "cards_in",
    "deal_hands",
    "mask_of",
    "new_seed",
    "seed_from",
]
