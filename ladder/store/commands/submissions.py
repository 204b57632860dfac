"""Entry of a submission in the ladder: owner, bot, version, and the version's entries in variants."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.entry.claims import check_claim, check_possession, check_variant
from ladder.entry.house_bots import HOUSE_BOTS
from ladder.store import models
from ladder.store.commands.entries import OWNER, PLAYING, entries_of, first_rating, left_suspended, shift_of
from ladder.store.commands.outbox import announce_entered
from ladder.store.commands.suspending import set_state
from ladder.store.models import State
from ladder.store.submission_look import look_at
from ladder.values.submission import EnteredVariant, SubmissionResult
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.store.account_models import StoredSubmission
    from ladder.trials.trial_tasks import SubmissionOutcome, TriedProgram
    from pigpen.rules import Rules

ENTERED, BACK, THERE = "entered", "back again", "there already"
"""Kinds of news of an entry (`EnteredVariant.news`)."""


def enter(
    session: Session, submission: StoredSubmission, outcome: SubmissionOutcome, now: float, registry: str = ""
) -> SubmissionResult:
    """
    Enter a bot that has passed its trial, or find that it is there already; give the result for its owner.

    The same program again is the same version and keeps its rating. Another one is the bot's next version: it begins
    with its predecessor's rating and the K of a newcomer, and takes the place of all others, unless the order says
    `keep_old`. A version that had retired comes back as it was.

    Args:
        session: A transaction that writes.
        submission: What was submitted.
        outcome: Its trial, in which the bot was loaded; if it failed there, nothing is entered.
        now: Unix time.
        registry: The address of the ladder's registry; empty: it has none.

    Raises:
        LadderError: If the name, or the image, is another owner's, or a variant's name has other rules here.
    """
    assert outcome.program is not None
    result = SubmissionResult(
        accepted=not outcome.failures,
        bot=submission.bot,
        owner=submission.owner,
        identity=outcome.program.identity,
        pinned=outcome.program.pinned,
        version=None,
        new=False,
        changed=False,
        moved_from=None,
        outdated=outcome.outdated,
        variants=(),
        reasons=outcome.failures,
        again=outcome.again,
    )
    if outcome.failures:
        return result
    variants = [rules_from(plain) for plain in outcome.variants]
    return result.model_copy(update=_entered(session, submission, outcome.program, variants, now, registry))


def _entered(
    session: Session,
    submission: StoredSubmission,
    program: TriedProgram,
    variants: Sequence[Rules],
    now: float,
    registry: str,
) -> dict[str, object]:
    """Enter a bot in *variants*; give the fields of the result that say so."""
    _check(session, submission, program, variants, now, registry)
    bot = _bot(session, submission, now)
    of_bot = models.Version.bot_id == bot.id
    version = session.scalar(select(models.Version).where(of_bot, models.Version.identity == program.identity))
    is_new = version is None
    before = _before(session, bot, submission, program)
    if version is None:
        version = _new_version(session, bot, submission, program, now)
    version.pinned = version.pinned or program.pinned  # it may have been pushed since
    keep_old = submission.order.keep_old
    entries = tuple(_enter(session, bot, version, rules.name, now, keep_old) for rules in variants)
    session.flush()
    if new := [each.variant for each in entries if each.news != THERE]:
        announce_entered(session, bot.name, version.number, new, now)
    changed = is_new or bool(new)
    moved_from = before if changed and submission.image else None
    return {
        "version": f"{bot.name}@{version.number}",
        "new": is_new,
        "changed": changed,
        "moved_from": moved_from,
        "moved_plays": moved_from is not None and _plays(session, bot, moved_from),
        "variants": entries,
    }


def _check(
    session: Session,
    submission: StoredSubmission,
    program: TriedProgram,
    variants: Sequence[Rules],
    now: float,
    registry: str,
) -> None:
    """Judge the submission by what the ladder holds now, and add the variants that are new to it."""
    is_house_bot = submission.owner == submission.bot and submission.bot in HOUSE_BOTS
    look = look_at(session, submission.bot, None if is_house_bot else submission.added)
    check_claim(look, submission.bot, submission.owner, submission.sandbox)
    check_possession(look, submission.owner, program.identity, submission.image, registry)
    for rules in variants:
        check_variant(look, rules)
        if rules.name not in look.rules:
            session.add(models.Variant(name=rules.name, rules=rules.to_plain(), added=now))
            look = replace(look, rules={**look.rules, rules.name: rules})
    session.flush()


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


def _plays(session: Session, bot: models.StoredBot, identity: str) -> bool:
    """True if the bot's version of that identity plays somewhere."""
    states = select(models.Rating.state).join(models.Version, models.Version.id == models.Rating.version_id)
    own = states.where(models.Version.bot_id == bot.id, models.Version.identity == identity)
    return any(state in PLAYING for state in session.scalars(own))


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
