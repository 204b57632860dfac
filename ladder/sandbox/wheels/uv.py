"""
Have uv resolve, fetch and unpack a bot's packages: wheels only, of which nothing runs.

uv is given lines that we have written, the index that pip is configured for, and an environment and folders of its own.
"""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from uv import find_uv_bin

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.wheels.explanation import explained
from ladder.sandbox.wheels.index import configured_index
from ladder.sandbox.wheels.limited import RunLimits, run
from ladder.sandbox.wheels.lock import Pin, lock_text
from ladder.sandbox.wheels.sizes import MAX_PACKED_BYTES, check_sizes
from ladder.sandbox.wheels.stubs import write_stubs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ladder.sandbox.wheels.index import Index
    from ladder.sandbox.wheels.requirements import Wanted
    from ladder.sandbox.wheels.target import Target

OPTIONS = ("--no-config", "--no-python-downloads", "--no-progress", "--color=never")


@dataclass(frozen=True)
class Uv:
    """The program, with an index and limits."""

    index: Callable[[], Index] = configured_index
    """Says where packages come from; asked before each run."""
    limits: RunLimits = field(default_factory=RunLimits)
    max_packed_bytes: int = MAX_PACKED_BYTES
    """Of all wheels, as far as the index says how large they are."""
    program: str | None = None
    """The one that is installed beside Pigpen if None."""

    def resolve(self, wanted: Sequence[Wanted], target: Target, scratch: Path) -> list[Pin]:
        """
        Find wheels that fit together; what the *target* provides is taken as it is, and left out.

        Args:
            wanted: What is asked for.
            target: The interpreter that the wheels are for.
            scratch: A folder of uv's own.

        Raises:
            BotRejected: If there are none, or they are too large.
            SandboxError: If the index does not answer, or there is no room.
        """
        asked, constraints, lock = (scratch / name for name in ("asked.txt", "provided.txt", "pylock.toml"))
        asked.write_text("".join(f"{each.requirement}\n" for each in wanted), encoding="utf-8")
        constraints.write_text(write_stubs(target.provided, scratch), encoding="utf-8")
        options = ["--only-binary=:all:", "--no-header", f"--constraints={constraints}", f"--output-file={lock}"]
        options += [f"--no-emit-package={name}" for name in target.provided]
        code, output = self._run(["compile", str(asked), *options, *target.arguments], scratch)
        if code:
            raise explained(output, target, wanted)
        packages = tomllib.loads(lock.read_text(encoding="utf-8")).get("packages", ())
        found = {
            Pin(package["name"], package["version"], _hashes(package["wheels"])): package["wheels"]
            for package in packages
        }
        sizes = {pin.label: max(wheel.get("size", 0) for wheel in wheels) for pin, wheels in found.items()}
        check_sizes(sizes, max_bytes=self.max_packed_bytes, how="packed")
        return [_with_hashes_of(wanted, pin) for pin in found]

    def install(self, pins: Sequence[Pin], target: Target, scratch: Path, into: Path) -> None:
        """
        Fetch and unpack exactly these wheels into the new folder *into*, which is below *scratch*.

        Raises:
            BotRejected: If one is missing, damaged, or not the one that its hash names, or if they are too large.
            SandboxError: If the index does not answer, or there is no room.
        """
        lock = scratch / "lock.txt"
        lock.write_text(lock_text(pins), encoding="utf-8")
        options = ["--no-build", "--no-deps", "--require-hashes", "--link-mode=hardlink", f"--target={into}"]
        code, output = self._run(["install", f"--requirements={lock}", *options, *target.arguments], scratch)
        if code:
            raise explained(output, target)

    def _run(self, words: Sequence[str], scratch: Path) -> tuple[int, str]:
        index = self.index()
        constraints = [f"--constraints={path}" for path in index.constraints if words[0] == "compile"]
        command = [self.program or _installed(), "pip", *words, *OPTIONS, *index.arguments, *constraints]
        command += [f"--python={sys.executable}", f"--cache-dir={scratch / 'cache'}"]
        # Nothing of our own environment, which may hold settings of uv, and secrets.
        environment = {"HOME": str(scratch), "TMPDIR": str(scratch), "PATH": os.defpath, **index.environment}
        return run(command, environment, scratch, self.limits)


def _installed() -> str:
    try:
        return find_uv_bin()
    except FileNotFoundError:
        raise SandboxError(
            "The program uv, which fetches packages of bots, is missing. Install it beside Pigpen: pip install uv"
        ) from None


def _hashes(wheels: Sequence[dict[str, dict[str, str]]]) -> frozenset[str]:
    return frozenset(wheel["hashes"]["sha256"] for wheel in wheels)


def _with_hashes_of(wanted: Sequence[Wanted], pin: Pin) -> Pin:
    """Leave out hashes of wheels that a requirement does not name, if it names any."""
    hashes = pin.hashes
    for each in wanted:
        if each.name == pin.name and each.hashes:
            hashes &= each.hashes
    if not hashes:
        raise BotRejected(
            f"A hash of {pin.label} is not that of the wheel in the package index, which may be one for another Python "
            "or machine. Make the lock anew: pigpen lock FOLDER; or take the hashes out."
        )
    return Pin(pin.name, pin.version, hashes)
