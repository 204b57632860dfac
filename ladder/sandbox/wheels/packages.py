"""
From a bot's folder to the packages it asks for: first a lock, which is quick the second time, then a folder of modules.

In a folder, `requirements.txt` says what is wanted; a `requirements.lock` beside it says exactly which wheels.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.host.cache import usable_cache_folder
from ladder.sandbox.host.scratch import scratch_folder
from ladder.sandbox.wheels.cache import Store
from ladder.sandbox.wheels.fetch import PipFetch
from ladder.sandbox.wheels.lock import Pin, lock_text, read_lock
from ladder.sandbox.wheels.requirements import LOCK, REQUIREMENTS, read_requirements
from ladder.sandbox.wheels.resolve import Chosen, fetched, resolve, wants
from ladder.sandbox.wheels.unpack import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ladder.sandbox.bots.content import Content
    from ladder.sandbox.wheels.fetch import Fetch
    from ladder.sandbox.wheels.requirements import Wanted
    from ladder.sandbox.wheels.target import Target

VENDOR = "vendor"
"""Folder in the bot's folder, in a container, that holds the packages."""


@dataclass(frozen=True)
class Asked:
    """What a folder asks for: the contents of the two files."""

    requirements: bytes | None = None
    lock: bytes | None = None

    @classmethod
    def by(cls, content: Content) -> Asked:
        """
        Take the files out of what a folder holds.

        Raises:
            BotRejected: If one is no list of requirements, or the folder holds a `vendor` of its own beside it.
        """
        asked = cls(content.file(REQUIREMENTS), content.file(LOCK))
        if asked.anything and VENDOR in content.by_name:
            raise BotRejected(
                f"The bot's folder holds {VENDOR!r}, and that is where the packages of its {REQUIREMENTS} go. "
                f"Name yours otherwise, or remove {REQUIREMENTS}."
            )
        return asked

    @property
    def anything(self) -> bool:
        """Whether it names any package."""
        return bool(self.wanted())

    def wanted(self) -> list[Wanted]:
        """
        Read what is asked for; a lock alone asks for what it holds.

        Raises:
            BotRejected: If it is not a list of plain requirements.
        """
        if self.requirements is not None:
            return read_requirements(self.requirements)
        return read_requirements(self.lock, LOCK) if self.lock is not None else []


def with_lock(content: Content, lock: str | None) -> Content:
    """Add the lock to what a folder holds, so that its hash tells its packages, too; a lock of its own stays."""
    if lock is None or content.file(LOCK) is not None:
        return content
    return content.with_files({LOCK: lock.encode()})


class Packages:
    """Finds, fetches and unpacks packages; keeps what may be of use again."""

    def __init__(
        self,
        store: Store | None = None,
        fetch: Fetch | None = None,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        """
        Choose where packages come from.

        Args:
            store: Keeps what was fetched; the user's own if None.
            fetch: Gets wheels; pip with this machine's settings if None.
            report: Called with one line before a step that takes seconds.
        """
        self._store = store
        self._fetch = fetch or PipFetch()
        self._report = report

    @cached_property
    def store(self) -> Store:
        """
        What keeps things that were fetched.

        Raises:
            UnfitFolder: If this user may not write to it.
            SandboxError: If there is no place for it.
        """
        return self._store or Store(usable_cache_folder())

    def pins(self, asked: Asked, target: Target, *, anew: bool = False) -> list[Pin]:
        """
        Say exactly which wheels the bot gets: those of its lock, or those that were found for the same wishes before.

        Args:
            asked: What the folder asks for.
            target: The interpreter that they are for.
            anew: Look in the package index in any case.

        Raises:
            BotRejected: If what is asked for cannot be had.
            SandboxError: If the index does not answer, or there is no room.
        """
        if asked.lock is not None and not anew:
            return read_lock(asked.lock)
        wanted = asked.wanted()
        key = _key(wanted, target)
        known = None if anew else self.store.answer(key)
        if known is not None:
            return read_lock(known)
        with self._scratch() as scratch:
            pins = resolve(wanted, target, self._fetch, self.store, scratch)
        self.store.keep_answer(key, lock_text(pins))
        return pins

    def unpack(self, asked: Asked, pins: Sequence[Pin], target: Target, into: Path) -> None:
        """
        Unpack exactly these wheels into the new folder *into*.

        Raises:
            BotRejected: If one is not to be had, not to be unpacked, or not what is asked for.
            SandboxError: If the index does not answer, or there is no room.
        """
        chosen = self._chosen(pins, target)
        _check_lock(wants(asked.wanted(), target, chosen), chosen)
        unpack([(path, pin.label) for pin, path in chosen.values()], into)

    def _chosen(self, pins: Sequence[Pin], target: Target) -> Chosen:
        pins = [pin for pin in pins if not _is_provided(pin, target)]
        known = {pin.name: (pin, path) for pin in pins if (path := self.store.find(pin))}
        missing = [pin for pin in pins if pin.name not in known]
        if missing:
            lines = read_requirements(lock_text(missing).encode(), LOCK)
            with self._scratch() as scratch:
                by_name = {wanted.name: [wanted] for wanted in lines}
                known |= fetched(by_name, target, self._fetch, self.store, scratch / "locked")
        return {name: known[name] for name in sorted(known)}

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        self._report("fetching the bot's packages from the package index")
        with scratch_folder() as folder:
            yield folder


def _key(wanted: Sequence[Wanted], target: Target) -> str:
    lines = sorted(f"{each.requirement} {sorted(each.hashes)}" for each in wanted)
    return hashlib.sha256("\n".join([*lines, target.key]).encode()).hexdigest()


def _is_provided(pin: Pin, target: Target) -> bool:
    version = target.provided.get(pin.name)
    if version not in (None, pin.version):
        raise BotRejected(
            f"The lock holds {pin.label}, and the SDK brings {pin.name} {version}. Make it anew: pigpen lock FOLDER"
        )
    return version is not None


def _check_lock(by_name: dict[str, list[Wanted]], chosen: Chosen) -> None:
    for name, wanted in by_name.items():
        for one in wanted:
            pin = chosen[name][0] if name in chosen else None
            if pin is None or not one.requirement.specifier.contains(pin.version, prereleases=True):
                raise BotRejected(
                    f"The lock holds {pin.label if pin else f'no {name}'}, which is not {one}. "
                    "Make it anew: pigpen lock FOLDER"
                )
