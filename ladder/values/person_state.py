"""
State of a table with people, as those who look at it receive it: browsers and terminals.

Each message holds the whole state, and the newest one counts. Spectators receive a `TableShown`, which holds only
information that all seats there can see; the person in a chair a `PersonState`, which is the same with its own hand and
what it is asked.
"""

from __future__ import annotations

from typing import Literal

from ladder.values.value import Value
from referee.replay.table_view import Cards, TableDeal, TableMoment, TableTrick

Phrase = Literal["good-luck", "well-played", "bad-luck", "thanks", "one-moment", "goodbye"]
"""Phrases that people at a table may send to each other, between deals."""


class PersonBar(Value):
    """Reason that a card may not be played."""

    bar: str
    """As `ladder.people.seat.illegal_cards.Bar` names it."""
    names: tuple[str, ...]
    """
    The cards and suits that it is about, as rules name them, `QS` and `hearts`.

    The suit that was led; the card that must be led; what may not be played to the first trick; what allows the suit to
    be led.
    """


class PersonQuestion(Value):
    """The decision that the person is to make."""

    decision: int
    """Its number, which the answer repeats."""
    kind: Literal["pass", "expose", "play", "moon"]
    limit: float
    """Seconds that it may take in all."""
    left: float | None
    """
    Seconds that are left of them when this is sent; then the default is played.

    None: there is no clock, or it has stopped.
    """
    legal: Cards
    """The cards that may be chosen."""
    count: int
    """Number of cards to pass; 0 where none are."""
    pass_to: int | None
    """Seat that gets the passed cards; None where something else is asked."""
    faces: tuple[Literal["up", "down"], ...]
    """Ways in which cards may be exposed."""
    why: dict[str, PersonBar]
    """Of each card of the hand that may not be played why not."""
    claim: bool
    """True if no points remain, so that it does not matter how the deal is played on."""


class PersonNotice(Value):
    """Something that has happened besides the game."""

    number: int
    """Counts up."""
    kind: Literal["default", "resumed", "taken_back", "phrase"]
    """
    The default was played for the person; the table resumes after an interruption; a decision was taken back; a person
    at the table has sent a phrase.
    """
    verdict: str
    """Of the default why: `timeout`, `illegal` or `malformed`; else empty."""
    action: str
    """Action that was played, as in a record; empty if that is nothing, or not known."""
    text: str
    """Fault of the answer, in English words; empty if there was none."""
    who: str
    """The name of the player whose phrase it is; else empty."""
    phrase: Phrase | None
    """None where it is no phrase."""


class PersonPoints(Value):
    """A part of a seat's score; all of them add up to it."""

    reason: str
    """As `ladder.people.seat.points_explained.Reason` names it."""
    points: int
    card: str
    """Empty where it is no card's."""
    factor: int


class SheetRow(Value):
    """The points of one deal, by seat."""

    deal: int
    scores: tuple[int, ...]
    totals: tuple[int, ...]


class PersonResult(SheetRow):
    """Result of a deal, shown until the person continues."""

    parts: tuple[tuple[PersonPoints, ...], ...]
    """Parts that each seat's score is made of."""
    shooter: int | None
    """Seat that has shot the moon."""


class PersonOver(Value):
    """Result of the game."""

    place: int
    """The person's, 1 the best."""
    totals: tuple[int, ...]
    verify: str
    """Address where the record is verified; empty if there is none."""
    compare: str
    """Address where the result is compared with others; empty if there is none."""


class TableShown(Value):
    """A table that is played, as one who looks at it may see it: a spectator, or a person in a chair."""

    number: int
    """Counts up for each who looks, with gaps; a state with a lower one than another is older."""
    status: Literal["waiting", "starting", "playing", "paused", "resuming", "unserved", "over", "ended"]
    """
    State of the table, in this order: people are still to come, it is about to play, plays, waits for its one person,
    is being started again after an interruption, waits because no process runs that plays tables, has been played to
    its end, was given up.
    """
    reason: str
    """Reason that it was given up, in a sentence; else empty."""
    delay: float
    """By how many seconds this is late."""
    deal: TableDeal | None
    """None before the first cards are dealt."""
    moment: TableMoment | None
    """For spectators no hand is known; exposed cards are."""
    last_trick: TableTrick | None
    """The last whole trick."""
    sheet: tuple[SheetRow, ...]
    """All deals that are over."""


ENDS = frozenset({"over", "ended"})
"""Values of `TableShown.status` after which nothing more will come."""


class PersonState(TableShown):
    """The table as the person in one chair may see it, and what the person is asked."""

    connected: bool
    """True if the site is connected to the table; if not, the last known state is shown."""
    away: bool
    """True if the default policy plays for the person; where the table waits for it, if it waits now."""
    waits: bool
    """True if the table waits while the person is away: all others are bots."""
    practice: bool
    assisted: bool
    """True if a decision was taken back or asked about."""
    question: PersonQuestion | None
    result: PersonResult | None
    notices: tuple[PersonNotice, ...]
    """The newest few, the newest last."""
    over: PersonOver | None
