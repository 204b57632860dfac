"""Fair order of the queues in which several people have entries: submissions, and visitors' computations."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sqlalchemy import func, select, text

from ladder.entry.networks import neighbourhood_of
from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.computing_models import UNANSWERED, Computation
from ladder.store.models import Owner, Rating, State, StoredBot, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy.orm import Session

T = TypeVar("T")


def in_turn(waiting: Iterable[T], whose: Callable[[T], str], served: Mapping[str, float]) -> list[T]:
    """
    Sort what waits as it will be taken: people take turns.

    The person served longest ago goes first, and each person's second entry comes after the first ones of all.

    >>> in_turn(["a1", "a2", "b1"], lambda each: each[0], {"a": 5.0})
    ['b1', 'a1', 'a2']

    Args:
        waiting: The oldest first.
        whose: Gives who waits for a thing.
        served: When each of them was served last; people who never were are left out.
    """
    before, rounds = Counter[str](), list[tuple[int, float, int, T]]()
    for place, each in enumerate(waiting):
        rounds.append((before[whose(each)], served.get(whose(each), 0.0), place, each))
        before[whose(each)] += 1
    return [each for *_, each in sorted(rounds, key=lambda one: one[:3])]


OPEN = "submissions.status IN ('queued', 'leased')"
"""Submissions that have not ended; written out, so that SQLite uses the index with that condition."""


def open_submissions(session: Session) -> Sequence[StoredSubmission]:
    """Read those that have not ended, the oldest first."""
    return session.scalars(select(StoredSubmission).where(text(OPEN)).order_by(StoredSubmission.id)).all()


def submissions_in_turn(session: Session, rows: Iterable[StoredSubmission]) -> list[StoredSubmission]:
    """
    Sort those that wait as they will be tried.

    Owners take turns (`ladder.store.turns`): whose last trial is the longest ago goes first.

    Args:
        session: A transaction.
        rows: Submissions that have not ended, the oldest first.
    """
    waiting = [row for row in rows if row.status == SubmissionStatus.QUEUED]
    if len(waiting) < 2:
        return waiting
    return in_turn(waiting, lambda row: row.owner, _submissions_served(session, {row.owner for row in waiting}))


def _submissions_served(session: Session, owners: Iterable[str]) -> dict[str, float]:
    """Say by owner when a submission of theirs was leased last."""
    last = func.max(StoredSubmission.started)
    wanted = select(StoredSubmission.owner, last).where(StoredSubmission.owner.in_(list(owners)))
    found = session.execute(wanted.group_by(StoredSubmission.owner))
    return {owner: started or 0.0 for owner, started in found}


ADDRESS = "address "
"""The beginning of `Computation.visitor` of a guest; an account's has another one."""


class WaitingQuestion(NamedTuple):
    """A question that waits."""

    id: int
    visitor: str
    lane: str

    @property
    def neighbours(self) -> str:
        """Name of those that share a turn in the queue: one account, or guests at addresses near each other."""
        return neighbours_of(self.visitor)


def neighbours_of(visitor: str) -> str:
    """
    Give those with whom a visitor shares a turn in the queue: an account has its own, guests near each other have one.

    >>> neighbours_of("account ada"), neighbours_of("address 192.0.2.7")
    ('account ada', 'address 192.0.2.0/24')
    """
    if not visitor.startswith(ADDRESS):
        return visitor
    return ADDRESS + neighbourhood_of(visitor.removeprefix(ADDRESS))


def waiting_computations(session: Session) -> list[WaitingQuestion]:
    """Read all that wait, the oldest first."""
    of = Computation
    wanted = select(of.id, of.visitor, of.lane).where(text(UNANSWERED), of.status == "queued").order_by(of.id)
    return [WaitingQuestion(*row) for row in session.execute(wanted)]


def computations_in_turn(session: Session, lane: str) -> list[int]:
    """
    Sort those of a lane that wait as they will be computed.

    Accounts, and guests at addresses near each other, take turns (`ladder.store.turns`); within a turn, visitors do.
    """
    rows = [row for row in waiting_computations(session) if row.lane == lane]
    if len({row.visitor for row in rows}) < 2:
        return [row.id for row in rows]
    served = _computations_served(session, lane)
    near: dict[str, float] = {}
    for visitor, started in served.items():
        near[neighbours_of(visitor)] = max(started, near.get(neighbours_of(visitor), 0.0))
    of_visitors = in_turn(rows, lambda row: row.visitor, served)
    return [row.id for row in in_turn(of_visitors, lambda row: row.neighbours, near)]


def _computations_served(session: Session, lane: str) -> dict[str, float]:
    """Say by visitor when a question of theirs was leased last, as long as that is known."""
    of = Computation
    wanted = select(of.visitor, func.max(of.started)).where(of.visitor != "", of.lane == lane, of.started.is_not(None))
    return dict(session.execute(wanted.group_by(of.visitor)).all())  # type: ignore[arg-type]


def other_bots(session: Session, owner: str, bot: str) -> list[str]:
    """Read the names of an owner's bots that play, or are to be tried, without the one of that name."""
    return sorted(versions_at_play(session, owner).keys() - {bot})


def versions_at_play(session: Session, owner: str) -> Counter[str]:
    """
    Count the versions of each of an owner's bots that play in one variant, or will when those that wait are entered.

    A bot has several if they were submitted with `keep_old`; where variants differ, the one with the most counts.
    """
    playing = (
        select(StoredBot.name, func.count())
        .join(Owner, Owner.id == StoredBot.owner_id)
        .join(Version, Version.bot_id == StoredBot.id)
        .join(Rating, Rating.version_id == Version.id)
        .where(Owner.name == owner, Rating.state != State.RETIRED)
        .group_by(StoredBot.name, Rating.variant)
    )
    found, kept = Counter[str](), waiting_beside(session, owner)
    for name, count in session.execute(playing):
        found[name] = max(found[name], count)
    for row in open_submissions(session):
        if row.owner == owner and not row.order.keep_old:
            found[row.bot] = max(found[row.bot], 1)
    return found + kept


def waiting_beside(session: Session, owner: str) -> Counter[str]:
    """Count an owner's submissions that wait and are to play beside other versions (`keep_old`), by bot."""
    rows = open_submissions(session)
    return Counter(row.bot for row in rows if row.owner == owner and row.order.keep_old)
