"""Access to the registry for a program of the ladder's own."""

from __future__ import annotations

from pydantic import Field

from ladder.values.value import Message


class RegistryLogin(Message):
    """The registry, and a token for it."""

    address: str
    """Host and port."""
    plain: bool
    """True if it speaks HTTP."""
    token: str = Field(repr=False)
    """Valid for the images of one task, and for an hour; secret."""


class ImagePlace(Message):
    """A place in the registry for an image of the ladder's own."""

    repository: str
    """`pigpen/…`, for what one submission was built to, or one image."""
    login: RegistryLogin
    """Good for pulling and pushing there, and nowhere else."""
