"""
Values of bots and referee from and to messages of the wire (pigpen/v1/*.proto).

Rules are converted field for field, by the names that the dataclasses and the messages share. Walking the fields keeps
the two in step: a part of the rules that one side lacks is an error here, and a test sends every preset there and back.

Messages of a person's seat only are what the person is shown, and whether the person is present.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError

from pigpen.rules import CARDS, Action, Card, Exposure, Face, MoonChoice, Phase, Rules, cards_in, mask_of
from pigpen.v1 import referee_pb2, rules_pb2, view_pb2
from pigpen.values.notices import NO_ACTION, ClockSetting, DealResult, FaultNotice, MatchResult, Notice, Welcome
from pigpen.values.view import Seen, View


def rules_to_message(rules: Rules) -> rules_pb2.Rules:
    """Make a message of a variant."""
    message = rules_pb2.Rules()
    _write(rules, message)
    return message


def rules_from_message(message: rules_pb2.Rules) -> Rules:
    """
    Read the variant of a message.

    Raises:
        ValueError: If it is not a game.
    """
    rules = _read(Rules, message)
    assert isinstance(rules, Rules)
    return rules


def _write(part: Any, message: Any) -> None:
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if value is None:
            continue
        if dataclasses.is_dataclass(value):
            getattr(message, field.name).SetInParent()
            _write(value, getattr(message, field.name))
        elif isinstance(value, Mapping):
            _write_mapping(value, getattr(message, field.name))
        elif isinstance(value, tuple):
            getattr(message, field.name).extend(_plain(item) for item in value)
        else:
            setattr(message, field.name, _plain(value))


def _write_mapping(value: Mapping[str, Any], target: Any) -> None:
    for key, item in value.items():
        if isinstance(item, tuple):
            target[key].names.extend(item)
        else:
            target[key] = item


def _plain(value: Any) -> Any:
    """Give the value for the wire: an enum's number there is its place in the class, from 1."""
    return list(type(value)).index(value) + 1 if isinstance(value, enum.Enum) else value


def _read(part: type, message: Any) -> Any:
    hints = typing.get_type_hints(part)
    return part(
        **{
            field.name: _value(_required(hints[field.name]), getattr(message, field.name))
            for field in dataclasses.fields(part)
            if not _absent(hints[field.name], message, field.name)
        }
    )


def _value(hint: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(hint):
        return _read(typing.cast("type", hint), value)
    origin = typing.get_origin(hint)
    if origin is tuple:
        return tuple(_value(typing.get_args(hint)[0], item) for item in value)
    if origin is Mapping:
        return {key: tuple(item.names) if hasattr(item, "names") else item for key, item in value.items()}
    if isinstance(hint, enum.EnumMeta):
        if not 1 <= value <= len(hint):
            raise ValueError(f"{value} stands for no {hint.__name__}")
        return list(hint)[value - 1]
    return value


def _required(hint: Any) -> Any:
    """Give the type inside an optional one."""
    if isinstance(hint, types.UnionType):
        return next(arm for arm in typing.get_args(hint) if arm is not type(None))
    return hint


def _absent(hint: Any, message: Any, name: str) -> bool:
    return isinstance(hint, types.UnionType) and not message.HasField(name)


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


def request_message(view: View) -> referee_pb2.RefereeMessage:
    """Make the request for the decision of *view*."""
    message = referee_pb2.RefereeMessage()  # filled in place: handing parts to a constructor copies them
    request = message.request
    request.decision = view.decision
    request.seed = view.seed
    _set_duration(request.limit, view.limit)
    _set_duration(request.bank, view.bank)
    _set_duration(request.last_took, view.last_took)
    if view.last_cpu is not None:
        _set_duration(request.last_cpu, view.last_cpu)
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
        seconds(request.last_took),
        seconds(request.last_cpu) if request.HasField("last_cpu") else None,
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


HERE = referee_pb2.PRESENCE_STATE_HERE
AWAY = referee_pb2.PRESENCE_STATE_AWAY
READY = referee_pb2.PRESENCE_STATE_READY
ASKS_WHY = referee_pb2.PRESENCE_STATE_ASKS_WHY
READS = referee_pb2.PRESENCE_STATE_READS
PLAYS = referee_pb2.PRESENCE_STATE_PLAYS


def seen_message(seen: Seen) -> referee_pb2.RefereeMessage:
    """Make the message that shows a person *seen*."""
    message = referee_pb2.RefereeMessage()
    fill_view(message.seen.view, seen.view)
    message.seen.names.extend(seen.names)
    message.seen.away = seen.away
    return message


def seen_of(message: referee_pb2.Seen, rules: Rules) -> Seen:
    """Read what a person is shown."""
    view = view_of(referee_pb2.Request(view=message.view), rules)
    return Seen(view, tuple(message.names), message.away)


def presence_message(state: referee_pb2.PresenceState.ValueType, deal: int = 0) -> referee_pb2.BotMessage:
    """Make the message that a person is present or away, or has looked at the end of *deal*."""
    return referee_pb2.BotMessage(presence=referee_pb2.Presence(state=state, deal=deal))


def presence_of(data: bytes) -> referee_pb2.Presence | None:
    """Read whether a person is present; None for any other message, or one that cannot be read."""
    try:
        message = referee_pb2.BotMessage.FromString(data)
    except DecodeError:
        return None
    return message.presence if message.WhichOneof("body") == "presence" else None
