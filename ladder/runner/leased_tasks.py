"""From a leased match to the task that a worker gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.sandbox.bots.bot_source import seat_names
from ladder.sandbox.bots.kept import kept_folder
from ladder.store.commands.match_time import seconds_of
from ladder.store.models import StoredBot, StoredMatch, StoredSeat, Variant, Version
from ladder.worker.tasks import MatchTask, TaskBot

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.store.commands.queue import Lease


def task_of(session: Session, lease: Lease, settings: Settings) -> MatchTask:
    """What is to be played under *lease*; a transaction that reads will do."""
    match = session.get_one(StoredMatch, lease.match)
    versions = _versions(session, lease.match)
    names = seat_names(name for name, _ in versions)
    return MatchTask(
        match=lease.match,
        attempt=lease.attempt,
        rules=session.get_one(Variant, match.variant).rules,
        format=match.format,
        clock=match.clock,
        seed=match.seed,
        bots=tuple(_bot(name, version, settings) for name, (_, version) in zip(names, versions, strict=True)),
        runtime=settings.runtime,
        locked_bytes=settings.locked_bytes,
        seconds=seconds_of(session, lease.match, settings),
    )


def _versions(session: Session, match: int) -> list[tuple[str, Version]]:
    """The name and version of each bot, by their numbers."""
    seated = (
        select(StoredBot.name, Version)
        .join(Version, Version.bot_id == StoredBot.id)
        .join(StoredSeat, StoredSeat.version_id == Version.id)
        .where(StoredSeat.match_id == match)
        .order_by(StoredSeat.seat)
    )
    return [(name, version) for name, version in session.execute(seated)]


def _bot(name: str, version: Version, settings: Settings) -> TaskBot:
    is_folder = version.sandbox == "process"
    return TaskBot(
        name=name,
        identity=version.identity,
        sandbox="process" if is_folder else "docker",
        pinned=version.pinned,
        folder=str(kept_folder(settings.data_dir, version.identity)) if is_folder else None,
    )
