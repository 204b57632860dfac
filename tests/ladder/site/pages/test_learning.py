"""Pages that teach: their numbers are the engine's, what the coach says is true, and any legal card leads on."""

from __future__ import annotations

import html
import random
import re
from typing import TYPE_CHECKING

import pytest

from ladder.errors import LadderError
from ladder.site.pages.learning import FIRST_DEALS, LEARNER, first_deal
from ladder.site.pages.lesson import points_of, teaching
from ladder.site.rendering.translations import LANGUAGES, translations
from pigpen.rules import PRESETS, Card
from tests.ladder.site.visitor import Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.site.pages.learning import Advice, FirstDeal
    from ladder.site.pages.lesson import Aim
    from pigpen.rules import Rules

CHOICE = re.compile(r'<button name="cards" value="([^"]*)"([^>]*)>')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with small_site(tmp_path_factory.mktemp("learning")) as visitor:
        yield visitor


def aim_of(name: str, card: str) -> Aim:
    return next(aim for aim in teaching(PRESETS[name]).aims if Card.parse(card) in aim.cards)


def followed(rules: Rules, number: int | None = None) -> Iterator[tuple[FirstDeal, FirstDeal]]:
    """Each decision of a reader who follows the coach, with the deal after it."""
    before = first_deal(rules, (), number)
    while before.advice:
        after = first_deal(rules, (*before.chosen, before.advice.card), number)
        yield before, after
        before = after


def test_GZ_6_the_pig_costs_100_the_sheep_brings_100_and_hearts_cost_0_to_50() -> None:
    for name in ("gongzhu", "gongzhu-partners", "gongzhu-five", "gongzhu-sale"):
        pig, sheep, hearts = (aim_of(name, card) for card in ("QS", "JD", "AH"))
        assert (pig.most, pig.is_good, pig.nickname) == (-100, False, "pig")
        assert (sheep.most, sheep.is_good, sheep.nickname) == (100, True, "sheep")
        assert (hearts.least, hearts.most, hearts.cards[-1]) == (0, -50, Card.parse("AH"))


def test_GZ_7_and_GZ_8_the_ten_of_clubs_doubles_and_all_hearts_bring_200() -> None:
    found = teaching(PRESETS["gongzhu"])
    assert (found.doubler, found.alone, found.doubled, found.moon) == (Card.parse("TC"), 50, -200, (200, 0))


def test_HA_5_HA_6_HB_7_and_HB_8_in_hearts_no_card_is_called_pig_and_the_moon_is_the_others_loss() -> None:
    for name, moon in (("hearts-short", (0, 26)), ("hearts", (-26, 0)), ("hearts-jack", (-26, 0))):
        assert teaching(PRESETS[name]).moon == moon
        assert (aim_of(name, "QS").most, aim_of(name, "2H").most, aim_of(name, "QS").nickname) == (13, 1, "")
        assert teaching(PRESETS[name]).doubler is None
    assert aim_of("hearts-jack", "JD")[1:] == (-10, -10, True, "")


def test_CH_5_and_CH_6_the_pig_costs_100_the_sheep_takes_100_off_and_the_moon_costs_others_200() -> None:
    found = teaching(PRESETS["chinese-hearts"])
    assert [aim_of("chinese-hearts", card)[1:4] for card in ("QS", "JD", "AH")] == [
        (100, 100, False), (-100, -100, True), (2, 50, False),
    ]  # fmt: skip
    assert (found.alone, found.doubled, found.moon) == (0, 200, (0, 200))


@pytest.mark.parametrize("name", PRESETS)
def test_C_4_the_picture_is_a_trick_of_the_engine(name: str) -> None:
    rules = PRESETS[name]
    found = teaching(rules)
    best = max(card for card in found.trick if card.suit is found.trick[0].suit)
    assert len(found.trick) == rules.players
    assert found.trick[(found.winner - 1) % rules.players] == best
    assert found.points == points_of(rules, found.trick)[0] != 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PRESETS)
def test_the_pages_say_these_numbers(site: Visitor, name: str, language: str) -> None:
    found = teaching(PRESETS[name])
    pages = [site.page(f"/{place}/{name}?lang={language}") for place in ("learn", "rules")]
    texts = [html.unescape(re.sub(r"<[^>]+>|\ufe0e", "", page)) for page in pages]
    for text in texts:
        for points in (*(aim.most for aim in found.aims), found.moon[0] or found.moon[1]):
            shown = str(points) if PRESETS[name].low_is_better else f"{points:+d}"  # a plus only where more is better
            assert shown.replace("-", "−") in text
        if found.doubler:
            named = {"en": ("pig", "sheep"), "zh": ("猪", "羊")}[language]
            assert all(word in text.partition("≤")[0] for word in named)
    assert translations(language).gettext("One trick") in texts[0]


