"""
Unpack wheels into one folder by hand: regular files with the right hashes, and nothing that Python would run by itself.

RECORD stays out: it names files that stay out, too. The same wheels give the same bytes, names and modes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.wheels.archive import open_wheel
from ladder.sandbox.wheels.sizes import too_large
from ladder.sandbox.wheels.wheel_record import new_hash, recorded

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ladder.sandbox.wheels.archive import Wheel

UNPACKED_BYTES = 320 * 1024 * 1024
"""All packages of one bot together: with the base image's 140 MiB, what a table can keep in memory."""
UNPACKED_FILES = 20_000
AT_START = ("sitecustomize", "usercustomize")
"""Modules that Python imports by itself as it starts."""
INSTALLED_SCHEMES = ("purelib", "platlib")
"""Folders in ``NAME.data`` that belong among the modules; scripts, headers and data have no place in a bot's folder."""


class Unpacking:
    """A folder that wheels are unpacked into."""

    def __init__(self, into: Path, most_bytes: int = UNPACKED_BYTES, most_files: int = UNPACKED_FILES) -> None:
        """Begin with *into*, which is made."""
        self._into = into
        self._most_bytes, self._bytes = most_bytes, 0
        self._most_files = most_files
        self._sizes: Counter[str] = Counter()
        """Bytes of each wheel, by its name for people."""
        self._owners: dict[str, tuple[str, str, bytes]] = {}
        """By path: which wheel wrote it, and its hash as its RECORD has it."""
        with disk_errors(into):
            into.mkdir()

    def add(self, path: Path, label: str) -> None:
        """
        Unpack one wheel.

        Raises:
            BotRejected: If it is damaged, too large, or holds what must not be there.
            SandboxError: If there is no room for it.
        """
        with open_wheel(path, label) as wheel:
            hashes = recorded(wheel)
            for name, (kind, digest) in sorted(hashes.items()):
                place = _place(wheel, name)
                if place is not None and self._is_new(wheel, place, kind, digest):
                    self._write(wheel, name, place, kind, digest)

    def _is_new(self, wheel: Wheel, place: str, kind: str, digest: bytes) -> bool:
        owner, *hashed = self._owners.setdefault(place, (wheel.label, kind, digest))
        if hashed != [kind, digest]:
            raise wheel.refusal(f"and that of {owner} both hold {place[:80]!r}, and not the same one")
        if len(self._owners) > self._most_files:
            raise BotRejected(f"The bot's packages have more than {self._most_files:,} files. Ask for fewer packages.")
        return not (self._into / place).is_file()

    def _write(self, wheel: Wheel, name: str, place: str, kind: str, digest: bytes) -> None:
        target = self._into / place
        found = new_hash(kind)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            is_free = not target.exists()
        except (FileExistsError, NotADirectoryError):
            is_free = False
        if not is_free:
            raise wheel.refusal(f"holds {place[:80]!r}, where there is a file in the place of a folder, or the reverse")
        with disk_errors(target), target.open("xb") as file:
            for chunk in wheel.chunks(name):
                self._count(wheel.label, len(chunk))
                found.update(chunk)
                file.write(chunk)
            is_program = wheel.files[name].external_attr >> 16 & 0o111
            target.chmod(0o755 if is_program else 0o644)
        if found.digest() != digest:
            raise wheel.refusal(f"holds {place[:80]!r}, whose hash is not the one in its RECORD")

    def _count(self, label: str, size: int) -> None:
        self._sizes[label] += size
        self._bytes += size
        if self._bytes > self._most_bytes:
            raise too_large(self._sizes, self._most_bytes, "unpacked")


def unpack(wheels: Iterable[tuple[Path, str]], into: Path) -> None:
    """
    Unpack *wheels*, each with its name for people, into the new folder *into*.

    Raises:
        BotRejected: If one is not to be unpacked.
        SandboxError: If there is no room.
    """
    unpacking = Unpacking(into)
    for path, label in wheels:
        unpacking.add(path, label)


def _place(wheel: Wheel, name: str) -> str | None:
    """Where a file of the wheel belongs in the folder; None: nowhere."""
    first, _, rest = name.partition("/")
    if first.endswith(".data"):
        scheme, _, name = rest.partition("/")
        if scheme not in INSTALLED_SCHEMES or not name:
            return None
    top = name.partition("/")[0]
    if top.partition(".")[0].lower() in AT_START:
        raise wheel.refusal(f"holds {top[:80]!r}, which Python would run in every program by itself")
    return None if name.lower().endswith(".pth") else name
