"""How a program of the ladder's own is let into the registry."""

from __future__ import annotations

from pydantic import Field

from ladder.values.task import Message


class RegistryLogin(Message):
    """The registry, and a token for it."""

    address: str
    """Host and port."""
    plain: bool
    """Whether it speaks HTTP."""
    token: str = Field(repr=False)
    """Valid for the images of one task, and for an hour; secret."""


class ImagePlace(Message):
    """Where in the registry the ladder puts an image of its own."""

    repository: str
    """`pigpen/…`, for what one submission was built to, or one image."""
    login: RegistryLogin
    """Good for pulling and pushing there, and nowhere else."""