@pytest.mark.parametrize("name", FIRST_DEALS)
def test_the_first_deals_have_much_to_explain_and_the_coach_wins_them_without_the_pig(name: str) -> None:
    rules = PRESETS[name]
    decisions = list(followed(rules))
    end, sign = decisions[-1][1], -1 if rules.low_is_better else 1
    points = [sign * each for each in end.points]
    rivals = [each for seat, each in enumerate(points) if seat != LEARNER and not (rules.partners and seat == 2)]
    assert len({before.advice.reason for before, _ in decisions if before.advice}) >= 5
    assert 7 <= len(decisions) <= 12
    assert end.is_over
    assert points[LEARNER] > max(rivals)
    assert Card.parse("QS") not in end.taken[LEARNER]


@pytest.mark.parametrize("name", PRESETS)
def test_what_the_coach_says_is_true(name: str) -> None:
    seen = set()
    for number in range(12):
        for before, after in followed(PRESETS[name], number):
            assert before.advice
            seen.add(before.advice.reason)
            check(before, before.advice, after)
            assert after.instead is None
    assert seen >= {"lead", "throw", "below", "above"}


def check(before: FirstDeal, advice: Advice, after: FirstDeal) -> None:
    """Compare a reason with what comes of the card."""
    trick = after.tricks[len(before.tricks)]
    own = (LEARNER - trick.leader) % len(trick.cards)
    assert trick.cards[own] == advice.card
    takes = trick.winner == LEARNER
    if advice.reason in ("throw", "below"):
        assert not takes
    elif advice.reason in ("last", "catch"):
        assert takes
        assert own == len(trick.cards) - 1
        assert trick.points == advice.points
    elif advice.reason == "above":
        assert own < len(trick.cards) - 1
    else:
        assert own == 0
        assert takes or advice.higher
    if advice.reason in ("last", "above"):
        assert advice.best is not None
        assert all(card.suit is advice.best.suit and card > advice.best for card in before.legal)


@pytest.mark.parametrize("name", PRESETS)
def test_every_card_is_played_once_whatever_the_reader_chooses(name: str) -> None:
    rules, chance = PRESETS[name], random.Random(57)
    for _ in range(3):
        deal, others = first_deal(rules), 0
        while deal.advice:
            card = chance.choice(deal.legal)
            again = first_deal(rules, (*deal.chosen, card))
            assert (again.instead is None) == (card == deal.advice.card)
            others += again.instead is not None
            deal = again
        assert others
        assert sorted(card for trick in deal.tricks for card in trick.cards) == sorted(rules.deck)
        assert {card for pile in deal.taken for card in pile} <= set(rules.deck)
        assert not any(deal.hands)


@pytest.mark.parametrize("name", ["gongzhu", "hearts", "gongzhu-five"])
def test_the_page_leads_from_card_to_card_and_then_to_a_table(site: Visitor, name: str) -> None:
    address = f"/learn/{name}/deal"
    deal, page = first_deal(PRESETS[name]), site.page(address)
    while deal.advice:
        choices = dict(CHOICE.findall(page))
        coached, *_ = (value for value, more in choices.items() if "right" in more)
        legal = {value for value, more in choices.items() if "disabled" not in more}
        assert legal == {deal.with_card(card) for card in deal.legal}
        assert coached == deal.with_card(deal.advice.card)
        deal, page = (
            first_deal(PRESETS[name], (*deal.chosen, deal.advice.card)),
            site.page(f"{address}?cards={coached}"),
        )
    assert not CHOICE.search(page)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    assert fields == {"csrf": "", "variant": name, "level": "easy", "length": "deals:1"}


def test_the_lowest_card_is_shown_where_it_lies(site: Visitor) -> None:
    deal = first_deal(PRESETS["hearts-short"])
    assert Card.parse("2C") in deal.trick  # the card whose number is 0
    assert site.page("/learn/hearts-short/deal").count('class="lying"') == len(deal.trick)


def test_an_address_that_no_deal_leads_to_is_refused(site: Visitor) -> None:
    deal = first_deal(PRESETS["gongzhu"])
    barred = next(card for card in deal.hands[LEARNER] if card not in deal.legal)
    whole = list(followed(PRESETS["gongzhu"]))[-1][1]
    for cards in ([barred], [*whole.chosen, barred], [deal.legal[0], deal.legal[0]]):
        with pytest.raises(LadderError):
            first_deal(PRESETS["gongzhu"], cards)
        assert site.get(f"/learn/gongzhu/deal?cards={'-'.join(map(str, cards))}").status_code == 404
    for wrong in ("QS-", "-QS", "1S", "QS QS", "-".join(["QS"] * 40)):
        assert site.get(f"/learn/gongzhu/deal?cards={wrong}").status_code == 422
    assert site.get("/learn/nothing").status_code == site.get("/learn/nothing/deal").status_code == 404
