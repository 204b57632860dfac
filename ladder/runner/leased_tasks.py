"""
The task that a worker gets for a leased match.

`RegistryLogins` lets the ladder's own workers into its registry, for the images of one task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.registry.image_names import in_registry, own_repository
from ladder.registry.login import ImagePlace, RegistryLogin
from ladder.sandbox.bots.bot_source import seat_names
from ladder.sandbox.bots.content import kept_folder
from ladder.values.sandbox_kind import SandboxKind
from ladder.worker.match_tasks import MatchTask, TaskBot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.settings.settings import Settings
    from ladder.store.commands.queue import MatchLease
    from ladder.store.queries.leased_matches import LeasedMatch, SeatedVersion


class RegistryLogins:
    """Makes what lets a worker in; the key stays with the coordinator."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def login(self, references: Iterable[str | None], now: float) -> RegistryLogin | None:
        """
        Make a login that permits pulling some images.

        Args:
            references: Of images; None: there is none.
            now: Unix time.

        Returns:
            None if none of them is in the ladder's registry.

        Raises:
            SandboxError: If the ladder's key cannot be read.
        """
        images = [in_registry(reference, self._settings.registry) for reference in references if reference]
        names = sorted({image.repository for image in images if image})
        return self._login(names, ("pull",), now) if names else None

    def place(self, of: str, now: float) -> ImagePlace | None:
        """
        Make a login that permits pushing one image into the ladder's namespace.

        Args:
            of: The hash of what it was built from, or its id.
            now: Unix time.

        Returns:
            None if the ladder has no registry.

        Raises:
            SandboxError: If the ladder's key cannot be read.
        """
        if not self._settings.registry:
            return None
        repository = own_repository(of)
        return ImagePlace(repository=repository, login=self._login([repository], ("pull", "push"), now))

    def _login(self, names: Iterable[str], actions: tuple[str, ...], now: float) -> RegistryLogin:
        from ladder.registry.tokens import (
            LADDER_SECONDS,
            Access,
            registry_key,  # most ladders have no registry, and it takes long
            sign,
        )

        settings = self._settings
        key = registry_key(settings.data_dir)
        token = sign(key, "", [Access(name, actions) for name in names], now, LADDER_SECONDS)
        return RegistryLogin(address=settings.registry, plain=speaks_plain(settings), token=token)


def speaks_plain(settings: Settings) -> bool:
    """Tell whether the ladder's registry speaks HTTP: only on this machine, or where the settings allow it."""
    from ladder.registry.program import is_loopback

    return is_loopback(settings.registry) or settings.plain_http


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
