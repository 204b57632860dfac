"""Images of the ladder's registry that are needed, and those that no longer are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select, union

from ladder.store.event_models import EventEntry
from ladder.store.models import Rating, State, Status, StoredBot, StoredEvent, StoredMatch, StoredSeat, Version
from ladder.store.turns import open_submissions
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from sqlalchemy import CompoundSelect
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class ImageUse:
    """Full references of images: by digest, or as they were submitted."""

    needed: frozenset[str]
    """By versions that play or are suspended, by matches that are not over, and by submissions that have not ended."""
    retired: frozenset[str]
    """By versions that have retired everywhere, and by nothing else."""


@dataclass(frozen=True)
class UnpinnedImage:
    """An image that is in no registry, as far as the ladder knows."""

    identity: str
    bots: tuple[str, ...]
    """The versions whose it is: ``Trotter@2``."""


def unpinned_images(session: Session) -> list[UnpinnedImage]:
    """Read which images only the engine has on which they were entered, of versions that have not retired."""
    playing = _playing()
    wanted = (
        select(Version.identity, StoredBot.name, Version.number)
        .join(StoredBot, StoredBot.id == Version.bot_id)
        .where(Version.sandbox == SandboxKind.DOCKER, Version.pinned.is_(None), Version.id.in_(playing))
        .order_by(Version.id)
    )
    found: dict[str, list[str]] = {}
    for identity, bot, number in session.execute(wanted):
        found.setdefault(identity, []).append(f"{bot}@{number}")
    return [UnpinnedImage(identity, tuple(bots)) for identity, bots in found.items()]


def image_use(session: Session) -> ImageUse:
    """Read which images are in use, and for what."""
    playing = _playing()
    seated = (
        select(StoredSeat.version_id)
        .join(StoredMatch, StoredMatch.id == StoredSeat.match_id)
        .where(StoredMatch.status.in_((Status.QUEUED, Status.LEASED)))
    )
    pinned = select(Version.pinned).where(Version.pinned.is_not(None))
    versions = {str(each) for each in session.scalars(pinned)}
    in_use = pinned.where(Version.id.in_(playing) | Version.id.in_(seated))
    needed = {str(each) for each in session.scalars(in_use)}
    submitted = {row.image for row in open_submissions(session) if row.image}
    return ImageUse(frozenset(needed | submitted), frozenset(versions - needed - submitted))


def _playing() -> CompoundSelect[tuple[int]]:
    """Select the versions that have not retired, and those in events that are not over."""
    entered = select(Rating.version_id).where(Rating.state != State.RETIRED)
    under_way = select(StoredEvent.id).where(StoredEvent.state != "over")
    in_events = select(EventEntry.version_id).where(EventEntry.event_id.in_(under_way))
    stand_ins = select(StoredEvent.stand_in_id).where(StoredEvent.state != "over", StoredEvent.stand_in_id.is_not(None))
    return union(entered, in_events, stand_ins)
