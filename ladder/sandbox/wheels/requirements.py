"""
The packages that a bot's folder names: a stranger's `requirements.txt`, and a lock of exact wheels.

Of `requirements.txt` only names of packages with versions are read, and nothing that an installer would obey. uv never
sees this text. What it is given is written anew from what was understood here.

A lock says exactly which wheels a bot gets, one line each, sorted: ``numpy==2.4.6 --hash=sha256:…``. A folder may hold
one as `requirements.lock`; then these wheels are taken, and nothing is looked for anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from ladder.errors import BotRejected
from ladder.values.names import LOCK, REQUIREMENTS
from referee.records.framing import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_BYTES = 256 * 1024
MAX_PACKAGES = 100
MAX_CHARACTERS = 500
"""In one requirement, hashes not counted."""
_HASH = re.compile(r"(?<=\s)--hash=sha256:([0-9a-f]{64})(?=\s|$)")
_COMMENT = re.compile(r"(^|\s)#.*$")
_PATH = re.compile(r"[./~].*|.*[/\\].*|.*\.(whl|zip|tar|tgz|gz|bz2|xz|txt)")


@dataclass(frozen=True)
class Wanted:
    """One requirement, and who has it."""

    requirement: Requirement
    by: str
    """For people: ``line 3 of requirements.txt``."""
    hashes: frozenset[str] = frozenset()
    """SHA-256 of the wheels that will do, in hex; empty: any will."""

    @property
    def name(self) -> str:
        """The package's name in its canonical form."""
        return canonicalize_name(self.requirement.name)

    def __str__(self) -> str:
        marker = "" if self.requirement.marker is None else f"; {self.requirement.marker}"
        return f"{str(self.requirement).partition(';')[0].strip()}{marker} ({self.by})"


def read_requirements(content: bytes, file: str = REQUIREMENTS) -> list[Wanted]:
    """
    Read the file.

    Raises:
        BotRejected: If it holds anything else than plain requirements; the message names the line and the way out.
    """
    if len(content) > MAX_BYTES:
        raise BotRejected(
            f"{file} has {len(content):,} bytes, and at most {MAX_BYTES:,} are read. Name fewer packages."
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BotRejected(
            f"{file} is not UTF-8 text: {error.reason} at byte {error.start}. Save it as UTF-8."
        ) from None
    found = [_read_line(line, f"line {number} of {file}") for number, line in _lines(text)]
    if len(found) > MAX_PACKAGES:
        raise BotRejected(f"{file} names {len(found)} packages, and at most {MAX_PACKAGES} are taken. Name fewer.")
    return found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Give each line that says something, with its number; a backslash at the end continues a line in the next."""
    first, whole = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        first = first if whole else number
        part = line.removesuffix("\r")
        whole += part.removesuffix("\\")
        if part.endswith("\\"):
            whole += " "
            continue
        whole = _COMMENT.sub("", whole).strip(" \t")
        if whole:
            yield first, whole
        whole = ""
    if whole.strip():
        yield first, whole.strip()


def _read_line(line: str, by: str) -> Wanted:
    hashes = frozenset(_HASH.findall(line))
    plain = _HASH.sub("", line).strip(" \t")
    if plain.startswith("-"):
        raise _refusal(line, by, "is an option of pip, and only the organiser of this machine sets those")
    if not plain.replace("\t", " ").isprintable():
        raise _refusal(line, by, "holds a control character")
    if " --" in plain:
        raise _refusal(line, by, "holds an option, and only --hash=sha256:… with 64 hex digits is taken")
    if "://" in plain or _PATH.fullmatch(plain):
        raise _refusal(line, by, "is an address or a file, and packages come from the package index by their names")
    if len(plain) > MAX_CHARACTERS:
        raise BotRejected(f"A requirement of {len(plain):,} characters ({by}) is not taken. Write a shorter one.")
    try:
        wanted = Wanted(Requirement(plain), by, hashes)
    except (ValueError, SyntaxError, RecursionError):  # packaging before 26.3 evaluates quoted text as Python
        raise _refusal(line, by, "is not the name of a package with versions") from None
    _check_plain(wanted, line)
    return wanted


def _check_plain(wanted: Wanted, line: str) -> None:
    """Make sure that the package index alone decides what is fetched, and by what can be compared."""
    if wanted.requirement.url is not None:
        raise _refusal(line, wanted.by, "is an address, and packages come from the package index by their names")
    if "===" in str(wanted.requirement.specifier) or "$" in line:
        raise _refusal(line, wanted.by, "holds === or $, which are not taken")
    if wanted.hashes and not is_pinned(wanted):
        raise _refusal(line, wanted.by, "has a hash, but not one version (name==1.2.3)")
    try:
        _ = wanted.requirement.marker and wanted.requirement.marker.evaluate()
    except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion, RecursionError):
        raise _refusal(line, wanted.by, "has a condition that makes no sense") from None


def is_pinned(wanted: Wanted) -> bool:
    """Tell whether one exact version is required."""
    specifiers = list(wanted.requirement.specifier)
    return len(specifiers) == 1 and specifiers[0].operator == "==" and "*" not in specifiers[0].version


def _refusal(text: str, by: str, why: str) -> BotRejected:
    shown = shortened(text)
    return BotRejected(
        f"{by[0].upper()}{by[1:]}: {shown!r} {why}. Write one package a line, as in: numpy>=2.0; or leave it out."
    )


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
