"""The interpreter that packages are fetched for: this one, or the one in the base image."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.version import InvalidVersion

from ladder.errors import BotRejected
from ladder.sandbox.wheels.facts import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.sandbox.wheels.requirements import Wanted

OLDEST_GLIBC = 17
"""The minor version that manylinux2014 stands for."""


@dataclass(frozen=True)
class Target:
    """An interpreter that wheels are to fit."""

    environment: Mapping[str, str]
    """By the names that markers use."""
    provided: Mapping[str, str]
    """Packages that are there already, by canonical name, with their versions."""
    arguments: tuple[str, ...] = ()
    """For pip: which wheels fit; none: those that fit the interpreter that runs pip."""

    def __str__(self) -> str:
        return f"Python {self.environment['python_version']} on {self.environment['platform_machine']}"

    @property
    def key(self) -> str:
        """The same for interpreters that get the same wheels."""
        parts = [sorted(self.environment.items()), sorted(self.provided.items()), self.arguments]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def wants(self, wanted: Wanted, extras: frozenset[str] = frozenset()) -> bool:
        """
        Whether the requirement's marker is true here, for any of the *extras* of the package that has it.

        Raises:
            BotRejected: If the marker compares what cannot be compared.
        """
        marker = wanted.requirement.marker
        try:
            return marker is None or any(
                marker.evaluate({**self.environment, "extra": extra}) for extra in ("", *sorted(extras))
            )
        except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion, RecursionError):
            text = str(marker)[:80]
            raise BotRejected(f"The condition {text!r} ({wanted.by}) makes no sense. Leave it out.") from None


@cache
def this_interpreter() -> Target:
    """The Python that runs here, for bots that are no containers."""
    found = facts()
    return Target(found["environment"], found["provided"])


def target_from(found: Mapping[str, Mapping[str, str]]) -> Target:
    """Describe the interpreter of a Linux image from what `facts` said in it."""
    python, machine = found["environment"]["python_version"], found["environment"]["platform_machine"]
    newest = int(found["libc"].get("glibc", f"2.{OLDEST_GLIBC}").split(".")[1])
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(newest, OLDEST_GLIBC - 1, -1)]
    named = [f"--platform={name}" for name in (*platforms, f"manylinux2014_{machine}")]
    return Target(
        found["environment"], found["provided"], (f"--python-version={python}", "--implementation=cp", *named)
    )
