"""
Tables of computations that visitors of the site have asked for, and of puzzles.

The answers of computations are kept. Together with its status `computations` is a queue, as matches, submissions and
tables are. Puzzles come from the ladder's records, and from studies; kept with them are the matches that have been
looked at for puzzles, and visitors' answers.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.account_models import HASH_LENGTH
from ladder.store.models import Base, LeasedRow
from ladder.values.names import NAME_LENGTH

UNANSWERED = "status IN ('queued', 'leased')"
"""Computations that are to be made."""
VISITOR_LENGTH = 128


class Computation(LeasedRow, Base):
    """One question, however many ask it."""

    __tablename__ = "computations"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'leased', 'ended')", name="status"),
        CheckConstraint("lane IN ('short', 'long')", name="lane"),
        Index("ix_computations_visitor", "visitor", "started"),
        Index("ix_computations_finished", "finished"),
        {"sqlite_autoincrement": True},  # number and attempt are the fence, also when the row is forgotten
    )

    key: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    """Equal questions have the same one."""
    lane: Mapped[str] = mapped_column(String(16))
    """Process that answers it (`ladder.values.questions.Lane`)."""
    question: Mapped[dict[str, Any]]
    """Content of the question; empty after the end."""
    state: Mapped[str] = mapped_column(String(HASH_LENGTH))
    """State of things that is asked about; when that changes, the question is put again, and keeps its old answer."""
    visitor: Mapped[str] = mapped_column(String(VISITOR_LENGTH))
    """The account or address whose place in the queue it takes; empty some time after the end."""
    done: Mapped[int] = mapped_column(default=0)
    steps: Mapped[int] = mapped_column(default=0)
    """Number of steps of the attempt, of which `done` are done; 0: not known."""
    added: Mapped[float]
    """Unix time at which the question was put, about the present `state`."""
    started: Mapped[float | None]
    finished: Mapped[float | None]
    answer: Mapped[str | None]
    answered: Mapped[str] = mapped_column(String(HASH_LENGTH), default="")
    """The state that `answer` is about; empty: there is none."""
    size: Mapped[int] = mapped_column(default=0)
    """Bytes of the answer, about."""


PUZZLE_VISITOR_LENGTH = HASH_LENGTH + NAME_LENGTH


class StoredPuzzle(Base):
    """One decision."""

    __tablename__ = "puzzles"
    __table_args__ = (
        Index("ix_puzzles_variant", "variant", "id"),
        {"sqlite_autoincrement": True},  # an address never leads to another puzzle
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    match_id: Mapped[int | None] = mapped_column(ForeignKey("matches.id"))
    """None: it is a position of a study (`StudyPosition`), and in no list of puzzles."""
    variant: Mapped[str] = mapped_column(String(NAME_LENGTH))
    """The ladder need not play it, if it is a position of a study."""
    found: Mapped[dict[str, Any]]
    """`ladder.values.why.FoundPuzzle`, field for field."""
    trick: Mapped[int]
    bots: Mapped[int]
    """Number of bots that have decided it: the one that sat there, if any did, and the house bots."""
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
    visitor: Mapped[str] = mapped_column(String(PUZZLE_VISITOR_LENGTH), primary_key=True)
    """`account NAME`, or the hash of what tells a guest from others."""
    choice: Mapped[str] = mapped_column(String(8))
    is_right: Mapped[bool]
    at: Mapped[float]
