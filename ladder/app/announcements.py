"""Announcements of the organiser, for the front page, a page of their own, and a feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.entry.policy import Act, check
from ladder.errors import UserError
from ladder.store.commands import organiser_rows as commands
from ladder.store.commands.accounts import write_audit
from ladder.values.announcements import MAX_TEXT, MAX_TITLE
from ladder.values.text import unprintable

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer
    from ladder.values.announcements import AnnouncementRow

NO_TITLE = "The title of an announcement is one line of text, but this one is empty."
ODD_TITLE = "The title of an announcement is one line of text, but this one has {odd}, which cannot be printed."
LONG_TITLE = "The title of an announcement has at most {limit} characters, but this one {found}."
ODD_TEXT = "The text of an announcement cannot be shown: it has {odd}, which cannot be printed."
LONG_TEXT = "The text of an announcement has at most {limit:,} characters, but this one {found:,}."
LINES = str.maketrans("\n\t", "  ")


def announce(ladder: Ladder, viewer: Viewer, title: str, text: str = "") -> AnnouncementRow:
    """
    Publish an announcement.

    Args:
        ladder: The ladder.
        viewer: The caller.
        title: One line.
        text: In Markdown; may be empty.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there are too many announcements.
        UserError: If the title or the text cannot be.
    """
    check(viewer, Act.ADMINISTER)
    title, text = checked_title(title), checked_text(text)
    with ladder.database.write() as session:
        row = commands.add_announcement(session, title, text, ladder.clock())
        write_audit(session, viewer, "announcement.add", str(row.number), ladder.clock(), title=title)
        return row


def remove(ladder: Ladder, viewer: Viewer, number: int) -> AnnouncementRow:
    """
    Remove an announcement.

    Raises:
        Forbidden: If the viewer is not an organiser.
        LadderError: If there is none of that number.
    """
    check(viewer, Act.ADMINISTER)
    with ladder.database.write() as session:
        row = commands.remove_announcement(session, number)
        write_audit(session, viewer, "announcement.remove", str(number), ladder.clock(), title=row.title)
        return row


def announcements(ladder: Ladder, first: int | None = None) -> list[AnnouncementRow]:
    """Read announcements, the newest first; with *first*, that many at most."""
    with ladder.database.read() as session:
        return commands.all_announcements(session, first)


def checked_title(title: str) -> str:
    """
    Give a title as it is stored.

    Raises:
        UserError: If it cannot be one.
    """
    title = title.strip()
    if not title:
        raise UserError(NO_TITLE)
    if odd := unprintable(title):
        raise UserError(ODD_TITLE, odd=odd)
    if len(title) > MAX_TITLE:
        raise UserError(LONG_TITLE, limit=MAX_TITLE, found=len(title))
    return title


def checked_text(text: str) -> str:
    """
    Give a text as it is stored.

    Raises:
        UserError: If it cannot be one.
    """
    text = text.replace("\r\n", "\n").strip()
    if odd := unprintable(text.translate(LINES)):
        raise UserError(ODD_TEXT, odd=odd)
    if len(text) > MAX_TEXT:
        raise UserError(LONG_TEXT, limit=MAX_TEXT, found=len(text))
    return text
