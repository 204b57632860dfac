"""
The games themselves: pure rules, standard library only. No input or output, no clock, no wire.

Start a deal with ``Deal(GONGZHU, deal_hands(GONGZHU, seed, 0))``; ask ``deal.to_act``, look at
``deal.view(seat)``, choose from ``deal.legal(seat)``, ``deal.apply(seat, action)``, until ``deal.is_over``.
"""

from pigpen.rules.actions import Action, Exposure, Face, MoonChoice, Phase
from pigpen.rules.cards import CARDS, Card, Suit, cards_in, mask_of
from pigpen.rules.deal import Deal
from pigpen.rules.errors import DealOver, IllegalAction, RulesError
from pigpen.rules.game import Game
from pigpen.rules.model import Rules
from pigpen.rules.parts import Better, Direction, PigWhenMoon, ShooterCards
from pigpen.rules.presets import PRESETS
from pigpen.rules.shuffle import deal_hands, new_seed, seed_from
from pigpen.rules.view import Play, SeatView

__all__ = [
    "CARDS",
    "PRESETS",
    "Action",
    "Better",
    "Card",
    "Deal",
    "DealOver",
    "Direction",
    "Exposure",
    "Face",
    "Game",
    "IllegalAction",
    "MoonChoice",
    "Phase",
    "PigWhenMoon",
    "Play",
    "Rules",
    "RulesError",
    "SeatView",
    "ShooterCards",
    "Suit",
    "cards_in",
    "deal_hands",
    "mask_of",
    "new_seed",
    "seed_from",
]
