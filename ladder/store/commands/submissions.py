"""What the ladder holds of a submission: owner, bot, version, and the version's entries in variants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.entry.claims import check_claim, check_possession, check_variant
from ladder.store import models
from ladder.store.commands.entries import PLAYING, entries_of, first_rating, left_suspended, shift_of
from ladder.store.commands.retiring import OWNER
from ladder.store.commands.suspending import set_state
from ladder.store.models import State
from ladder.store.submission_look import look_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from pigpen.rules import Rules


@dataclass(frozen=True)
class Submission:
    """A bot that is fit to be entered; the fields are those of `models.Version`."""

    bot: str
    """The bot's name."""
    owner: str
    identity: str
    sandbox: str
    source: str
    size: int
    pinned: str | None = None
    lock: str | None = None
    can_fork: bool = False
    reference: str | None = None
    """The image reference that was submitted; None for a folder."""
    names_owner: bool = True
    """Whether that reference can have been given by the image's owner."""


@dataclass(frozen=True)
class Entered:
    """What became of a submission in one variant."""

    variant: str
    state: State
    rating: float
    """As it is stored."""
    news: str
    """``entered``, ``back`` (it had retired), or nothing: it was there already."""
    retired: tuple[str, ...] = ()
    """The versions that made room for it."""
    elo: float = 0.0
    """The rating as it is shown."""


@dataclass(frozen=True)
class Added:
    """What became of a submission."""

    version: int
    """Id of the version."""
    name: str
    """As people name it: ``Trotter@2``."""
    is_new: bool
    """Whether nobody had submitted these bits under this name before."""
    before: str | None
    """The identity of the bot's newest version from the same source before this, if it was another one."""
    entries: tuple[Entered, ...]

    @property
    def changed(self) -> bool:
        """Whether the ladder is another one now."""
        return self.is_new or any(entry.news for entry in self.entries)


def add_version(
    session: Session, submission: Submission, variants: Sequence[Rules], now: float, keep_old: bool = False
) -> Added:
    """
    Enter a bot in *variants*, or find that it is there already.

    The same program again is the same version and keeps its rating. Another one is the bot's next version: it begins
    with its predecessor's rating and the K of a newcomer, and takes its place. A version that had retired comes back
    as it was.

    Args:
        session: A transaction that writes.
        submission: What is entered.
        variants: Where.
        now: Unix time.
        keep_old: The bot's other versions play on.

    Raises:
        LadderError: If the name, or the image, is another owner's, or a variant's name has other rules here.
    """
    look = look_at(session, submission.bot)
    check_claim(look, submission.bot, submission.owner, submission.sandbox)
    if submission.reference is not None:
        check_possession(look, submission.owner, submission.identity, submission.reference, submission.names_owner)
    for rules in variants:
        check_variant(look, rules)
        if rules.name not in look.rules:
            session.add(models.Variant(name=rules.name, rules=rules.to_plain(), added=now))
            look = replace(look, rules={**look.rules, rules.name: rules})
    session.flush()
    bot = _bot(session, submission, now)
    of_bot = models.Version.bot_id == bot.id
    version = session.scalar(select(models.Version).where(of_bot, models.Version.identity == submission.identity))
    is_new = version is None
    before = _before(session, bot, submission)
    if version is None:
        version = _new_version(session, bot, submission, now)
    version.pinned = version.pinned or submission.pinned  # it may have been pushed since
    entries = [_enter(session, bot, version, rules.name, now, keep_old) for rules in variants]
    session.flush()
    shown = tuple(replace(entry, elo=entry.rating + shift_of(session, entry.variant)) for entry in entries)
    return Added(version.id, f"{bot.name}@{version.number}", is_new, before, shown)


def _bot(session: Session, submission: Submission, now: float) -> models.StoredBot:
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


def _before(session: Session, bot: models.StoredBot, submission: Submission) -> str | None:
    same = select(models.Version.identity).where(models.Version.bot_id == bot.id)
    same = same.where(models.Version.source == submission.source).order_by(models.Version.number.desc()).limit(1)
    newest = session.scalar(same)
    return None if newest == submission.identity else newest


def _new_version(session: Session, bot: models.StoredBot, submission: Submission, now: float) -> models.Version:
    newest = session.scalar(select(func.max(models.Version.number)).where(models.Version.bot_id == bot.id)) or 0
    version = models.Version(
        bot_id=bot.id,
        number=newest + 1,
        identity=submission.identity,
        sandbox=submission.sandbox,
        source=submission.source,
        pinned=submission.pinned,
        size=submission.size,
        lock=submission.lock,
        can_fork=submission.can_fork,
        added=now,
    )
    session.add(version)
    session.flush()
    return version


def _enter(
    session: Session, bot: models.StoredBot, version: models.Version, variant: str, now: float, keep_old: bool
) -> Entered:
    entry = session.get(models.Rating, {"variant": variant, "version_id": version.id})
    if entry is not None and entry.state in PLAYING:
        return Entered(variant, State(entry.state), entry.rating, "")
    rating = first_rating(session, bot.id, variant)
    retired = () if keep_old else _retire_others(session, bot, version, variant, now)
    if entry is not None:
        _bring_back(session, entry, now)
        return Entered(variant, State(entry.state), entry.rating, "back", retired)
    session.add(models.Rating(variant=variant, version_id=version.id, since=now, rating=rating))
    session.flush()
    return Entered(variant, State.ACTIVE, rating, "entered", retired)


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
