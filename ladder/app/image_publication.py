"""Images that only this machine's engine has, on their way to workers of other machines."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from ladder.errors import SandboxError
from ladder.registry.client import RegistryClient
from ladder.registry.names import ImageName
from ladder.runner.leased_tasks import RegistryLogins
from ladder.store.commands.submission_queue import pin
from ladder.store.queries.images import unpinned_images

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder

START_SECONDS, LOOK_SECONDS = 15.0, 0.5
"""Limit, in seconds, of the registry's start; seconds between two looks."""

log = structlog.get_logger()


def push_images(ladder: Ladder, start_seconds: float = START_SECONDS) -> int:
    """
    Push images that only this machine's engine has into the ladder's registry, so that remote workers can play them.

    What cannot be pushed now is named in the log, and is pushed the next time. Done twice, the second does nothing.

    Args:
        ladder: The ladder.
        start_seconds: How long the registry may take to start.

    Returns:
        How many images were pushed.
    """
    with ladder.database.read() as session:
        unpinned = unpinned_images(session)
    if unpinned and not ladder.settings.registry:
        bots = [bot for image in unpinned for bot in image.bots]
        log.warning("image.no_registry", bots=bots, reason="Only this machine can play them: setting registry.")
        return 0
    if unpinned:
        _wait(ladder, unpinned[0].identity, start_seconds)
    return sum(_pushed(ladder, image.identity, image.bots) for image in unpinned)


def _wait(ladder: Ladder, identity: str, seconds: float) -> None:
    """Give the registry time to start: `pigpen up` starts everything at once."""
    place = RegistryLogins(ladder.settings).place(identity, ladder.clock())
    assert place is not None
    for _ in range(int(seconds / LOOK_SECONDS)):
        with suppress(SandboxError), RegistryClient(place.login) as registry:
            registry.digest(ImageName(place.repository, "latest"))
            return
        time.sleep(LOOK_SECONDS)


def _pushed(ladder: Ladder, identity: str, bots: tuple[str, ...]) -> bool:
    from ladder.trials.trial_images import is_here, push  # a ladder of processes needs no Docker

    try:
        if not is_here(identity):
            log.warning("image.missing", identity=identity, bots=bots, reason="This machine's engine does not have it.")
            return False
        place = RegistryLogins(ladder.settings).place(identity, ladder.clock())
        assert place is not None
        pinned = push(place, identity)
    except SandboxError as error:
        log.warning("image.not_pushed", identity=identity, bots=bots, reason=str(error))
        return False
    with ladder.database.write() as session:
        pin(session, identity, pinned)
    log.info("image.pushed", identity=identity, bots=bots, pinned=pinned)
    return True
