"""What a ladder holds that decides about a submission."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store.models import Owner, Rating, State, StoredBot, Variant, Version
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from pigpen.rules import Rules


@dataclass(frozen=True)
class SubmissionLook:
    """The state of a ladder at one moment, as far as it decides about submissions of one bot."""

    owner_of: Mapping[str, str]
    """By the name of each bot of the ladder."""
    owners: Sequence[str]
    """The names of all who have entered bots."""
    sandbox: str | None
    """Where the bots of this ladder run; None as long as it has none."""
    rules: Mapping[str, Rules]
    """What the ladder plays, by name."""
    plays: Sequence[str]
    """The variants in which versions of the bot play."""
    entered: Mapping[str, frozenset[str]]
    """By identity of the bot's programs: the variants in which each was entered, at whatever time."""
    holders: Mapping[str, Sequence[str]]
    """By identity of all programs: the owners of bots that are exactly that, the first one first."""


def look_at(session: Session, bot: str) -> SubmissionLook:
    """Read what decides about submissions of the bot of that name."""
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
    )


def _entries(session: Session, bot: str) -> list[tuple[str, str, str]]:
    """Variant, state and identity of each entry of the bot."""
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
