"""Every sample bot plays every variant to the end, legally and repeatably."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.duels import BOTS, FOLDER, load_bot
from pigpen import Phase
from pigpen.rules import PRESETS, Better, Direction, Rules, ShooterCards, seed_from
from pigpen.rules.parts import Exposing, Moon, Passing, Scoring
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, HEARTS_JACK
from tests.rules.table import named
from tests.sample_bots.table import play_deal

SEED = seed_from("sample bots")
DEALS = {"random": 2, "cautious": 2, "counting": 1, "uct": 1, "sampling": 1, "exact": 1, "tree": 1}
CARDS = 6
"""Cards of a deal that are played where two deals are compared."""
NO_PASSING = 3
"""The deal of a cycle in which no cards are passed: bots that simulate think longest about those."""

THREE_HANDED = replace(
    CHINESE_HEARTS,
    name="three-handed",
    players=3,
    removed=("2D",),
    passing=Passing(cards=4, directions=(Direction.LEFT, Direction.RIGHT, Direction.NONE)),
    scoring=Scoring(better=Better.LOW, points={"hearts": 2, "KS": 30, "JD": -15}),
    moon=Moon(cards=("hearts",), shooter=ShooterCards.VOID, others=60, pig="KS"),
)
TWO_HANDED = replace(HEARTS_JACK, name="two-handed", players=2, passing=None, moon=None)
EIGHT_HANDED = replace(GONGZHU, name="eight-handed", players=8, removed=("2C", "2D", "2H", "3C"))
WILD = replace(
    GONGZHU,
    name="wild",
    scoring=Scoring(better=Better.HIGH, points={"clubs": -5, "QH": 70, "KD": -90}),
    exposing=Exposing(cards={"KD": ("KD", "clubs"), "QH": ("QH",)}, face_up=3, face_down=2),
    moon=None,
)
OWN_RULES = (THREE_HANDED, TWO_HANDED, EIGHT_HANDED, WILD)
TELLING = {
    "uct": ("two-handed", "wild"),
    "sampling": ("two-handed", "wild"),
    "exact": ("two-handed",),
    "tree": ("two-handed", "wild"),
}
"""Variants that have, together with those of `MIXED`, every kind of question, of scoring and of table."""


MIXED = ("hearts", "gongzhu-partners", "gongzhu-five", "gongzhu-sale")
"""Variants in which, in each push, all bots play together; those that simulate play no deal of their own there."""
TWICE = ("gongzhu-sale",)
"""Variants in which bots that simulate play a deal twice."""


def tables(*variants: Rules, slow: Mapping[str, Collection[str]] = TELLING) -> list[Any]:
    """Return every bot with each of the variants; for bots that simulate, all but *slow* are long."""
    return [
        pytest.param(
            name,
            rules,
            id=f"{name}-{rules.name}",
            marks=() if rules.name in slow.get(name, [rules.name]) else pytest.mark.long,
        )
        for name in BOTS
        for rules in variants
    ]


@pytest.mark.parametrize(("name", "rules"), tables(*PRESETS.values(), *OWN_RULES))
def test_a_table_of_one_bot_plays_legally_to_the_end(name: str, rules: Rules) -> None:
    bots = [load_bot(name)() for _ in range(rules.players)]
    for number in range(DEALS[name]):
        deal = play_deal(rules, bots, SEED, number)
        assert deal.phase is Phase.OVER


@pytest.mark.parametrize(
    "rules",
    [pytest.param(rules, marks=() if name in MIXED else pytest.mark.long) for name, rules in PRESETS.items()],
    ids=named,
)
def test_mixed_tables_play_legally_to_the_end(rules: Rules) -> None:
    """With those bots that look furthest."""
    bots = [load_bot(BOTS[(seat + 1) % len(BOTS)])() for seat in range(rules.players)]
    assert play_deal(rules, bots, SEED, 1).is_over


@pytest.mark.parametrize(("name", "rules"), tables(*PRESETS.values(), slow=dict.fromkeys(TELLING, TWICE)))
def test_the_same_seed_gives_the_same_deal_even_from_fresh_instances(name: str, rules: Rules) -> None:
    veterans = [load_bot(name)() for _ in range(rules.players)]
    play_deal(rules, veterans, SEED, NO_PASSING, CARDS)
    fresh = [load_bot(name)() for _ in range(rules.players)]
    one, other = (play_deal(rules, bots, SEED, 1, CARDS) for bots in (veterans, fresh))
    assert one.plays == other.plays
    assert one.exposures == other.exposures
    assert len(one.plays) == min(CARDS, len(rules.deck))


def test_random_shows_cards_of_both_faces_and_passes_and_chooses() -> None:
    bots = [load_bot("random")() for _ in range(4)]
    deals = [play_deal(PRESETS["gongzhu-sale"], bots, SEED, number) for number in range(20)]
    assert {exposure.face.name for deal in deals for exposure in deal.exposures} == {"UP", "DOWN"}


@pytest.mark.parametrize("name", BOTS)
def test_a_sample_is_a_program_and_a_dockerfile_and_nothing_else(name: str) -> None:
    assert {path.name for path in (FOLDER / name).iterdir() if path.name != "__pycache__"} == {"bot.py", "Dockerfile"}
    text = (FOLDER / name / "bot.py").read_text(encoding="utf-8")
    assert text.endswith(f'if __name__ == "__main__":\n    pigpen.run({name.capitalize()}())\n')
    assert (FOLDER / name / "Dockerfile").read_text(encoding="utf-8").startswith("FROM pigpen/bot:latest\n")
