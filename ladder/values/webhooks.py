"""Webhooks: where the ladder sends messages, and about what."""

from __future__ import annotations

import enum

from ladder.values.value import Time, Value


class MessageKind(enum.StrEnum):
    """Subject of a message; nothing in it is more than the public may know when it is written."""

    EVENT_OPENED = "event.opened"
    """Registration is open."""
    ENTRY_MADE = "event.entry_made"
    """A bot has entered; this and the next three are of events whose list follows from the entries of the chain."""
    ENTRY_CHECKED_IN = "event.entry_checked_in"
    ENTRY_WITHDRAWN = "event.entry_withdrawn"
    """Before the list is final."""
    EVENT_HELD = "event.held"
    """The times of the file do nothing, until the organiser freezes or starts the event."""
    EVENT_FROZEN = "event.frozen"
    """The list of entrants is final."""
    EVENT_STARTED = "event.started"
    STAGE_BEGUN = "event.stage_begun"
    """The first round of a stage is drawn."""
    ROUND_DRAWN = "event.round_drawn"
    RESULT_SHOWN = "event.result_shown"
    """The result of a table is public; sent again if the table is played again, or the organiser rules about it."""
    TABLE_REDONE = "event.table_redone"
    """The organiser lets a table be played again."""
    BOT_LEFT = "event.bot_left"
    """A stand-in replaces a bot from the next round on."""
    ROUND_OVER = "event.round_over"
    """All results of a round are public."""
    EVENT_PAUSED = "event.paused"
    EVENT_RESUMED = "event.resumed"
    """It runs again: after a pause, or because a ruling about an event that was over has changed its course."""
    EVENT_OVER = "event.over"
    """All results are public, and every entrant has a place."""
    EVENT_OFFICIAL = "event.official"
    """The time for appeals has ended; nothing changes any more."""
    BOT_ENTERED = "bot.entered"
    """A version has been accepted, or has come back."""
    BOT_SUSPENDED = "bot.suspended"
    TEST = "webhook.test"
    """An organiser tests the webhook; sent whatever it is for."""


BOT_KINDS = (MessageKind.BOT_ENTERED, MessageKind.BOT_SUSPENDED)
"""Messages that are about no event."""
ENTRY_KINDS = (MessageKind.ENTRY_MADE, MessageKind.ENTRY_CHECKED_IN, MessageKind.ENTRY_WITHDRAWN)
"""Messages about one entry, before the list of entrants is final."""
CHOICES = tuple(kind for kind in MessageKind if kind is not MessageKind.TEST)
"""Kinds of messages that a webhook can be for."""
MAX_URL = 2000
"""Characters of a webhook's address."""


class WebhookRow(Value):
    """A webhook."""

    number: int
    url: str
    event: str | None
    """Only messages about this event; None: about all, and about bots."""
    kinds: tuple[MessageKind, ...]
    """Only these messages; none: all."""
    added: Time
    disabled: Time | None
    """Since when nothing is sent; None: messages are sent."""
    reason: str
    """Reason that it is disabled, or that the last attempt failed; else empty."""
    delivered: Time | None
    """Time at which a message was accepted last."""
    waiting: int
    """Messages that are to be sent, or sent again."""
    given_up: int
    """Messages of the last weeks that are not sent again."""


class WebhookAdded(WebhookRow):
    """A new webhook."""

    secret: str
    """With it the receiver verifies signatures; it is shown this once."""


class WebhookTested(Value):
    """Result of a test."""

    number: int
    accepted: bool
    sentence: str
    """Answer of the receiver, or the reason that there was none."""
