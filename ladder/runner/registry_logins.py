"""Lets the ladder's own workers into its registry, for the images of one task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.registry.login import RegistryLogin
from ladder.registry.names import in_registry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.settings.settings import Settings


class RegistryLogins:
    """Makes what lets a worker in; the key stays with the coordinator."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def login(self, references: Iterable[str | None], now: float) -> RegistryLogin | None:
        """
        Make a login that is good for pulling some images.

        Args:
            references: Of images; None: there is none.
            now: Unix time.

        Returns:
            None if none of them is in the ladder's registry.

        Raises:
            SandboxError: If the ladder's key cannot be read.
        """
        settings = self._settings
        images = [in_registry(reference, settings.registry) for reference in references if reference]
        names = sorted({image.repository for image in images if image})
        if not names:
            return None
        from ladder.registry.keys import registry_key  # most ladders have no registry, and it takes long
        from ladder.registry.tokens import LADDER_SECONDS, Access, sign

        key = registry_key(settings.data_dir)
        token = sign(key, "", [Access(name, ("pull",)) for name in names], now, LADDER_SECONDS)
        return RegistryLogin(address=settings.registry, plain=speaks_plain(settings), token=token)


def speaks_plain(settings: Settings) -> bool:
    """Whether the ladder's registry speaks HTTP: where nobody is between, or where that is allowed."""
    from ladder.registry.program import is_loopback

    return is_loopback(settings.registry) or settings.plain_http
