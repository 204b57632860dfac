"""
Notices by e-mail, each written in the transaction that does what it is about: to the owner of a bot, to all entrants.

Nothing of it is written to accounts without a confirmed address, or that do not want it (`letters.post_notice`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store.commands.letters import DAY, post_notice
from ladder.store.models import Owner, StoredBot
from ladder.store.organiser_models import Deadline
from ladder.values.mail import LetterKind
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy.orm import Session

    from ladder.store.account_models import StoredSubmission
    from ladder.store.event_models import EventEntry
    from ladder.store.models import StoredEvent

AHEAD_SECONDS = DAY
"""Seconds before a deadline at which letters about it are written."""
ROUND_SECONDS = DAY / 4
"""Seconds after which a letter about a round comes too late."""


def notice_suspended(session: Session, bot: str, variant: str, reason: str, now: float) -> None:
    """Write to the owner of a bot that it is suspended."""
    found = session.execute(select(StoredBot.id, StoredBot.owner_id).where(StoredBot.name == bot)).one()
    data = {"bot": bot, "variant": variant, "reason": reason}
    post_notice(session, LetterKind.BOT_SUSPENDED, f"{found.id} {variant} {now:.3f}", now, [found.owner_id], data)


def notice_submission(session: Session, row: StoredSubmission, status: str, now: float) -> None:
    """Write to an account how a submission has ended."""
    owner = session.scalar(select(Owner.id).where(Owner.name == row.owner))
    if owner is not None:
        data = {"bot": row.bot, "number": row.id, "status": str(status)}
        post_notice(session, LetterKind.SUBMISSION, str(row.id), now, [owner], data)


def notice_begun(session: Session, event: StoredEvent, title: str, entries: Sequence[EventEntry], now: float) -> None:
    """Write to the owners of an event's entrants that it begins."""
    _to_entrants(session, LetterKind.EVENT, event, title, entries, None, now)


def notice_round(
    session: Session,
    event: StoredEvent,
    title: str,
    entries: Sequence[EventEntry],
    number: int,
    playing: Collection[int],
    now: float,
) -> None:
    """Write to the owners of those who play in a round that it is drawn; *playing*: their numbers."""
    _to_entrants(
        session, LetterKind.ROUND, event, title, [one for one in entries if one.number in playing], number, now
    )


def _to_entrants(
    session: Session,
    kind: LetterKind,
    event: StoredEvent,
    title: str,
    entries: Sequence[EventEntry],
    number: int | None,
    now: float,
) -> None:
    bots: dict[int, list[str]] = {}
    for one in entries:
        bots.setdefault(int(one.owner.removeprefix("#")), []).append(one.name)
    key = f"{event.id}" if number is None else f"{event.id} {number}"
    seconds = DAY if number is None else ROUND_SECONDS
    for owner, names in bots.items():
        data = {"event": event.name, "title": title, "bots": ", ".join(names), "number": number}
        post_notice(session, kind, key, now, [owner], data, seconds)


def notice_deadlines(session: Session, now: float) -> None:
    """Write to all who want it that submissions close within a day; done again, it writes nothing."""
    near = select(Deadline).where(Deadline.at > now, Deadline.at <= now + AHEAD_SECONDS).order_by(Deadline.variant)
    for each in session.scalars(near).all():
        data = {"variant": each.variant, "at": time_of(each.at).isoformat()}
        post_notice(
            session, LetterKind.DEADLINE, f"{each.variant} {each.at:.0f}", now, None, data, each.at - now
        )  # fmt: skip
