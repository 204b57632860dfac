"""The interpreter that packages are fetched for: this one, or the one in the base image."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ladder.sandbox.wheels.facts import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

UV_GLIBC = (17, 28, *range(31, 41))
"""Minor versions that uv has a platform for."""
UV_MACHINES = ("x86_64", "aarch64")


@dataclass(frozen=True)
class Target:
    """An interpreter that wheels are to fit."""

    python: Mapping[str, str]
    """``version`` and ``machine``, and ``glibc`` if it stands on that library."""
    provided: Mapping[str, str]
    """Packages that are there already, by canonical name, with their versions."""

    def __str__(self) -> str:
        return f"Python {self.python['version'].rpartition('.')[0]} on {self.python['machine']}"

    @property
    def key(self) -> str:
        """The same for interpreters that get the same wheels."""
        parts = [sorted(self.python.items()), sorted(self.provided.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def arguments(self) -> list[str]:
        """For uv: which wheels fit. Without a platform that uv knows: those for this machine."""
        glibc = int(self.python.get("glibc", "2.0").split(".")[1])
        fits = [minor for minor in UV_GLIBC if minor <= glibc and self.python["machine"] in UV_MACHINES]
        platform = [f"--python-platform={self.python['machine']}-manylinux_2_{fits[-1]}"] if fits else []
        return [f"--python-version={self.python['version']}", *platform]


@cache
def this_interpreter() -> Target:
    """Describe the Python that runs here, for bots that are no containers."""
    return Target(**facts())
