"""
Tables of studies: positions in an order, each with a title and a comment, by one account.

A position is stored as the text of its address (`referee.replay.position`). A puzzle has a row of `puzzles`, too.
"""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.models import Base
from ladder.values.names import NAME_LENGTH
from ladder.values.studies import MAX_TITLE


class Study(Base):
    """One study."""

    __tablename__ = "studies"
    __table_args__ = (
        Index("ix_studies_owner", "owner_id", "id"),
        Index("ix_studies_public", "public", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(16), unique=True)
    """In its address; it cannot be guessed."""
    owner_id: Mapped[int] = mapped_column(ForeignKey("accounts.owner_id"))
    title: Mapped[str] = mapped_column(String(MAX_TITLE))
    public: Mapped[bool]
    """True if it is listed; else only those who know its address find it."""
    added: Mapped[float]
    changed: Mapped[float]


class StudyPosition(Base):
    """One position of a study."""

    __tablename__ = "study_positions"
    __table_args__ = (
        Index("ix_study_positions_study", "study_id", "place"),
        {"sqlite_autoincrement": True},  # an address never leads to another position
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    study_id: Mapped[int] = mapped_column(ForeignKey("studies.id"))
    place: Mapped[int]
    """Order within the study; numbers may be missing."""
    title: Mapped[str] = mapped_column(String(MAX_TITLE))
    comment: Mapped[str] = mapped_column(Text)
    variant: Mapped[str] = mapped_column(String(NAME_LENGTH))
    """The ladder need not play it any more."""
    hands: Mapped[str] = mapped_column(Text)
    moves: Mapped[str] = mapped_column(Text)
    deal: Mapped[int]
    """Number of the deal, from 0."""
    leader: Mapped[int | None]
    puzzle_id: Mapped[int | None] = mapped_column(ForeignKey("puzzles.id"))
    """None: it is open to all."""
