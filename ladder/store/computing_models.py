"""
Computations that visitors of the site have asked for, and the answers that are kept.

Together with its status `computations` is a queue, as matches, submissions and tables are.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.account_models import HASH_LENGTH
from ladder.store.models import Base, LeasedRow

UNANSWERED = "status IN ('queued', 'leased')"
"""Computations that are to be made."""
VISITOR_LENGTH = 128


class Computation(LeasedRow, Base):
    """One question, however many ask it."""

    __tablename__ = "computations"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'leased', 'ended')", name="status"),
        CheckConstraint("lane IN ('short', 'long')", name="lane"),
        Index("ix_computations_open", "id", sqlite_where=text(UNANSWERED), postgresql_where=text(UNANSWERED)),
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
