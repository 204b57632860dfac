from __future__ import annotations

import pytest

import pigpen
from pigpen.bot import decide, tell
from pigpen.notices import Notice
from pigpen.rules import PRESETS, Card, Deal, Face, MoonChoice, Phase, deal_hands


class First(pigpen.Bot):
    def play(self, view: pigpen.View) -> Card:
        return view.legal[0]


def view_in(rules: str, seat: int = 0, number: int = 0) -> pigpen.View:
    variant = PRESETS[rules]
    deal = Deal(variant, deal_hands(variant, bytes(32), number), number=number)
    return pigpen.View(*deal.known_to(seat), seed=7)


def test_a_bot_must_say_what_it_plays() -> None:
    with pytest.raises(NotImplementedError, match=r"play\(self, view\)"):
        pigpen.Bot().play(view_in("hearts", number=3))


def test_by_default_the_highest_cards_are_passed() -> None:
    view = view_in("hearts")
    cards = decide(First(), view)
    assert isinstance(cards, tuple)
    assert len(cards) == 3
    assert min(card.rank for card in cards) >= max(card.rank for card in view.hand if card not in cards)


def test_by_default_nothing_is_exposed() -> None:
    assert decide(First(), view_in("gongzhu", 1)) == {}


def test_cards_that_a_bot_exposes_are_face_up_unless_it_says_otherwise() -> None:
    queen = Card.parse("QS")

    class Shows(First):
        def expose(self, view: pigpen.View) -> list[Card]:
            return [queen]

    class Hides(First):
        def expose(self, view: pigpen.View) -> dict[Card, Face]:
            return {queen: Face.DOWN}

    view = view_in("gongzhu-sale")
    assert view.phase is Phase.EXPOSE
    assert decide(Shows(), view) == {queen: Face.UP}
    assert decide(Hides(), view) == {queen: Face.DOWN}


def test_by_default_the_shooter_takes_minus_26() -> None:
    assert First().choose_moon(view_in("hearts")) is MoonChoice.SUBTRACT


def test_a_bots_random_numbers_depend_on_its_seed_and_the_moment_only() -> None:
    first, again, later = view_in("hearts"), view_in("hearts"), view_in("hearts", number=3)
    assert first.rng.random() == again.rng.random()
    assert view_in("hearts").rng.random() != later.rng.random()


def test_each_notice_reaches_its_method() -> None:
    heard: list[object] = []

    class Listens(First):
        def deal_over(self, result: pigpen.DealResult) -> None:
            heard.append(result)

        def fault(self, notice: pigpen.FaultNotice) -> None:
            heard.append(notice)

        def match_over(self, result: pigpen.MatchResult) -> None:
            heard.append(result)

    notices: list[Notice] = [
        pigpen.DealResult(0, 0, (0,), (0,)),
        pigpen.FaultNotice("illegal", "no", 1, takeover=False),
        pigpen.MatchResult(1, 0.0),
    ]
    for notice in notices:
        tell(Listens(), notice)
    assert heard == notices
