"""
Events on a ladder: their files, entrants, rounds and tables. The matches of their tables are in the ladder's queue.

The order of an event is not stored: it follows from these rows (`ladder.events.held`).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.models import Base
from ladder.values.names import NAME_LENGTH


class EventEntry(Base):
    """A bot in an event; its version stays, whatever becomes of it on the ladder."""

    __tablename__ = "event_entries"
    __table_args__ = (UniqueConstraint("event_id", "version_id"),)

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 1, in order of entry."""
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    name: Mapped[str] = mapped_column(String(NAME_LENGTH))
    owner: Mapped[str] = mapped_column(String(NAME_LENGTH))
    """The owner's code (`ladder.values.names.owner_code`): the chain has it, too, and no name is in there."""
    rating: Mapped[float | None]
    """Elo at the freeze, as it is shown."""
    identity: Mapped[str] = mapped_column(default="")
    """That of the version at the freeze; empty: the list is not final."""
    commitment: Mapped[str] = mapped_column(String(64))
    """SHA-256 of its nonce."""
    nonce: Mapped[str | None] = mapped_column(String(64))
    """Hex; None: it has not been revealed. One that the ladder has made is secret until the list is final."""
    has_own_nonce: Mapped[bool]
    """True if the entrant has made the nonce, and not the ladder."""
    entered: Mapped[float]
    checked_in: Mapped[float | None]
    """None: it has not checked in, or there is no check-in."""
    checked_in_by: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    """The account's code; empty: a person on the ladder's machine."""
    left_after: Mapped[int | None]
    """It has left: the rounds that had been drawn then."""


class EventRound(Base):
    """A round that has been drawn."""

    __tablename__ = "event_rounds"

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 1, within the event."""
    stage: Mapped[int]
    """Its place in the file, from 0."""
    round: Mapped[int]
    """From 1, within the stage."""
    kind: Mapped[str] = mapped_column(String(16))
    boards: Mapped[int | None]
    """Of each match; None: a game."""
    cost: Mapped[list[int]]
    bound: Mapped[list[int]]
    method: Mapped[str] = mapped_column(String(16))
    drawn: Mapped[float]


class EventTable(Base):
    """A match at one table of a round; of several the last one counts."""

    __tablename__ = "event_tables"
    __table_args__ = (UniqueConstraint("match_id"),)

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    """`EventRound.number`."""
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 1."""
    turn: Mapped[int] = mapped_column(primary_key=True)
    """From 0; more than 0: the organiser has let the table be played again."""
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    entrants: Mapped[list[int]]
    """Entrants that sit there, by number; negative numbers are stand-ins."""
    boards: Mapped[list[list[int]] | None] = mapped_column(JSON)
    """The points of each on each board, more being better (`MatchSummary.totals`); None: not played yet."""
    deals: Mapped[int | None]
    taken_over: Mapped[list[int]] = mapped_column(JSON, default=list)
    """Entrants for which the default policy has decided in the end, by number."""
    record: Mapped[str | None] = mapped_column(String(64))
    """SHA-256 of the match's record, as it is kept; None: not played yet."""
    redo: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    """The reason that it is played again, `ladder.events.held.Redo`, field for field; None: it is the first turn."""
    rulings: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    """`ladder.events.held.Ruling`, field for field."""


class EventLink(Base):
    """A link of an event's chain: what has become public, in order (`ladder.events.chain`)."""

    __tablename__ = "event_links"

    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    at: Mapped[str] = mapped_column(String(40))
    """ISO 8601, in UTC."""
    data: Mapped[str]
    """JSON, as it was hashed."""
    hash: Mapped[str] = mapped_column(String(64))
