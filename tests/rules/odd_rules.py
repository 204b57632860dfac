"""Rules that no preset has, to show that nothing depends on the presets."""

from __future__ import annotations

from dataclasses import replace

from pigpen.rules import PigWhenMoon, ShooterCards
from pigpen.rules.parts import Doubler, Exposing, FirstTrick, Leading, Moon, Opening
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_SALE, HEARTS

MIXED = replace(
    GONGZHU,
    name="mixed",
    first_trick=FirstTrick(barred=("hearts", "QS")),
    leading=Leading(suit="hearts", broken_by=("hearts",), alone=("2H", "3H", "QS", "spades")),
    opening=Opening(card="2S", forced=False),
    exposing=Exposing(cards={"AH": ("hearts",), "QS": ("QS",)}, face_up=2),
)
"""Under these not every hand within the bounds fits: who leads hearts holds hearts alone, or such as 2H QS."""

CLUBS_AND_ALL = replace(
    GONGZHU_SALE,
    name="clubs-and-all",
    first_trick=FirstTrick(barred=("clubs", "QS", "JD")),
    leading=Leading(suit="spades", broken_by=("QS", "diamonds"), alone=("spades", "hearts")),
    opening=Opening(card="7D", forced=False),
    exposing=Exposing(cards={"AH": ("hearts", "QS"), "KS": ("TC",), "TC": ("TC", "AH")}, face_up=3, face_down=5),
    moon=Moon(cards=("hearts", "JD"), shooter=ShooterCards.NEGATE, others=7, pig_when_moon=PigWhenMoon.VOID),
)

ODD = [
    MIXED,
    CLUBS_AND_ALL,
    replace(HEARTS, name="two", players=2, passing=None),
    replace(GONGZHU, name="three", players=3, removed=("2C",)),
    replace(GONGZHU_SALE, name="eight", players=8, removed=("2C", "2D", "2H", "3C")),
    replace(CHINESE_HEARTS, name="six", players=6, removed=("3C", "2D", "2H", "3D"), partners=False),
    replace(
        CHINESE_HEARTS,
        name="doubled",
        partners=True,
        scoring=replace(CHINESE_HEARTS.scoring, doubler=Doubler(card="QS", factor=3, alone=-11)),
        moon=Moon(cards=("hearts",), shooter=ShooterCards.VOID, others=9, others_doubled=True, instead=-4, pig="AS"),
    ),
]
