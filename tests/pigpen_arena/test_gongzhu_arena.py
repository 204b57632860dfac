"""Records of Gongzhu Arena, written here as that server writes them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import pigpen_arena as arena
from ladder.errors import UserError
from pigpen import margin
from pigpen.learn import Encoding
from pigpen.rules import Card, Deal, deal_hands
from pigpen_arena.gongzhu_arena import RULES

if TYPE_CHECKING:
    from pathlib import Path


def word(card: Card) -> str:
    return str(card)[1] + str(card)[0].replace("T", "10")


def some_deal(seed: int) -> tuple[Deal, str]:
    """Play a deal at random; its record."""
    rng, hands = random.Random(seed), deal_hands(RULES, bytes(32), seed)
    deal = Deal(RULES, hands, leader=seed % 4)
    while not deal.is_over:
        deal.apply(deal.turn, rng.choice(deal.legal(deal.turn)))
    tricks = [map(Card, deal.plays[start : start + 4]) for start in range(0, 52, 4)]
    lines = [f"{leader}, {', '.join(map(word, cards))},\n" for leader, cards in zip(deal.leaders, tricks, strict=False)]
    return deal, "".join(lines) + f"\nresult:{','.join(map(str, deal.scores()))},\n\n\n"


def test_a_record_has_the_observations_that_an_environment_shows(tmp_path: Path) -> None:
    (first, one), (second, two) = some_deal(1), some_deal(2)
    (tmp_path / "a.txt").write_text(one + two, "utf-8")
    (tmp_path / "b.txt").write_text(two, "utf-8")
    found, encoding = list(arena.load_gongzhu_arena(tmp_path)), Encoding(RULES)
    assert [each.match for each in found] == [1, 1, 2]
    for played, deal in zip((first, second, second), found, strict=True):
        again, steps = Deal(RULES, played.dealt, leader=played.first_leader), []
        for card in map(Card, played.plays):
            steps += [(again.turn, *step) for step in encoding.steps(again.view(again.turn), card)]
            again.apply(again.turn, card)
        assert steps == [
            (seat, tuple(row), action)
            for seat, row, action in zip(
                deal.seats.tolist(), deal.observations.tolist(), deal.actions.tolist(), strict=True
            )
        ]
        assert deal.rewards.tolist() == [margin(RULES, played.scores(), seat) / 4 for seat in range(4)]
        assert deal.by_bot.all()
    assert len(list(arena.load_gongzhu_arena(tmp_path / "b.txt"))) == 1


def test_what_is_no_record_is_refused_with_its_line(tmp_path: Path) -> None:
    file, (deal, record) = tmp_path / "a.txt", some_deal(1)
    wrong = (
        (record.replace("result:", "result:5"), "but says"),
        (record.replace("S10", "S11"), "line .*not a card"),
        (record.replace("S10", "S9"), "not the deck"),
        (record.partition("\n")[2], "not the deck"),
        (record.partition("result")[0], "ends in line 14 without the result"),
        (f"{(deal.leaders[0] + 1) % 4}{record[1:]}", "not valid"),
        (f"{deal.leaders[0] + 4}{record[1:]}", "line 1: .*is no seat; seats are 0 to 3"),
        ("result:0,0,0,0\n", "not the deck"),
        ("hello\n", "line 1: no trick"),
    )
    for text, sentence in wrong:
        file.write_text(text, "utf-8")
        with pytest.raises(UserError, match=sentence):
            list(arena.load_gongzhu_arena(file))
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not a text"):
        list(arena.load_gongzhu_arena(file))
    with pytest.raises(UserError, match="cannot be read: No such file"):
        list(arena.load_gongzhu_arena(tmp_path / "none.txt"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has no files"):
        list(arena.load_gongzhu_arena(tmp_path / "empty"))
