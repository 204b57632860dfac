"""Values of bots and referee from and to messages of the wire (pigpen/v1/*.proto)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from google.protobuf.duration_pb2 import Duration

from pigpen.rules import CARDS, Action, Card, Exposure, Face, MoonChoice, Phase, cards_in, mask_of
from pigpen.v1 import referee_pb2, view_pb2
from pigpen.values.notices import NO_ACTION, ClockSetting, DealResult, FaultNotice, MatchResult, Notice, Welcome
from pigpen.values.view import View
from pigpen.wire.rules_messages import rules_from_message, rules_to_message

if TYPE_CHECKING:
    from pigpen.rules import Rules

PROTOCOL = 1
"""Major version of the wire contract."""

MAX_BYTES = 65536
"""Most bytes of a message from a bot."""


ANSWERS = {Phase.PLAY: "card", Phase.PASS: "pass", Phase.EXPOSE: "expose", Phase.MOON: "moon"}
"""By phase: the field of an answer that holds the action."""
_PHASES: dict[int, Phase] = {phase.value: phase for phase in Phase}
"""Quicker than a look-up in the enumeration."""


def too_long(size: int) -> str:
    """Say that a message of *size* bytes is too long."""
    return f"the message has {size:,} bytes, and at most {MAX_BYTES:,} are taken"


class MalformedMessage(ValueError):
    """A message that cannot be read; the text says why."""


def duration(seconds: float) -> Duration:
    """Make a message of a length of time, to the microsecond; a negative one counts as zero."""
    message = Duration()
    _set_duration(message, seconds)
    return message


def _set_duration(message: Duration, seconds: float) -> None:
    whole, micros = divmod(max(0, round(seconds * 1e6)), 1_000_000)
    message.seconds = whole
    message.nanos = micros * 1000


def seconds(message: Duration) -> float:
    """Return a length of time in seconds."""
    return message.seconds + message.nanos / 1e9


def request_message(view: View, took: float) -> referee_pb2.RefereeMessage:
    """Make the request for the decision of *view*; the answer before took *took* seconds."""
    message = referee_pb2.RefereeMessage()  # filled in place: handing parts to a constructor copies them
    request = message.request
    request.decision = view.decision
    request.seed = view.seed
    _set_duration(request.limit, view.limit)
    _set_duration(request.bank, view.bank)
    _set_duration(request.last_took, took)
    fill_view(request.view, view)
    return message


def fill_view(message: view_pb2.View, view: View) -> None:
    """Write *view* into *message*."""
    message.phase = int(view.phase)  # type: ignore[assignment]
    message.seat = view.seat
    message.deal = view.deal
    message.hand = hand = bytes(cards_in(view.hand_mask))
    message.legal = hand if view.legal_mask == view.hand_mask else bytes(cards_in(view.legal_mask))
    message.plays = view.plays
    message.leaders = view.leaders
    message.totals.extend(view.totals)
    if view.passed_mask:
        message.passed = bytes(cards_in(view.passed_mask))
        message.received = bytes(cards_in(view.received_mask))
    if any(view.hidden) or view.exposures:
        message.exposures.extend(_exposure_message(shown) for shown in view.exposures)
        message.hidden = bytes(view.hidden)
    if view.first_leader is not None:
        message.first_leader = view.first_leader


def view_of(request: referee_pb2.Request, rules: Rules) -> View:
    """Read the view of a request."""
    view = request.view
    hand, legal, exposures = view.hand, view.legal, view.exposures
    hand_mask = mask_of(hand)
    return View(
        rules,
        view.seat,
        view.deal,
        _PHASES[view.phase],
        hand_mask,
        hand_mask if legal == hand else mask_of(legal),
        mask_of(view.passed),
        mask_of(view.received),
        tuple(map(_exposure_of, exposures)) if exposures else (),
        tuple(view.hidden) or (0,) * rules.players,
        view.plays,
        view.leaders,
        view.first_leader if view.HasField("first_leader") else None,
        tuple(view.totals),
        request.decision,
        request.seed,
        seconds(request.limit),
        seconds(request.bank),
    )


def answer_message(view: View, action: Action | None) -> referee_pb2.BotMessage:
    """Make the answer *action* to the question of *view*; None: an empty answer, which is a fault."""
    message = referee_pb2.BotMessage()
    answer = message.answer
    answer.decision = view.decision
    if isinstance(action, Card):
        answer.card = action
    elif isinstance(action, tuple):
        getattr(answer, "pass").cards = bytes(action)
    elif isinstance(action, Mapping):
        shown = [Exposure(view.seat, card, face) for card, face in action.items()]
        answer.expose.SetInParent()
        answer.expose.cards.extend(_exposure_message(exposure) for exposure in shown)
    elif isinstance(action, MoonChoice):
        answer.moon = int(action)  # type: ignore[assignment]
    return message


def action_of(answer: referee_pb2.Answer, phase: Phase) -> Action:
    """
    Read the action of an answer to a question of *phase*.

    Raises:
        MalformedMessage: If there is none, or one of another kind, or it names a card that does not exist.
    """
    kind = answer.WhichOneof("action")
    if kind is None:
        raise MalformedMessage(NO_ACTION)
    if kind != ANSWERS[phase]:
        raise MalformedMessage(f"the answer holds {kind!r}, and {ANSWERS[phase]!r} was asked for")
    try:
        if kind == "card":
            return CARDS[answer.card]
        if kind == "pass":
            return tuple(CARDS[number] for number in getattr(answer, "pass").cards)
        if kind == "expose":
            faces = {CARDS[shown.card]: Face(shown.face or Face.UP) for shown in answer.expose.cards}
            if len(faces) < len(answer.expose.cards):
                raise MalformedMessage("the answer exposes a card twice")
            return faces
        return MoonChoice(answer.moon or MoonChoice.SUBTRACT)
    except IndexError:
        raise MalformedMessage("the answer names a card that does not exist; cards are numbered 0 to 51") from None
    except ValueError as error:
        raise MalformedMessage(f"the answer cannot be read: {error}") from None


def welcome_message(welcome: Welcome) -> referee_pb2.RefereeMessage:
    """Make the message that a bot has its seat."""
    clock = welcome.clock
    message = referee_pb2.Welcome(
        rules=rules_to_message(welcome.rules),
        seat=welcome.seat,
        format=welcome.format,
        clock=referee_pb2.Clock(
            bank=duration(clock.bank),
            increment=duration(clock.increment),
            limit=duration(clock.limit),
            start_up=duration(clock.start_up),
            deals_per_bank=clock.deals_per_bank,
        ),
    )
    return referee_pb2.RefereeMessage(welcome=message)


def welcome_of(message: referee_pb2.Welcome) -> Welcome:
    """Read a welcome."""
    clock = message.clock
    return Welcome(
        rules=rules_from_message(message.rules),
        seat=message.seat,
        format=message.format,
        clock=ClockSetting(
            bank=seconds(clock.bank),
            increment=seconds(clock.increment),
            limit=seconds(clock.limit),
            start_up=seconds(clock.start_up),
            deals_per_bank=clock.deals_per_bank,
        ),
    )


def notice_message(notice: Notice, decision: int = 0) -> referee_pb2.RefereeMessage:
    """Make the message of a notice; *decision* is the number of the decision at fault, if it is a fault."""
    if isinstance(notice, DealResult):
        deal_over = referee_pb2.DealOver(deal=notice.deal, seat=notice.seat, scores=notice.scores, totals=notice.totals)
        return referee_pb2.RefereeMessage(deal_over=deal_over)
    if isinstance(notice, MatchResult):
        match_over = referee_pb2.MatchOver(place=notice.place, points_per_deal=notice.points_per_deal)
        return referee_pb2.RefereeMessage(match_over=match_over)
    fault = referee_pb2.Fault(
        decision=decision,
        verdict=notice.verdict,
        message=notice.message,
        faults=notice.faults,
        takeover=notice.takeover,
    )
    return referee_pb2.RefereeMessage(fault=fault)


def notice_of(message: referee_pb2.RefereeMessage) -> Notice | None:
    """Read a notice; None if this version does not know its kind."""
    kind = message.WhichOneof("body")
    if kind == "deal_over":
        over = message.deal_over
        return DealResult(over.deal, over.seat, tuple(over.scores), tuple(over.totals))
    if kind == "fault":
        fault = message.fault
        return FaultNotice(fault.verdict, fault.message, fault.faults, fault.takeover)
    if kind == "match_over":
        return MatchResult(message.match_over.place, message.match_over.points_per_deal)
    return None


def hello_message(token: str, name: str, sdk: str) -> referee_pb2.BotMessage:
    """Make a bot's first message."""
    return referee_pb2.BotMessage(hello=referee_pb2.Hello(protocol=PROTOCOL, token=token, name=name, sdk=sdk))


def _exposure_of(shown: view_pb2.Exposure) -> Exposure:
    return Exposure(shown.seat, CARDS[shown.card], Face(shown.face))


def _exposure_message(shown: Exposure) -> view_pb2.Exposure:
    return view_pb2.Exposure(seat=shown.seat, card=shown.card, face=int(shown.face))  # type: ignore[arg-type]
