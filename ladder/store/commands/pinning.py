"""Registry references of images that were in no registry when they were entered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import update

from ladder.store.models import Version
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def pin(session: Session, identity: str, pinned: str) -> None:
    """
    Write down where a registry has an image, for all versions whose it is and of which that was not known.

    Args:
        session: A transaction that writes.
        identity: The image's id.
        pinned: The image reference by digest.
    """
    unpinned = (Version.identity == identity) & (Version.sandbox == SandboxKind.DOCKER) & Version.pinned.is_(None)
    session.execute(update(Version).where(unpinned).values(pinned=pinned))
