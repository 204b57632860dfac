"""The eight preset variants (docs/rules.md)."""

from __future__ import annotations

from dataclasses import replace

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

_CYCLE = (Direction.LEFT, Direction.RIGHT, Direction.ACROSS, Direction.NONE)
_HEARTS_POINTS = {"hearts": 1, "QS": 13}

HEARTS_SHORT = Rules(
    name="hearts-short",
    title="Hearts, short form",
    players=4,
    passing=Passing(cards=2, directions=_CYCLE),
    opening=Opening(card="2C", forced=True),
    leading=Leading(suit="hearts", broken_by=("hearts",), alone=("hearts",)),
    scoring=Scoring(better=Better.LOW, points=_HEARTS_POINTS),
    moon=Moon(cards=("hearts", "QS"), shooter=ShooterCards.VOID, others=26),
    end=End(limit=100, deals=4),
)

HEARTS = Rules(
    name="hearts",
    title="Hearts",
    players=4,
    passing=Passing(cards=3, directions=_CYCLE),
    opening=Opening(card="2C", forced=True),
    first_trick=FirstTrick(barred=("hearts", "QS")),
    leading=Leading(suit="hearts", broken_by=("hearts", "QS"), alone=("hearts", "QS")),
    scoring=Scoring(better=Better.LOW, points=_HEARTS_POINTS),
    moon=Moon(cards=("hearts", "QS"), shooter=ShooterCards.VOID, others=26, instead=-26),
    end=End(limit=100),
)

HEARTS_JACK = replace(
    HEARTS,
    name="hearts-jack",
    title="Hearts with the jack of diamonds",
    scoring=Scoring(better=Better.LOW, points=_HEARTS_POINTS | {"JD": -10}),
)

_GONGZHU_POINTS = {
    "AH": -50, "KH": -40, "QH": -30, "JH": -20,
    "TH": -10, "9H": -10, "8H": -10, "7H": -10, "6H": -10, "5H": -10,
    "4H": 0, "3H": 0, "2H": 0, "QS": -100, "JD": 100,
}  # fmt: skip
_EXPOSABLE = {"AH": ("hearts",), "QS": ("QS",), "JD": ("JD",), "TC": ("TC",)}

GONGZHU = Rules(
    name="gongzhu",
    title="Gong Zhu 拱猪, chase the pig",
    players=4,
    opening=Opening(card="2S", forced=False, later="QS"),
    exposing=Exposing(cards=_EXPOSABLE, face_up=2),
    scoring=Scoring(better=Better.HIGH, points=_GONGZHU_POINTS, doubler=Doubler(card="TC", factor=2, alone=50)),
    moon=Moon(cards=("hearts",), shooter=ShooterCards.NEGATE, pig_when_moon=PigWhenMoon.FLIP),
    end=End(limit=-1000),
)

GONGZHU_PARTNERS = replace(GONGZHU, name="gongzhu-partners", title="Gong Zhu 拱猪 with partners", partners=True)

GONGZHU_FIVE = replace(GONGZHU, name="gongzhu-five", title="Gong Zhu 拱猪 for five", players=5, removed=("2C", "2D"))

GONGZHU_SALE = replace(
    GONGZHU,
    name="gongzhu-sale",
    title="Gong Zhu 拱猪 with face-down sales",
    exposing=Exposing(cards=_EXPOSABLE, face_up=4, face_down=2),
)

CHINESE_HEARTS = Rules(
    name="chinese-hearts",
    title="Chinese Hearts, Western style",
    players=4,
    passing=Passing(cards=3, directions=_CYCLE),
    opening=Opening(card="2C", forced=True),
    first_trick=FirstTrick(barred=("hearts", "QS", "JD")),
    leading=Leading(suit="hearts", broken_by=("hearts",), alone=("hearts",)),
    scoring=Scoring(
        better=Better.LOW,
        points={
            "2H": 2, "3H": 3, "4H": 4, "5H": 5, "6H": 6, "7H": 7, "8H": 8, "9H": 9, "TH": 10,
            "JH": 20, "QH": 30, "KH": 40, "AH": 50, "QS": 100, "JD": -100,
        },
        doubler=Doubler(card="TC", factor=2),
    ),
    moon=Moon(
        cards=("hearts",),
        shooter=ShooterCards.VOID,
        others=200,
        others_doubled=True,
        pig_when_moon=PigWhenMoon.FLIP,
    ),
    end=End(limit=1000, inclusive=False),
)  # fmt: skip

PRESETS: dict[str, Rules] = {
    rules.name: rules
    for rules in (
        HEARTS_SHORT,
        HEARTS,
        HEARTS_JACK,
        GONGZHU,
        GONGZHU_PARTNERS,
        GONGZHU_FIVE,
        GONGZHU_SALE,
        CHINESE_HEARTS,
    )
}
"""Every preset by its name, in the order of docs/rules.md."""
