"""From a leased match to the task that a worker gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.runner.registry_logins import RegistryLogins
from ladder.sandbox.bots.bot_source import seat_names
from ladder.sandbox.bots.kept import kept_folder
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.tasks import MatchTask, TaskBot

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.commands.queue import MatchLease
    from ladder.store.queries.leased_matches import LeasedMatch, SeatedVersion


def task_of(
    lease: MatchLease, match: LeasedMatch, seconds: float, settings: Settings, now: float, avoided: tuple[str, ...] = ()
) -> MatchTask:
    """
    Say what is to be played under a lease.

    Args:
        lease: Which attempt at which match.
        match: What was scheduled.
        seconds: Seconds that it may take.
        settings: The ladder's settings.
        now: Unix time.
        avoided: Workers that are to play it only if no other is free.
    """
    names = seat_names(bot.bot for bot in match.bots)
    return MatchTask(
        match=lease.id,
        attempt=lease.attempt,
        rules=match.rules,
        format=match.format,
        clock=match.clock,
        seed=match.seed,
        bots=tuple(task_bot(name, bot, settings, now) for name, bot in zip(names, match.bots, strict=True)),
        runtime=settings.runtime,
        locked_bytes=settings.locked_bytes,
        instances=settings.instances,
        warm_bytes=settings.warm_bytes,
        live="off" if match.sealed else settings.live,
        machine=lease.machine,
        avoided=avoided,
        seconds=seconds,
    )


def task_bot(name: str, bot: SeatedVersion, settings: Settings, now: float) -> TaskBot:
    """Say how a version comes to a worker on this machine, or on another one, at a Unix time."""
    is_folder = bot.sandbox == SandboxKind.PROCESS
    return TaskBot(
        name=name,
        identity=bot.identity,
        sandbox=SandboxKind.PROCESS if is_folder else SandboxKind.DOCKER,
        pinned=bot.pinned,
        registry=RegistryLogins(settings).login([bot.pinned], now),
        can_fork=bot.can_fork,
        folder=str(kept_folder(settings.data_dir, bot.identity)) if is_folder else None,
    )
