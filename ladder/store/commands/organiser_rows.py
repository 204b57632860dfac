"""Rows that organisers write for all contestants: announcements and deadlines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from ladder.errors import LadderError
from ladder.store.organiser_models import Announcement, Deadline
from ladder.values.announcements import AnnouncementRow
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

MAX_ANNOUNCEMENTS = 100
"""Of a ladder; one page has all of them."""
FULL = (
    "There are {limit} announcements, the most that a ladder may have. Remove one: "
    "pigpen ladder announcement remove NUMBER"
)
NO_ANNOUNCEMENT = "There is no announcement {number}. To list all: pigpen ladder announcement list"


def add_announcement(session: Session, title: str, text: str, now: float) -> AnnouncementRow:
    """
    Add an announcement.

    Raises:
        LadderError: If there are too many.
    """
    if session.execute(select(func.count(Announcement.id))).scalar_one() >= MAX_ANNOUNCEMENTS:
        raise LadderError(FULL, limit=MAX_ANNOUNCEMENTS)
    made = Announcement(at=now, title=title, text=text)
    session.add(made)
    session.flush()
    return _row(made)


def remove_announcement(session: Session, number: int) -> AnnouncementRow:
    """
    Remove an announcement.

    Raises:
        LadderError: If there is none of that number.
    """
    found = session.get(Announcement, number)
    if found is None:
        raise LadderError(NO_ANNOUNCEMENT, number=number)
    session.delete(found)
    return _row(found)


def all_announcements(session: Session, first: int | None = None) -> list[AnnouncementRow]:
    """Read announcements, the newest first; with *first*, that many at most."""
    wanted = select(Announcement).order_by(Announcement.id.desc()).limit(first)
    return [_row(each) for each in session.scalars(wanted)]


def _row(stored: Announcement) -> AnnouncementRow:
    return AnnouncementRow(number=stored.id, at=time_of(stored.at), title=stored.title, text=stored.text)


def set_deadline(session: Session, variant: str, at: float) -> None:
    """Set the deadline of a variant, in the place of the one that it may have."""
    session.merge(Deadline(variant=variant, at=at))
    session.flush()


def lift_deadlines(session: Session, variants: Iterable[str]) -> None:
    """Lift the deadlines of variants."""
    session.execute(delete(Deadline).where(Deadline.variant.in_(list(variants))))
