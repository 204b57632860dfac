"""The ladder's registry of images, for those who push to it."""

from __future__ import annotations

from ladder.values.value import Time, Value


class RegistryPlace(Value):
    """Address and namespace for an account's images."""

    address: str
    """Host and port."""
    namespace: str
    """With what the names of one's images begin: `ada` in `ada/trotter`."""


class RegistryToken(Value):
    """Token for a registry, by the distribution specification."""

    token: str
    access_token: str
    """The same: programs ask for it by either name."""
    expires_in: int
    """Seconds."""
    issued_at: Time
