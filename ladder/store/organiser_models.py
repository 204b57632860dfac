"""Tables of what organisers write and set for all contestants."""

from __future__ import annotations

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.models import Base
from ladder.values.announcements import MAX_TITLE
from ladder.values.names import NAME_LENGTH


class Announcement(Base):
    """A text of the organiser, with the time at which it was published."""

    __tablename__ = "announcements"
    __table_args__ = ({"sqlite_autoincrement": True},)  # an address never leads to another one

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    title: Mapped[str] = mapped_column(String(MAX_TITLE))
    text: Mapped[str] = mapped_column(Text)
    """In Markdown."""


class Deadline(Base):
    """A time after which submissions for a variant are refused."""

    __tablename__ = "deadlines"

    variant: Mapped[str] = mapped_column(String(NAME_LENGTH), primary_key=True)
    """Empty: of every variant that has none of its own. The ladder need not play it yet."""
    at: Mapped[float]
