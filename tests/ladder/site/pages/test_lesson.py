"""The rules of a variant by examples: every fact is the engine's, and the page says the same."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ladder.site.pages.lesson import exposable, lesson, points_of
from ladder.site.rendering.translations import LANGUAGES
from pigpen.rules import PRESETS, Card, Rules, cards_in
from tests.ladder.site.visitor import Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.site.pages.lesson import Situation

LESSONS = {name: lesson(rules) for name, rules in PRESETS.items()}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with small_site(tmp_path_factory.mktemp("lesson")) as visitor:
        yield visitor


def situation(rules: Rules, kind: str) -> Situation:
    return next(each for each in lesson(rules).situations if each.kind == kind)


def right(one: Situation) -> set[Card | int]:
    return {choice.value for choice in one.choices if choice.is_right}


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_six_situations_each_with_a_right_answer_and_all_but_one_with_a_wrong_one(name: str) -> None:
    found = LESSONS[name].situations
    last = "exposed" if PRESETS[name].exposing else "moon"
    assert [each.kind for each in found] == ["follow", "void", "bar", "takes", "costs", last]
    for each in found:
        assert right(each)
        assert len({choice.value for choice in each.choices}) == len(each.choices)
        assert any(not choice.is_right for choice in each.choices) == (each.kind != "void")


@pytest.mark.parametrize("name", PRESETS)
def test_C_4_suit_is_followed_and_the_highest_card_of_it_takes_the_trick(name: str) -> None:
    rules = PRESETS[name]
    follow, void, takes = (situation(rules, kind) for kind in ("follow", "void", "takes"))
    hand = {choice.value for choice in follow.choices if isinstance(choice.value, Card)}
    assert right(follow) == {card for card in hand if card.suit is follow.table[0].suit}
    assert all(isinstance(each.value, Card) and each.value.suit is not void.table[0].suit for each in void.choices)
    assert len(takes.table) == rules.players
    assert right(takes) == {max(card for card in takes.table if card.suit is takes.table[0].suit)}
    assert takes.points == points_of(rules, takes.table)[0] != 0


@pytest.mark.parametrize("name", PRESETS)
def test_the_card_that_is_barred_is_an_exposed_one_or_of_the_suit_that_may_not_be_led_yet(name: str) -> None:
    rules = PRESETS[name]
    bar = situation(rules, "bar")
    barred = {choice.value for choice in bar.choices if choice.reason in ("exposed", "unbroken")}
    if rules.exposing:
        assert barred <= set(bar.exposed)
        assert all(
            any(isinstance(mine, Card) and mine.suit is card.suit and mine != card for mine in right(bar))
            for card in bar.exposed
            if card in barred
        )
    else:
        assert not bar.table
        assert all(isinstance(card, Card) and card.suit.name == "HEARTS" for card in barred)
    assert barred


def test_GZ_6_to_GZ_11_the_points_are_those_of_the_rule_sheet() -> None:
    found = LESSONS["gongzhu"]
    assert {str(card): points for points, cards in found.worth for card in cards} == {
        "QS": -100, "JD": 100, "AH": -50, "KH": -40, "QH": -30, "JH": -20,
        **dict.fromkeys(["TH", "9H", "8H", "7H", "6H", "5H"], -10), **dict.fromkeys(["4H", "3H", "2H"], 0),
    }  # fmt: skip
    assert [(str(each.card), each.hidden, each.up, each.down) for each in found.exposable] == [
        ("AH", -50, -100, None), ("QS", -100, -200, None), ("JD", 100, 200, None), ("TC", 50, 100, None),
    ]  # fmt: skip
    assert [points for _, points in found.counted] == [-10, -50, -150, -50, -100]
    assert [(each.up, each.down) for each in exposable(PRESETS["gongzhu-sale"])] == [
        (-200, -100), (-400, -200), (400, 200), (200, 100),
    ]  # fmt: skip


def test_HB_7_and_CH_6_the_moon_brings_what_the_rule_sheet_says() -> None:
    assert (right(situation(PRESETS["hearts-short"], "moon")), situation(PRESETS["hearts-short"], "moon").others) == (
        {0}, 26,
    )  # fmt: skip
    assert right(situation(PRESETS["hearts"], "moon")) == {-26}
    assert situation(PRESETS["chinese-hearts"], "moon").others == 200


def test_a_variant_of_ones_own_has_its_own_numbers() -> None:
    gongzhu = PRESETS["gongzhu"]
    scoring = replace(gongzhu.scoring, points={**gongzhu.scoring.points, "QS": -70})
    mine = lesson(replace(gongzhu, name="mine", scoring=scoring))
    assert (-70, (Card.parse("QS"),)) in mine.worth
    assert next(each.up for each in mine.exposable if str(each.card) == "QS") == -140
    assert mine.counted[2][1] == -120
    nothing = replace(gongzhu, name="other", exposing=None, moon=None)
    assert lesson(nothing).exposable == ()
    assert all(each.kind not in ("exposed", "moon", "bar") for each in lesson(nothing).situations)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_shows_every_card_number_and_answer_without_a_script(site: Visitor, name: str, language: str) -> None:
    found, page = LESSONS[name], html.unescape(site.get(f"/rules/{name}?lang={language}").text)
    lists = page.split('<ol class="situations">')[1].split("</ol>")[0].split("<li ")[1:]
    assert len(lists) == len(found.situations)
    for one, text in zip(found.situations, lists, strict=True):
        summaries = re.findall(r"<summary>.*?>([^<]+)</span></summary><p class=\"(good|bad)\">\s*(\S)", text, re.DOTALL)
        assert [
            (_shown(value, name), "good" if each.is_right else "bad") for each in one.choices for value in [each.value]
        ] == [(value, colour) for value, colour, _ in summaries]
    points = page.split('id="count"')[1].split('id="words"')[0]
    assert re.findall(r'<td class="num">([^<]+)</td>', points) == [_points(total, name) for _, total in found.counted]
    worth = page.split('id="cards"')[1].split("</table>")[0]
    assert all(
        _shown(card, name) in worth for card in cards_in(PRESETS[name].plan.scoring | PRESETS[name].plan.doubler)
    )
    assert len(page.encode()) < 60_000


def test_HB_7_the_shooter_of_hearts_learns_of_the_other_choice(site: Visitor) -> None:
    assert "other player scores 26" in site.page("/rules/hearts")
    assert "Every other player scores 26." in site.page("/rules/hearts-short")


def _shown(value: Card | int, name: str) -> str:
    if not isinstance(value, Card):
        return _points(value, name)
    rank, suit = str(value)[0], str(value)[1]
    return f"{'10' if rank == 'T' else rank}{dict(zip('CDHS', '♣♦♥♠', strict=True))[suit]}\ufe0e"


def _points(value: int, name: str) -> str:
    sign = "" if PRESETS[name].low_is_better or not value else "+"
    return f"{value:{sign}d}".replace("-", "−")
