"""Lets the ladder's own workers into its registry, for the images of one task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.registry.client import ImagePlace, RegistryLogin
from ladder.registry.names import in_registry, own_repository

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.settings.settings import Settings


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
