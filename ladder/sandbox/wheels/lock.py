"""
A lock: exactly which wheels a bot gets, one line each, sorted: ``numpy==2.4.6 --hash=sha256:…``.

A folder may hold one as `requirements.lock`; then these wheels are taken, and nothing is looked for anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.wheels.requirements import Wanted, is_pinned, read_requirements
from ladder.values.names import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Pin:
    """One wheel."""

    name: str
    """Canonical."""
    version: str
    hashes: frozenset[str]
    """Of the wheels that will do; we write one, other tools one for each platform."""

    def __str__(self) -> str:
        return " ".join([f"{self.name}=={self.version}", *(f"--hash=sha256:{each}" for each in sorted(self.hashes))])

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.name} {self.version}"


def lock_text(pins: Iterable[Pin]) -> str:
    """Write a lock."""
    return "".join(f"{pin}\n" for pin in sorted(pins, key=lambda pin: pin.name))


def read_lock(content: bytes, file: str = LOCK) -> list[Pin]:
    """
    Read a lock.

    Raises:
        BotRejected: If a line does not name one version of a package with its hash.
    """
    pins: dict[str, Pin] = {}
    for wanted in read_requirements(content, file):
        if not (is_pinned(wanted) and wanted.hashes) or wanted.name in pins:
            raise BotRejected(
                f"{wanted.by[0].upper()}{wanted.by[1:]} is not one wheel of a package of its own: a lock has lines "
                f"such as numpy==2.4.6 --hash=sha256:…. Make it anew: pigpen lock FOLDER; or remove {file}."
            )
        pins[wanted.name] = _pin(wanted)
    return sorted(pins.values(), key=lambda pin: pin.name)


def _pin(wanted: Wanted) -> Pin:
    (specifier,) = wanted.requirement.specifier
    return Pin(wanted.name, specifier.version, wanted.hashes)
