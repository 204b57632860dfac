from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest

import pigpen
from pigpen import client
from pigpen.bot import WrongAnswer, decide, notify
from pigpen.rules import PRESETS, Card, Deal, Face, MoonChoice, Phase, deal_hands
from pigpen.values.notices import Notice
from pigpen.wire.messages import request_message, welcome_message

if TYPE_CHECKING:
    from collections.abc import Callable


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
    received: list[object] = []

    class Listens(First):
        def deal_over(self, result: pigpen.DealResult) -> None:
            received.append(result)

        def fault(self, notice: pigpen.FaultNotice) -> None:
            received.append(notice)

        def match_over(self, result: pigpen.MatchResult) -> None:
            received.append(result)

    notices: list[Notice] = [
        pigpen.DealResult(0, 0, (0,), (0,)),
        pigpen.FaultNotice("illegal", "no", 1, takeover=False),
        pigpen.MatchResult(1, 0.0),
    ]
    for notice in notices:
        notify(Listens(), notice)
    assert received == notices


def answering(phase: Phase, answer: object) -> tuple[pigpen.Bot, pigpen.View]:
    """A bot that returns *answer* whatever it is asked, and a view in *phase*."""
    methods = ("play", "pass_cards", "expose", "choose_moon")
    bot = type("Fixed", (pigpen.Bot,), {name: lambda self, view: answer for name in methods})()
    return bot, pigpen.View(PRESETS["hearts"], 0, 0, phase, 0, 0, 0, 0, (), (0, 0, 0, 0), b"", b"", None)


@pytest.mark.parametrize(
    ("phase", "answer", "action"),
    [
        (Phase.PLAY, 49, Card.parse("QS")),
        (Phase.PASS, [49, 0], (Card.parse("QS"), Card.parse("2C"))),
        (Phase.PASS, iter([0]), (Card.parse("2C"),)),
        (Phase.EXPOSE, {49}, {Card.parse("QS"): Face.UP}),
        (Phase.EXPOSE, {49: 2}, {Card.parse("QS"): Face.DOWN}),
        (Phase.MOON, 2, MoonChoice.ADD),
    ],
)
def test_plain_numbers_do_for_cards(phase: Phase, answer: object, action: object) -> None:
    given = decide(*answering(phase, answer))
    assert given == action
    if phase is Phase.PLAY:
        assert isinstance(given, Card)


@pytest.mark.parametrize(
    ("phase", "answer", "text"),
    [
        (Phase.PLAY, None, "play returned None; it must return one of view.legal"),
        (Phase.PLAY, "QS", "play returned 'QS'"),
        (Phase.PLAY, 52, "play returned 52"),
        (Phase.PLAY, -1, "play returned -1"),
        (Phase.PLAY, 1.5, "play returned 1.5"),
        (Phase.PLAY, (49,), "play returned"),
        (Phase.PASS, None, "pass_cards returned None; it must return view.pass_count cards of view.hand"),
        (Phase.PASS, 49, "pass_cards returned 49"),
        (Phase.PASS, "QSKS", "pass_cards returned"),
        (Phase.EXPOSE, None, "expose returned None"),
        (Phase.EXPOSE, {49: 3}, "expose returned"),
        (Phase.EXPOSE, {"QS": 1}, "expose returned"),
        (Phase.MOON, None, "choose_moon returned None; it must return a MoonChoice"),
        (Phase.MOON, 3, "choose_moon returned 3"),
    ],
)
def test_an_answer_of_the_wrong_kind_is_named(phase: Phase, answer: object, text: str) -> None:
    with pytest.raises(WrongAnswer) as wrong:
        decide(*answering(phase, answer))
    assert text in str(wrong.value)


@pytest.mark.parametrize("value", [1.5, 1.0, "1", True, np.float64(1), np.True_], ids=repr)
@pytest.mark.parametrize(
    ("phase", "answers"),
    [
        (Phase.PLAY, lambda value: value),
        (Phase.PASS, lambda value: [0, value]),
        (Phase.EXPOSE, lambda value: [value]),
        (Phase.EXPOSE, lambda value: {49: value}),
        (Phase.MOON, lambda value: value),
    ],
    ids=["play", "pass", "expose", "face", "moon"],
)
def test_nothing_but_a_whole_number_is_taken_for_one(
    phase: Phase, answers: Callable[[object], object], value: object
) -> None:
    """Python equates 1.0 and True with 1."""
    decide(*answering(phase, answers(np.int64(1))))
    with pytest.raises(WrongAnswer):
        decide(*answering(phase, answers(value)))


def test_the_time_left_counts_from_the_question_and_ends_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    variant = PRESETS["hearts"]
    view = pigpen.View(*Deal(variant, deal_hands(variant, bytes(32), 3), number=3).known_to(0), limit=2.0)
    view.asked_at = now
    assert view.time_left() == 2.0
    now += 1.5
    assert view.time_left() == 0.5
    now += 1.5
    assert view.time_left() == 0.0


def test_the_clock_of_a_question_that_is_asked_again_has_not_stopped() -> None:
    class Clocked(First):
        asked_at: ClassVar[list[float]] = []

        def play(self, view: pigpen.View) -> Card:
            self.asked_at.append(view.asked_at)
            return super().play(view)

    conversation = client._Conversation(Clocked(), "clocked", "unix:/nowhere", "token")
    variant = PRESETS["hearts"]
    clock = pigpen.ClockSetting(60.0, 0.1, 1.0, start_up=10.0)
    conversation._answer(welcome_message(pigpen.Welcome(variant, 0, "deals:1", clock)))
    deal = Deal(variant, deal_hands(variant, bytes(32), 3), number=3)
    deal.apply(deal.turn, deal.legal(deal.turn)[0])
    for decision in (1, 1, 2):
        view = pigpen.View(*deal.known_to(deal.turn), decision=decision, limit=1.0)
        conversation._answer(request_message(view))
    first, again, next_one = Clocked.asked_at
    assert first == again < next_one


def test_a_bot_is_told_what_its_wall_time_is_charged_as_its_referee_has_charged_it_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, rates = [100.0], []

    class Slow(First):
        def play(self, view: pigpen.View) -> Card:
            view.asked_at = now[0]
            now[0] += 1.0
            rates.append((view.charge_rate, view.cpu_rate, view.time_charged()))
            return super().play(view)

    monkeypatch.setattr("time.monotonic", lambda: now[0])
    conversation = client._Conversation(Slow(), "slow", "unix:/nowhere", "token")
    variant = PRESETS["hearts"]
    clock = pigpen.ClockSetting(60.0, 0.1, 1.0, start_up=10.0)
    conversation._answer(welcome_message(pigpen.Welcome(variant, 0, "deals:1", clock)))
    deal = Deal(variant, deal_hands(variant, bytes(32), 3), number=3)
    deal.apply(deal.turn, deal.legal(deal.turn)[0])
    for decision in range(1, 30):
        view = pigpen.View(*deal.known_to(deal.turn), decision=decision, limit=1.0)
        view.last_took, view.last_cpu = (0.0, None) if decision == 1 else (0.5, 0.25)
        conversation._answer(request_message(view))
    assert rates[0] == (1.0, 1.0, 1.0)
    assert rates[-1] == pytest.approx((0.5, 0.25, 0.5), rel=0.01)
