"""Messages of a person's seat only: what the person is shown, and whether the person is present."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from pigpen.v1 import referee_pb2
from pigpen.values.seen import Seen
from pigpen.wire.messages import fill_view, view_of

if TYPE_CHECKING:
    from pigpen.rules import Rules

HERE = referee_pb2.PRESENCE_STATE_HERE
AWAY = referee_pb2.PRESENCE_STATE_AWAY
READY = referee_pb2.PRESENCE_STATE_READY
ASKS_WHY = referee_pb2.PRESENCE_STATE_ASKS_WHY


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
