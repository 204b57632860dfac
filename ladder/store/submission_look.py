"""Reads what a ladder holds that decides about a submission."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.orm import aliased

from ladder.entry.claims import SubmissionLook
from ladder.store.account_models import Account
from ladder.store.models import Owner, Rating, State, StoredBot, Variant, Version
from ladder.store.organiser_models import Deadline
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session


def look_at(session: Session, bot: str, accepted: float | None = None) -> SubmissionLook:
    """
    Read what decides about submissions of the bot of that name.

    Args:
        session: A transaction.
        bot: Its name.
        accepted: Unix time at which the submission was accepted; None: deadlines do not hold for it.
    """
    owned = select(StoredBot.name, Owner.name).join_from(StoredBot, Owner, Owner.id == StoredBot.owner_id)
    entries = _entries(session, bot)
    return SubmissionLook(
        owner_of=dict(session.execute(owned).all()),
        owners=session.scalars(select(Owner.name)).all(),
        sandbox=session.scalar(select(Version.sandbox).limit(1)),
        rules={variant.name: rules_from(variant.rules) for variant in session.scalars(select(Variant))},
        plays=sorted({variant for variant, state, _ in entries if state != State.RETIRED}),
        entered={
            program: frozenset(variant for variant, _, identity in entries if identity == program)
            for program in {identity for *_, identity in entries}
        },
        holders=_holders(session),
        members=_members(session),
        deadlines={} if accepted is None else deadlines_in(session),
        accepted=accepted or 0.0,
    )


def deadlines_in(session: Session) -> dict[str, float]:
    """Read all deadlines in Unix time by variant; see `ladder.entry.deadlines.EVERY`."""
    return dict(session.execute(select(Deadline.variant, Deadline.at)).all())


def _entries(session: Session, bot: str) -> list[tuple[str, str, str]]:
    """Give the variant, state and identity of each entry of the bot."""
    wanted = (
        select(Rating.variant, Rating.state, Version.identity)
        .join_from(Rating, Version, Version.id == Rating.version_id)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .where(StoredBot.name == bot)
    )
    return [(variant, state, identity) for variant, state, identity in session.execute(wanted)]


def _holders(session: Session) -> Mapping[str, Sequence[str]]:
    holders: defaultdict[str, list[str]] = defaultdict(list)
    wanted = (
        select(Version.identity, Owner.name)
        .join_from(Version, StoredBot, StoredBot.id == Version.bot_id)
        .join(Owner, Owner.id == StoredBot.owner_id)
        .order_by(Version.id)
    )
    for identity, owner in session.execute(wanted):
        holders[identity].append(owner)
    return holders


def _members(session: Session) -> Mapping[str, Sequence[str]]:
    members: defaultdict[str, list[str]] = defaultdict(list)
    team, member = aliased(Owner), aliased(Owner)
    wanted = select(team.name, member.name).join_from(Account, member, member.id == Account.owner_id)
    for name, of in session.execute(wanted.join(team, team.id == Account.team_id).order_by(Account.owner_id)):
        members[name].append(of)
    return members
