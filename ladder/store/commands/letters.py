"""
Outbox of e-mail (`ladder.store.leases`), as that of webhooks: letters that are written, sent next, accepted or refused.

Each function needs a transaction that writes, but for those that read. A notice is written by `post_notice` in the
transaction that does what it is about. For each reason there is one letter: writing it again does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, or_, select, text, update

from ladder.store.account_models import Account
from ladder.store.leases import Lease, LeaseQueue
from ladder.store.mail_models import UNSENT_LETTERS, Letter, MailAddress
from ladder.values.mail import NOTICES, WARNINGS, LetterKind, MailStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.orm import Session

DAY = 86_400.0
DELIVERED_SECONDS, GIVEN_UP_SECONDS = 7 * DAY, 30 * DAY
"""Seconds for which a line about a letter is kept that was sent, or given up; not its address, nor its text."""
MAX_REFUSALS = 3
"""After this number of letters in a row of which the server says that there is no such address, none goes there."""
NOTICES_SHARE = 0.9
"""Part of the letters of a day that notices may be: the rest is for links that people ask for."""
TOO_LATE = "It could not be sent in time."
NO_ADDRESS = "The account has no confirmed address any more, or does not want such letters."


def _leaving(session: Session, row: Letter, status: str, now: float) -> None:
    """Note when a letter has ended, and forget its text."""
    if status in ("delivered", "given_up"):
        row.finished, row.address, row.data = now, None, {}


LETTERS = LeaseQueue(
    Letter,
    ready="queued",
    leased="leased",
    given_up="given_up",
    ready_rows=f"{UNSENT_LETTERS} AND status = 'queued'",
    leased_rows=f"{UNSENT_LETTERS} AND status = 'leased'",
    lost_reason="The process that sent it has ended.",
    leaving=_leaving,
)


@dataclass(frozen=True)
class LetterLease(Lease):
    """One attempt to send a letter."""

    kind: LetterKind
    key: str
    address: str
    language: str
    data: Mapping[str, Any]
    refusals: int
    """Attempts before that were refused for this letter."""
    owner: int
    salt: str
    """Of the links that end such letters; empty: it has no such link."""


def post_letter(
    session: Session,
    kind: LetterKind,
    key: str,
    now: float,
    *,
    owner: int | None,
    address: str | None,
    language: str,
    data: Mapping[str, Any],
    seconds: float = DAY,
) -> bool:
    """
    Write a letter, unless there is one for this reason.

    Args:
        session: The transaction that does what the letter is about.
        kind: Its kind.
        key: Its reason, such as `submission 17`.
        now: Unix time.
        owner: Whose account it is about; None: not known yet.
        address: To which it goes; None: not known yet.
        language: In which it is written.
        data: Values of its template.
        seconds: Seconds after which it is not sent any more.

    Returns:
        False if there is one.
    """
    key = f"{kind} {key}"
    if session.scalar(select(Letter.id).where(Letter.key == key)) is not None:
        return False
    row = Letter(
        owner_id=owner, kind=str(kind), key=key, address=address, language=language, data=dict(data), added=now,
        due=now, until=now + seconds, status=LETTERS.ready,
    )  # fmt: skip
    session.add(row)
    session.flush()
    return True


def post_notice(
    session: Session,
    kind: LetterKind,
    key: str,
    now: float,
    owners: Collection[int] | None,
    data: Mapping[str, Any],
    seconds: float = DAY,
) -> None:
    """
    Write a notice to each account that has a confirmed address, wants such letters, and is not disabled.

    Args:
        session: The transaction that does what the letter is about.
        kind: One of `NOTICES`.
        key: Its reason.
        now: Unix time.
        owners: Whose accounts it is for; a team's members for their team; None: for all.
        data: Values of its template.
        seconds: Seconds after which it is not sent any more.
    """
    wanted = select(MailAddress).join(Account, Account.owner_id == MailAddress.owner_id)
    wanted = wanted.where(MailAddress.address.is_not(None), MailAddress.refusals < MAX_REFUSALS)
    wanted = wanted.where(Account.disabled.is_(None))
    if owners is not None:
        members = select(Account.owner_id).where(Account.team_id.in_(owners))
        wanted = wanted.where(or_(MailAddress.owner_id.in_(owners), MailAddress.owner_id.in_(members)))
    for each in session.scalars(wanted.order_by(MailAddress.owner_id)).all():
        if kind in each.notices:
            post_letter(
                session, kind, f"{key} to {each.owner_id}", now, owner=each.owner_id, address=each.address,
                language=each.language, data=data, seconds=seconds,
            )  # fmt: skip


def take_requests(session: Session, now: float) -> list[str]:
    """Remove the requests of visitors for links, and say whom they mean: names or addresses, as they were written."""
    rows = select(Letter).where(text(LETTERS.ready_rows), Letter.kind == LetterKind.FORGOTTEN)
    found = session.scalars(rows.order_by(Letter.id)).all()
    asked = [str(row.data["asked"]) for row in found if row.until >= now]
    for row in found:
        session.delete(row)
    session.flush()
    return asked


def count_since(session: Session, owner: int, kind: LetterKind, since: float) -> int:
    """Count the letters of a kind to an account that were written since a Unix time."""
    counted = select(func.count()).where(Letter.owner_id == owner, Letter.kind == kind, Letter.added > since)
    return session.execute(counted).scalar_one()


def has_any(session: Session) -> bool:
    """Tell whether there is any letter, or an address to which one could go; a transaction that reads will do."""
    first = select(Letter.id).limit(1), select(MailAddress.owner_id).limit(1)
    return any(session.scalar(each) is not None for each in first)


def next_due(session: Session, now: float, count: int, a_day: int) -> list[int]:
    """
    Find letters that are to be sent now, links that people ask for first; a transaction that reads will do.

    Args:
        session: The transaction.
        now: Unix time.
        count: How many at most.
        a_day: Letters that may be sent in 24 hours; of notices, `NOTICES_SHARE` of that.
    """
    spent = _sent_since(session, now - DAY) + len(LETTERS.attempts(session))
    due = select(Letter.id).where(text(LETTERS.ready_rows), Letter.due <= now).order_by(Letter.due, Letter.id)
    links = list(session.scalars(due.where(Letter.kind.not_in(NOTICES)).limit(max(0, min(count, a_day - spent)))))
    room = min(count, int(a_day * NOTICES_SHARE) - spent) - len(links)
    return links + list(session.scalars(due.where(Letter.kind.in_(NOTICES)).limit(max(0, room))))


def _sent_since(session: Session, since: float) -> int:
    sent = select(func.count()).where(
        Letter.status == "delivered", Letter.finished >= since, Letter.owner_id.is_not(None)
    )
    return session.execute(sent).scalar_one()


def claim(session: Session, holder: str, now: float, seconds: float, count: int, a_day: int) -> Sequence[LetterLease]:
    """
    Lease letters that are to be sent now; those that come too late, or are not wanted any more, are given up.

    Args:
        session: A transaction that writes.
        holder: The process that sends them (`owners.this_process`).
        now: Unix time.
        seconds: Seconds for which a lease is valid, if it is not renewed.
        count: How many at most.
        a_day: Letters that may be sent in 24 hours.
    """
    for late in session.scalars(select(Letter).where(text(LETTERS.ready_rows), Letter.until < now)).all():
        LETTERS.end(session, late, LETTERS.given_up, now, late.reason or TOO_LATE)
    leases = []
    for number in next_due(session, now, count, a_day):
        row = session.get_one(Letter, number)
        known = session.get(MailAddress, row.owner_id)
        kind, is_notice = LetterKind(row.kind), row.kind in NOTICES
        if row.address is None or row.owner_id is None or (is_notice and (known is None or kind not in known.notices)):
            LETTERS.end(session, row, LETTERS.given_up, now, NO_ADDRESS)
            continue
        LETTERS.take(session, row, holder, now + seconds)
        salt = known.salt if known is not None and is_notice else ""
        leases.append(
            LetterLease(
                row.id,
                row.attempt,
                kind,
                row.key,
                row.address,
                row.language,
                row.data,
                row.refusals,
                row.owner_id,
                salt,
            )
        )
    return leases


def accept(session: Session, lease: LetterLease, now: float) -> bool:
    """Note that the server has accepted a letter; say whether the lease still held."""
    row = LETTERS.held(session, lease)
    if row is not None:
        _count_refusals(session, lease, 0)
        LETTERS.end(session, row, "delivered", now)
    return row is not None


def refuse(session: Session, lease: LetterLease, reason: str, now: float, again: float | None) -> None:
    """
    Note that the server has refused a letter, and would take others.

    Args:
        session: A transaction that writes.
        lease: The attempt.
        reason: Why, in a sentence without an address.
        now: Unix time.
        again: Seconds until the next attempt; None: it is given up.
    """
    row = LETTERS.held(session, lease)
    if row is None:
        return
    row.refusals += 1
    if again is None:
        LETTERS.end(session, row, LETTERS.given_up, now, reason)
    else:
        row.reason, row.due = reason, now + again
        LETTERS.release(session, row, now)


def refuse_address(session: Session, lease: LetterLease, reason: str, now: float) -> None:
    """Note that the server says that there is no such address: this letter is given up; after `MAX_REFUSALS`, all."""
    if LETTERS.held(session, lease) is not None:
        refuse(session, lease, reason, now, None)
        if _count_refusals(session, lease, 1) >= MAX_REFUSALS:
            forget_letters(session, lease.owner)


def hold_all(session: Session, lease: LetterLease, reason: str, now: float, again: float) -> None:
    """Note that the server takes no letters at all: this one, and all that wait, are sent after *again* seconds."""
    row = LETTERS.held(session, lease)
    if row is not None:
        LETTERS.release(session, row, now)
    waiting = text(LETTERS.ready_rows), Letter.due < now + again
    session.execute(update(Letter).where(*waiting).values(due=now + again, reason=reason))


def _count_refusals(session: Session, lease: LetterLease, more: int) -> int:
    known = session.get(MailAddress, lease.owner)
    if known is None or known.address != lease.address:
        return 0
    known.refusals = known.refusals + more if more else 0
    session.flush()
    return known.refusals


def forget_letters(session: Session, owner: int, kind: LetterKind | None = None) -> None:
    """
    Send no letter that waits to an account but warnings, or none of a kind.

    Its address is another one, or none, or the account is disabled.
    """
    which = (Letter.kind.not_in(WARNINGS),) if kind is None else (Letter.kind == kind,)
    session.execute(delete(Letter).where(text(UNSENT_LETTERS), Letter.owner_id == owner, *which))


def tidy(session: Session, now: float) -> None:
    """Remove what is left of letters that ended long ago, letters that come too late, and links that have ended."""
    for status, seconds in (("delivered", DELIVERED_SECONDS), (LETTERS.given_up, GIVEN_UP_SECONDS)):
        session.execute(delete(Letter).where(Letter.status == status, Letter.finished < now - seconds))
    session.execute(delete(Letter).where(text(LETTERS.ready_rows), Letter.until < now - DAY))
    ended = MailAddress.pending_until < now
    session.execute(delete(MailAddress).where(ended, MailAddress.address.is_(None)))
    session.execute(update(MailAddress).where(ended).values(pending=None, pending_hash=None, pending_until=None))


def mail_status(session: Session, server: str, now: float) -> MailStatus:
    """Read how far letters are; a transaction that reads will do."""
    waiting = text(UNSENT_LETTERS)
    oldest = session.scalar(select(func.min(Letter.added)).where(waiting))
    failed = select(Letter.reason).where(waiting, Letter.reason != "").order_by(Letter.id.desc()).limit(1)
    given_up = Letter.status == LETTERS.given_up
    last = select(Letter.reason).where(given_up).order_by(Letter.finished.desc()).limit(1)
    confirmed = select(func.count()).where(MailAddress.address.is_not(None))
    return MailStatus(
        server=server,
        addresses=session.execute(confirmed).scalar_one(),
        waiting=session.execute(select(func.count(Letter.id)).where(waiting)).scalar_one(),
        oldest_seconds=0.0 if oldest is None else max(0.0, now - oldest),
        reason=session.scalar(failed) or "",
        sent_a_day=_sent_since(session, now - DAY),
        given_up=session.execute(select(func.count(Letter.id)).where(given_up)).scalar_one(),
        given_up_reason=session.scalar(last) or "",
    )
