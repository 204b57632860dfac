"""
The sample bots: hands that show whether they know what they do, and small duels in which they keep their order.

The seed of the duels is fixed, so they cannot flake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.duels import duel, load_bot
from pigpen import Card, MoonChoice, View, margin, solve
from pigpen.bot import decide
from pigpen.rules import PRESETS, Deal, Direction, Phase, Rules, deal_hands, seed_from
from pigpen.rules.parts import Passing
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_PARTNERS, HEARTS, HEARTS_JACK
from pigpen.sim.sampling import Unseen
from tests.rules.table import dealt, expose, named, play, small
from tests.sample_bots.table import play_deal

COUNTING = load_bot("counting")


def view_of(deal: Deal, seat: int) -> View:
    known: tuple[Any, ...] = deal.view(seat).known()
    return View(deal.rules, *known)


@pytest.mark.parametrize(("cards", "weighed"), [(3, 2600), (5, 3000)])
def test_of_very_many_passes_it_weighs_a_bounded_number(
    cards: int, weighed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = replace(HEARTS, name="two", players=2, passing=Passing(cards=cards, directions=(Direction.LEFT,)))
    hands: list[int] = []

    def value(_: object, mine: int, __: int) -> float:
        hands.append(mine)
        return 0.0

    hand = COUNTING.pass_cards.__globals__["Hand"]  # type: ignore[attr-defined]
    monkeypatch.setattr(hand, "value", value)
    deal = Deal(rules, deal_hands(rules, bytes(32), 0))
    passed = COUNTING().pass_cards(view_of(deal, 0))
    assert len([*passed]) == cards
    assert len(hands) == len({*hands}) == weighed


def plays(deal: Deal) -> str:
    """The card that the bot plays for the seat whose turn it is."""
    return str(COUNTING().play(view_of(deal, deal.turn)))


def passes(rules: Rules, hand: str) -> set[str]:
    view = view_of(dealt(rules, hand, number=0), 0)
    return set(map(str, COUNTING().pass_cards(view)))


def exposes(rules: Rules, hand: str) -> set[str]:
    deal = dealt(rules, hand)
    assert deal.phase is Phase.EXPOSE
    shown: Mapping[Card, object] = decide(COUNTING(), view_of(deal, 0))  # type: ignore[assignment]
    return set(map(str, shown))


def table(rules: Rules, hand: str, cards: str, *others: str, up: str = "") -> Deal:
    """Seat 3 holds *hand*; the others, led by seat 0, have played *cards* of one trick and hold *others* besides."""
    trick = cards.split()
    wanted = [f"{trick[seat] if seat < len(trick) else ''} {others[seat] if others else ''}" for seat in range(3)]
    return play(expose(dealt(rules, *wanted, hand, leader=3 if not trick else 0), up), cards)


# Following suit


def test_ducks_the_queen_under_a_higher_card() -> None:
    assert plays(table(GONGZHU, "AS 9S 3S AC 7C 4C 2C KD 8D 6D 2D 4H 2H", "TS QS KS")) in {"9S", "3S"}


@pytest.mark.parametrize("high", ["AS", "KS"])
def test_drops_the_queen_under_a_higher_spade(high: str) -> None:
    assert plays(table(GONGZHU, "QS 9S 3S AC 7C 4C 2C KD 8D 6D 2D 4H 2H", f"{high} 4S 5S")) == "QS"


def test_keeps_the_queen_under_a_low_spade() -> None:
    assert plays(table(GONGZHU, "QS 9S 3S AC 7C 4C 2C KD 8D 6D 2D 4H 2H", "4S 5S TS")) in {"9S", "3S"}


def test_takes_the_jack_of_diamonds_when_it_plays_last() -> None:
    assert plays(table(GONGZHU, "QD 3D 2D AC 7C 4C 2C 9S 8S 6S 4H 2H 3H", "5D JD 4D")) == "QD"


def test_wins_with_its_own_jack_when_it_plays_last() -> None:
    assert plays(table(GONGZHU, "JD 3D 2D AC 7C 4C 2C 9S 8S 6S 4H 2H 3H", "5D 7D 4D")) == "JD"


def test_does_not_give_its_jack_to_a_higher_diamond() -> None:
    assert plays(table(GONGZHU, "JD 3D 2D AC 7C 4C 2C 9S 8S 6S 4H 2H 3H", "5D AD 4D")) != "JD"


def test_drops_the_doubler_under_a_higher_club() -> None:
    assert plays(table(GONGZHU, "TC 4C 2C KD 8D 6D 2D 9S 8S 6S 4H 2H 3H", "3C AC 5C")) == "TC"


def test_does_not_win_a_club_trick_with_the_doubler() -> None:
    assert plays(table(GONGZHU, "TC 4C 2C KD 8D 6D 2D 9S 8S 6S 4H 2H 3H", "3C 9C 5C")) != "TC"


# Discarding


def test_throws_the_queen_on_a_suit_it_is_out_of() -> None:
    assert plays(table(GONGZHU, "QS 9S 3S AC 7C 4C 2C 3C 5C 4H 2H KH 8C", "5D AD 4D")) == "QS"


def test_gives_the_jack_to_its_partner_and_the_queen_to_its_rivals() -> None:
    hand = "JD QS 9S 3S AS 4H 2H KH 8H 9H TH 5D 6D"
    assert plays(table(GONGZHU_PARTNERS, hand, "5C AC 4C")) == "JD"
    assert plays(table(GONGZHU_PARTNERS, hand, "AC 5C 4C")) == "QS"


def test_keeps_the_queen_from_its_partner() -> None:
    hand = "QS 9S 3S AS 4H 2H KH 8H 9H TH 5D 6D 7D"
    assert plays(table(GONGZHU_PARTNERS, hand, "5C AC 4C")) != "QS"


# Leading


def test_does_not_lead_high_spades_at_an_unseen_queen() -> None:
    hand = "AS KS 9S 8C 7C 4C 2C 5D 8D 6D 2D 4H 2H"
    assert plays(table(GONGZHU, hand, "")) not in {"AS", "KS"}
    assert plays(table(GONGZHU, hand, "", up="QS")) not in {"AS", "KS"}


def test_leads_a_low_spade_to_drive_out_the_queen() -> None:
    hand = "9S 8S 5S 4S KC 8C 5C 9D 7D 6D 8H 6H 5H"
    assert plays(table(GONGZHU, hand, "", up="QS")) in {"9S", "8S", "5S", "4S"}


def test_does_not_lead_the_suit_of_its_own_queen() -> None:
    assert plays(table(GONGZHU, "QS 9S 8C 7C 4C 2C 5D 8D 6D 3D 2D 4H 2H", ""))[1] != "S"


# Passing


def test_passes_the_queen_of_spades_when_short() -> None:
    assert "QS" in passes(HEARTS, "QS 4S 8C 7C 4C 2C 5D 8D 6D 2D 4H 2H 7H")


def test_keeps_the_queen_of_spades_when_long() -> None:
    assert "QS" not in passes(HEARTS, "QS 7S 6S 4S 3S 2S KC AC 4H 2H KD AD 7H")


def test_passes_ace_and_king_of_spades_when_short() -> None:
    assert {"AS", "KS"} <= passes(HEARTS, "AS KS 4S 8C 7C 4C 2C 5D 8D 6D 2D 4H 2H")


def test_passes_bare_high_hearts_and_keeps_low_cards() -> None:
    assert {"AH", "KH"} <= passes(CHINESE_HEARTS, "AH KH 4S 8C 7C 4C 2C 5D 8D 6D 2D 3D 2S")
    assert not {"2C", "2D", "2S"} & passes(CHINESE_HEARTS, "AH KH 4S 8C 7C 4C 2C 5D 8D 6D 2D 3D 2S")


def test_does_not_pass_the_good_jack() -> None:
    assert "JD" not in passes(HEARTS_JACK, "JD AD KD 8C 7C 4C 2C 5S 8S 6S 2S 4H AH")


# Exposing


def test_exposes_a_queen_that_others_will_take() -> None:
    assert exposes(GONGZHU, "QS 8S 7S 5S 4S 3S 2S KD 5D 4C 3C 4H 2H") == {"QS"}


def test_hides_a_bare_queen_and_a_doubler_without_guards() -> None:
    assert exposes(GONGZHU, "QS TC JC KC 8D 6D 5D 4D 3D 2D 4H 2H 6H") == set()


def test_exposes_a_jack_that_it_will_win() -> None:
    assert exposes(GONGZHU, "AD KD QD JD 8D 3S 4S 4C 3C 4H 2H 6H 9S") == {"JD"}


def test_hides_a_jack_that_others_will_catch() -> None:
    assert exposes(GONGZHU, "JD 3D 8C 3S 4S 4C 3C 4H 2H 6H 9S TS 9C") == set()


# The moon


def test_stops_a_moon() -> None:
    """Seat 0 took eight hearts of twelve. A trick with three more is bad, but not so bad as all of them."""
    hands = "AH KH 9H 4C JD | 5H QH 8H 2S TC | 6H JH 2H QS 3C | 7H 4H TH 3H 3D"
    deal = play(expose(small(GONGZHU, hands, leader=0)), "AH 5H 6H 7H  KH QH JH 4H  9H 8H 2H")
    assert plays(deal) == "TH"


def test_ducks_the_same_trick_when_the_hearts_are_split() -> None:
    hands = "AH JH 9H 4C JD | 5H KH 8H 2S TC | 6H QH 2H QS 3C | 7H 4H TH 3H 3D"
    deal = play(expose(small(GONGZHU, hands, leader=0)), "AH 5H 6H 7H  JH KH QH 4H  8H 2H")
    assert plays(deal) == "3H"


@pytest.mark.parametrize(("trick", "card"), [("KC TC 3C", "3D"), ("4C TC 3C", "TH")])
def test_gives_a_heart_to_anybody_but_the_shooter(trick: str, card: str) -> None:
    hands = "AH KH 9H 4C KC | 5H QH 8H 2S TC | 6H JH 2H QS 3C | 7H 4H TH JD 3D"
    deal = play(expose(small(GONGZHU, hands, leader=0)), f"AH 5H 6H 7H  KH QH JH 4H  {trick}")
    assert plays(deal) == card


def test_shoots_the_moon_from_the_top() -> None:
    deal = table(GONGZHU, "AH KH QH JH TH 9H 8H 7H AS KS AD KD AC", "")
    assert plays(deal) == "AH"


@pytest.mark.parametrize(("totals", "choice"), [
    ((40, 50, 60, 70), MoonChoice.ADD), ((80, 50, 60, 70), MoonChoice.SUBTRACT), ((), MoonChoice.ADD),
])  # fmt: skip
def test_the_leader_gives_the_moon_to_the_others(totals: tuple[int, ...], choice: MoonChoice) -> None:
    view = view_of(dealt(HEARTS), 0)
    view.totals = totals
    assert COUNTING().choose_moon(view) is choice


TRICKS = 4
DEALS = range(250)
KNOWN = {
    "hearts": (108, 117, 140, 143, 161, 194, 200),
    "gongzhu": (143, 182, 217, 238, 241),
    "gongzhu-partners": (36, 110, 117, 143, 238),
}
"""Those of the deals in which a seat comes to know all hands while its choice still matters."""


@pytest.mark.parametrize(
    "numbers", [pytest.param(KNOWN, id="known"), pytest.param({}, id="all", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("rules", [PRESETS[name] for name in KNOWN], ids=named)
def test_plays_a_card_of_the_solution_when_all_hands_are_known(
    rules: Rules, numbers: Mapping[str, Iterable[int]]
) -> None:
    bot, tried = load_bot("exact")(), 0
    players = [load_bot("cautious")() for _ in range(rules.players)]
    for number in numbers.get(rules.name, DEALS):
        deal = play_deal(rules, players, seed_from("endings"), number, cards=len(rules.deck) - TRICKS * rules.players)
        while deal.playable:
            view = View(*deal.known_to(deal.turn), seed=number)
            choices = solve(deal).choices
            values = {card: margin(rules, scores, view.seat) for card, scores in choices.items()}
            if len(set(values.values())) > 1 and Unseen(view).ways() == 1:
                tried += 1
                assert values[decide(bot, view)] == max(values.values())  # type: ignore[index]
            deal.play(solve(deal).card)
    assert tried > 3


LATER = pytest.mark.long
DUELS = [
    *[("cautious", "random", variant, 12) for variant in ("hearts", "gongzhu", "chinese-hearts")],
    ("counting", "cautious", "hearts-short", 24),
    pytest.param("counting", "cautious", "hearts", 60, marks=LATER),
    pytest.param("counting", "cautious", "chinese-hearts", 60, marks=LATER),
    pytest.param("counting", "cautious", "gongzhu", 60, marks=LATER),
]
"""The stronger bot, the weaker one, the variant, and how many boards tell them apart."""
SIMULATED = [
    ("sampling", 12),
    pytest.param("exact", 100, marks=LATER),
    pytest.param("tree", 12, marks=LATER),
]
"""A bot that simulates, and how many boards tell it from `counting`."""


@pytest.mark.parametrize(("strong", "weak", "variant", "boards"), DUELS)
def test_the_stronger_bot_wins_by_more_than_twice_the_standard_error(
    strong: str, weak: str, variant: str, boards: int
) -> None:
    found = duel(PRESETS[variant], load_bot(strong), load_bot(weak), boards, seed_from("order"))
    mean, error = found.better()
    assert mean > 2 * error
    assert not found.faults


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("strong", "boards"), SIMULATED)
def test_simulation_beats_counting_by_more_than_twice_the_standard_error(strong: str, boards: int) -> None:
    found = duel(PRESETS["hearts-short"], load_bot(strong), load_bot("counting"), boards, seed_from("s"))
    mean, error = found.better()
    assert mean > 2 * error
    assert not found.faults
