"""The ladder's registry of images: its address, the namespace of an account, and tokens for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.accounts.viewers import viewer_by
from ladder.entry.policy import Act, may
from ladder.errors import LadderError
from ladder.registry.names import namespace_of
from ladder.values.submission import RegistryPlace, RegistryToken
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.app.ladder import Ladder
    from ladder.values.accounts import Viewer

NO_REGISTRY = "This ladder has no registry of images. Submit the folder from which the image was built."


def registry_place(ladder: Ladder, viewer: Viewer) -> RegistryPlace:
    """
    Give the address and namespace where an account may push images.

    Raises:
        LadderError: If the ladder has no registry, or the name of the account is too long for it.
    """
    assert viewer.name is not None
    if not ladder.settings.registry:
        raise LadderError(NO_REGISTRY)
    return RegistryPlace(address=ladder.settings.registry, namespace=namespace_of(viewer.name))


def registry_token(
    ladder: Ladder, account: str, secret: str, service: str, scopes: Iterable[str], address: str
) -> RegistryToken | None:
    """
    Give a token for the registry.

    Args:
        ladder: The ladder.
        account: The name of an account.
        secret: A token of that account's that is good for submitting.
        service: For what the registry's token is to be good.
        scopes: What is wanted: ``repository:ada/trotter:pull,push``, or several of them with spaces between.
        address: From where it is asked.

    Returns:
        What is allowed of that, which may be nothing at all; None if the account and the secret open nothing.

    Raises:
        LadderError: If the ladder has no registry, or it is not this service.
        SandboxError: If the ladder's key cannot be read.
    """
    if not ladder.settings.registry:
        raise LadderError(NO_REGISTRY)
    from ladder.registry.tokens import (
        SERVICE,
        TOKEN_SECONDS,
        allowed,
        registry_key,  # most ladders have no registry, and it takes long
        sign,
    )

    if service != SERVICE:
        raise LadderError(f"Tokens are given for the service {SERVICE!r} only.")
    viewer = viewer_by(ladder, secret, address)
    if not viewer.by_token or viewer.name != account or not may(viewer, Act.SUBMIT, account):
        return None
    now = ladder.clock()
    token = sign(registry_key(ladder.settings.data_dir), account, allowed(scopes, namespace_of(account)), now)
    return RegistryToken(token=token, access_token=token, expires_in=int(TOKEN_SECONDS), issued_at=time_of(int(now)))
