"""Entry of a submission in the ladder: owner, bot, version, and the version's entries in variants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.entry.claims import check_claim, check_possession, check_variant
from ladder.store import models
from ladder.store.commands.entries import OWNER, PLAYING, entries_of, first_rating, left_suspended, shift_of
from ladder.store.commands.outbox import announce_entered
from ladder.store.commands.suspending import set_state
from ladder.store.models import State
from ladder.store.submission_look import look_at
from ladder.values.submission import EnteredVariant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.store.account_models import StoredSubmission
    from ladder.trials.trial_tasks import TriedProgram
    from pigpen.rules import Rules

ENTERED, BACK, THERE = "entered", "back again", "there already"
"""Kinds of news of an entry (`EnteredVariant.news`)."""


@dataclass(frozen=True)
class Added:
    """The version that a submission is, and its entries."""

    version: int
    """Id of the version."""
    name: str
    """As people name it: ``Trotter@2``."""
    is_new: bool
    """True if these bits had not been submitted under this name before."""
    before: str | None
    """The identity of the bot's newest version from the same source before this, if it was another one."""
    entries: tuple[EnteredVariant, ...]

    @property
    def changed(self) -> bool:
        """True if the submission has changed the ladder."""
        return self.is_new or any(entry.news != THERE for entry in self.entries)


def add_version(
    session: Session,
    submission: StoredSubmission,
    program: TriedProgram,
    variants: Sequence[Rules],
    now: float,
    registry: str = "",
) -> Added:
    """
    Enter a bot in *variants*, or find that it is there already.

    The same program again is the same version and keeps its rating. Another one is the bot's next version: it begins
    with its predecessor's rating and the K of a newcomer, and takes its place. A version that had retired comes back
    as it was.

    Args:
        session: A transaction that writes.
        submission: What was submitted.
        program: What it was built or loaded to, and was tried.
        variants: Where.
        now: Unix time.
        registry: The address of the ladder's registry; empty: it has none.

    Raises:
        LadderError: If the name, or the image, is another owner's, or a variant's name has other rules here.
    """
    look = look_at(session, submission.bot)
    check_claim(look, submission.bot, submission.owner, submission.sandbox)
    check_possession(look, submission.owner, program.identity, submission.image, registry)
    for rules in variants:
        check_variant(look, rules)
        if rules.name not in look.rules:
            session.add(models.Variant(name=rules.name, rules=rules.to_plain(), added=now))
            look = replace(look, rules={**look.rules, rules.name: rules})
    session.flush()
    bot = _bot(session, submission, now)
    of_bot = models.Version.bot_id == bot.id
    version = session.scalar(select(models.Version).where(of_bot, models.Version.identity == program.identity))
    is_new = version is None
    before = _before(session, bot, submission, program)
    if version is None:
        version = _new_version(session, bot, submission, program, now)
    version.pinned = version.pinned or program.pinned  # it may have been pushed since
    entries = tuple(_enter(session, bot, version, rules.name, now, submission.keep_old) for rules in variants)
    session.flush()
    if new := [each.variant for each in entries if each.news != THERE]:
        announce_entered(session, bot.name, version.number, new, now)
    return Added(version.id, f"{bot.name}@{version.number}", is_new, before, entries)


def _bot(session: Session, submission: StoredSubmission, now: float) -> models.StoredBot:
    owner = session.scalar(select(models.Owner).where(models.Owner.name == submission.owner))
    if owner is None:
        owner = models.Owner(name=submission.owner, added=now)
        session.add(owner)
        session.flush()
    bot = session.scalar(select(models.StoredBot).where(models.StoredBot.name == submission.bot))
    if bot is None:
        bot = models.StoredBot(name=submission.bot, owner_id=owner.id, added=now)
        session.add(bot)
        session.flush()
    return bot


def _before(session: Session, bot: models.StoredBot, submission: StoredSubmission, program: TriedProgram) -> str | None:
    same = select(models.Version.identity).where(models.Version.bot_id == bot.id)
    same = same.where(models.Version.source == submission.source).order_by(models.Version.number.desc()).limit(1)
    newest = session.scalar(same)
    return None if newest == program.identity else newest


def _new_version(
    session: Session, bot: models.StoredBot, submission: StoredSubmission, program: TriedProgram, now: float
) -> models.Version:
    newest = session.scalar(select(func.max(models.Version.number)).where(models.Version.bot_id == bot.id)) or 0
    version = models.Version(
        bot_id=bot.id,
        number=newest + 1,
        identity=program.identity,
        sandbox=submission.sandbox,
        source=submission.source,
        pinned=program.pinned,
        size=program.size,
        lock=program.lock,
        can_fork=program.can_fork,
        added=now,
    )
    session.add(version)
    session.flush()
    return version


def _enter(
    session: Session, bot: models.StoredBot, version: models.Version, variant: str, now: float, keep_old: bool
) -> EnteredVariant:
    entry = session.get(models.Rating, {"variant": variant, "version_id": version.id})
    if entry is not None and entry.state in PLAYING:
        return _shown(session, entry, THERE)
    rating = first_rating(session, bot.id, variant)
    retired = () if keep_old else _retire_others(session, bot, version, variant, now)
    if entry is not None:
        _bring_back(session, entry, now)
        return _shown(session, entry, BACK, retired)
    entry = models.Rating(variant=variant, version_id=version.id, since=now, rating=rating)
    session.add(entry)
    session.flush()
    return _shown(session, entry, ENTERED, retired)


def _shown(session: Session, entry: models.Rating, news: str, retired: tuple[str, ...] = ()) -> EnteredVariant:
    elo = round(entry.rating + shift_of(session, entry.variant), 1)
    return EnteredVariant(variant=entry.variant, state=entry.state, news=news, elo=elo, retired=retired)


def _retire_others(
    session: Session, bot: models.StoredBot, version: models.Version, variant: str, now: float
) -> tuple[str, ...]:
    others = [entry for entry in entries_of(session, bot.id, variant) if entry.state in PLAYING]
    for entry in others:
        set_state(session, entry, State.RETIRED, OWNER, f"replaced by version {version.number}", now)
    numbers = [session.get_one(models.Version, entry.version_id).number for entry in others]
    return tuple(f"{bot.name}@{number}" for number in numbers)


def _bring_back(session: Session, entry: models.Rating, now: float) -> None:
    suspension = left_suspended(session, entry)
    if suspension is None:
        set_state(session, entry, State.ACTIVE, OWNER, "submitted again", now)
    else:
        set_state(session, entry, State.SUSPENDED, suspension.by, suspension.reason, now)
        entry.since = suspension.at
