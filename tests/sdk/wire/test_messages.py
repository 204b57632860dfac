from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigpen import ClockSetting, DealResult, FaultNotice, MatchResult, View, Welcome
from pigpen.rules import CARDS, PRESETS, Action, Card, Deal, Face, MoonChoice, Phase, Rules, deal_hands
from pigpen.v1 import referee_pb2, rules_pb2
from pigpen.values.notices import Notice
from pigpen.wire.messages import (
    MalformedMessage,
    action_of,
    answer_message,
    duration,
    notice_message,
    notice_of,
    request_message,
    rules_from_message,
    rules_to_message,
    seconds,
    view_of,
    welcome_message,
    welcome_of,
)
from tests.many_choices import WAYS

QS, AH = Card.parse("QS"), Card.parse("AH")


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_every_variant_comes_through_unchanged(rules: Rules) -> None:
    data = rules_to_message(rules).SerializeToString()
    assert rules_from_message(rules_pb2.Rules.FromString(data)) == rules


def test_C_10_a_variant_with_too_many_choices_is_none() -> None:
    message = rules_to_message(PRESETS["hearts"])
    message.players = 2
    message.passing.cards = 13
    with pytest.raises(ValueError, match=f"^passing.cards: {WAYS}"):
        rules_from_message(message)


@given(
    st.sampled_from(list(PRESETS)), st.integers(0, 3), st.sampled_from([None, 0, 3]), st.integers(0, 2**32),
    st.randoms(use_true_random=False),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_every_view_comes_through_unchanged(
    name: str, number: int, leader: int | None, seed: int, rng: object
) -> None:  # fmt: skip
    """And with it everything that a seat may know (C-9), at every decision of a deal."""
    rules = PRESETS[name]
    deal = Deal(rules, deal_hands(rules, seed.to_bytes(32, "big"), number), number=number, leader=leader)
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(
                *deal.known_to(seat), totals=(-5,) * rules.players, decision=7, seed=2**64 - 1, limit=1.0, bank=59.5
            )
            message = referee_pb2.RefereeMessage.FromString(request_message(view, 0.25).SerializeToString())
            read = view_of(message.request, rules)
            assert read == view
            assert (read.totals, read.decision, read.seed) == (view.totals, 7, 2**64 - 1)
            assert (read.limit, read.bank) == (1.0, 59.5)
            deal.apply(seat, chosen(deal, seat, rng))


def chosen(deal: Deal, seat: int, rng: object) -> Action:
    choose = getattr(rng, "choice")  # noqa: B009  hypothesis types its generator loosely
    if deal.phase is Phase.EXPOSE:
        down = deal.rules.exposing and deal.rules.exposing.face_down
        faces = [Face.UP, Face.DOWN] if down else [Face.UP]
        return {card: choose(faces) for card in deal.legal(seat) if choose([True, False])}
    if deal.phase is Phase.PLAY:
        card = choose(deal.legal(seat))
        assert isinstance(card, Card)
        return card
    return deal.default_action(seat)


@pytest.mark.parametrize(
    ("phase", "action"),
    [
        (Phase.PLAY, CARDS[0]),
        (Phase.PLAY, QS),
        (Phase.PASS, (QS, AH, CARDS[0])),
        (Phase.PASS, ()),
        (Phase.EXPOSE, {}),
        (Phase.EXPOSE, {QS: Face.UP, AH: Face.DOWN}),
        (Phase.MOON, MoonChoice.SUBTRACT),
        (Phase.MOON, MoonChoice.ADD),
    ],
)
def test_every_action_comes_through_unchanged(phase: Phase, action: Action) -> None:
    data = answer_message(asked(phase), action).SerializeToString()
    answer = referee_pb2.BotMessage.FromString(data).answer
    assert answer.decision == 9
    assert action_of(answer, phase) == action


def asked(phase: Phase) -> View:
    rules = PRESETS["hearts"]
    return View(rules, 0, 0, phase, 0, 0, 0, 0, (), (0, 0, 0, 0), b"", b"", None, decision=9)


def test_no_answer_at_all_is_malformed_for_the_referee() -> None:
    with pytest.raises(MalformedMessage, match="the answer holds no action"):
        action_of(answer_message(asked(Phase.PLAY), None).answer, Phase.PLAY)


def _with_pass(cards: bytes) -> referee_pb2.Answer:
    answer = referee_pb2.Answer()
    getattr(answer, "pass").cards = cards
    return answer


def _exposing(*cards: dict[str, int]) -> referee_pb2.Answer:
    return referee_pb2.Answer(expose=referee_pb2.ExposeAction(cards=cards))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("phase", "answer"),
    [
        (Phase.PLAY, referee_pb2.Answer(decision=1)),
        (Phase.PLAY, referee_pb2.Answer(card=52)),
        (Phase.PASS, _with_pass(b"\x34")),
        (Phase.EXPOSE, _exposing({"card": 99})),
        (Phase.EXPOSE, _exposing({"card": 9, "face": 7})),
        (Phase.EXPOSE, _exposing({"card": 9}, {"card": 9, "face": 2})),
        (Phase.MOON, referee_pb2.Answer(moon=9)),  # type: ignore[arg-type]
    ],
)
def test_an_answer_that_makes_no_sense_is_malformed(phase: Phase, answer: referee_pb2.Answer) -> None:
    with pytest.raises(MalformedMessage):
        action_of(answer, phase)


def test_an_answer_of_another_kind_than_was_asked_for_is_malformed() -> None:
    answers = {
        Phase.PLAY: referee_pb2.Answer(card=3),
        Phase.PASS: _with_pass(b"\x03"),
        Phase.EXPOSE: _exposing({"card": 3}),
        Phase.MOON: referee_pb2.Answer(moon=1),  # type: ignore[arg-type]
    }
    for phase, answer in answers.items():
        for asked_for in answers:
            if phase is not asked_for:
                with pytest.raises(MalformedMessage, match=r"the answer holds '.*', and '.*' was asked for"):
                    action_of(answer, asked_for)


def test_a_face_that_is_not_said_is_up() -> None:
    assert action_of(_exposing({"card": int(QS)}), Phase.EXPOSE) == {QS: Face.UP}


@pytest.mark.parametrize(
    "notice",
    [
        DealResult(3, 1, (26, 0, -10, 0), (30, -40, 5, 0)),
        FaultNotice("illegal", "QS is not in the hand", 3, takeover=True),
        MatchResult(2, -17.5),
    ],
)
def test_every_notice_comes_through_unchanged(notice: Notice) -> None:
    data = notice_message(notice).SerializeToString()
    assert notice_of(referee_pb2.RefereeMessage.FromString(data)) == notice


def test_a_message_of_an_unknown_kind_is_passed_over() -> None:
    """As proto3 expects: field 99 of a newer referee."""
    assert notice_of(referee_pb2.RefereeMessage.FromString(b"\x9a\x06\x01x")) is None


def test_a_welcome_comes_through_unchanged() -> None:
    welcome = Welcome(PRESETS["gongzhu-five"], 4, "deals:8", ClockSetting(60.0, 0.1, 1.0, 10.0, deals_per_bank=16))
    data = welcome_message(welcome).SerializeToString()
    assert welcome_of(referee_pb2.RefereeMessage.FromString(data).welcome) == welcome


@pytest.mark.parametrize(("length", "shown"), [(0.0, 0.0), (0.000001, 0.000001), (61.25, 61.25), (-1.0, 0.0)])
def test_a_duration_is_exact_to_the_microsecond_and_never_negative(length: float, shown: float) -> None:
    assert seconds(duration(length)) == pytest.approx(shown, abs=1e-9)
