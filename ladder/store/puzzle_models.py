"""Puzzles from the ladder's records, which matches have been looked at for them, and visitors' answers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.account_models import HASH_LENGTH
from ladder.store.models import Base
from ladder.values.names import NAME_LENGTH

VISITOR_LENGTH = HASH_LENGTH + NAME_LENGTH


class StoredPuzzle(Base):
    """One decision."""

    __tablename__ = "puzzles"
    __table_args__ = (
        Index("ix_puzzles_variant", "variant", "id"),
        {"sqlite_autoincrement": True},  # an address never leads to another puzzle
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"))
    found: Mapped[dict[str, Any]]
    """`ladder.values.why.FoundPuzzle`, field for field."""
    trick: Mapped[int]
    bots: Mapped[int]
    """Number of bots that have decided it: the one that sat there, and the house bots."""
    bots_right: Mapped[int]
    people: Mapped[int] = mapped_column(default=0)
    """Number of people who have answered it."""
    people_right: Mapped[int] = mapped_column(default=0)
    added: Mapped[float]


class PuzzleLook(Base):
    """Range of results of a variant that have been looked at: some from `oldest` to `newest`, as there was time for."""

    __tablename__ = "puzzle_looks"
    __table_args__ = ({"sqlite_with_rowid": False},)

    variant: Mapped[str] = mapped_column(ForeignKey("variants.name"), primary_key=True)
    newest: Mapped[int]
    """The ordinal of a match (`StoredMatch.ordinal`)."""
    oldest: Mapped[int]
    """The same; 0: no older one can be looked at."""
    at: Mapped[float]
    """Unix time at which the last look began."""


class StoredPuzzleAnswer(Base):
    """A visitor's first answer to a puzzle."""

    __tablename__ = "puzzle_answers"
    __table_args__ = (
        Index("ix_puzzle_answers_visitor", "visitor", "at"),
        Index("ix_puzzle_answers_at", "at"),
        {"sqlite_with_rowid": False},
    )

    puzzle_id: Mapped[int] = mapped_column(ForeignKey("puzzles.id"), primary_key=True)
    visitor: Mapped[str] = mapped_column(String(VISITOR_LENGTH), primary_key=True)
    """`account NAME`, or the hash of what tells a guest from others."""
    choice: Mapped[str] = mapped_column(String(8))
    is_right: Mapped[bool]
    at: Mapped[float]
