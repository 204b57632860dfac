"""
The SDK that is installed here, from a checkout or from a wheel, and the same packed as a wheel for the bot base image.

Nothing is built or fetched for it: Python files run anywhere, and the compiled engine is there for both machines.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pigpen
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.members import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAME = "pigpen-sdk"
_WHEEL = "Wheel-Version: 1.0\nGenerator: pigpen\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_FILE = 0o100644 << 16


@dataclass(frozen=True)
class Sdk:
    """The files of the package `pigpen`, and what pip must know of them."""

    package: Path
    """The folder `pigpen`."""
    about: str
    """The METADATA of the distribution: what it needs, and its version."""
    version: str

    @property
    def hash(self) -> str:
        """A hash of all that is in the wheel."""
        return hashlib.sha256(f"{self.about}\0{_content(self.package).hash}".encode()).hexdigest()

    def write_wheel(self, folder: Path) -> Path:
        """Write the wheel into *folder*; it fits every machine and Python."""
        return pack_wheel(folder, NAME, self.version, self.about, {self.package.name: self.package})


def pack_wheel(folder: Path, name: str, version: str, about: str, packages: Mapping[str, Path]) -> Path:
    """
    Write a wheel into *folder* that fits every machine and Python.

    Args:
        folder: Where to.
        name: The distribution, such as ``pigpen-sdk``.
        version: Its version.
        about: Its METADATA.
        packages: Each folder of the wheel, and the folder here that it holds.
    """
    stem = f"{name.replace('-', '_')}-{version}"
    wheel, record = folder / f"{stem}-py3-none-any.whl", f"{stem}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in _files(stem, about, packages):
            packed.writestr(_entry(path), content)
            lines.append(f"{path},sha256={_digest(content)},{len(content)}\n")
        packed.writestr(_entry(record), "".join([*lines, f"{record},,\n"]))
    return wheel


def _files(stem: str, about: str, packages: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    for name, package in packages.items():
        for member in _content(package).members:
            if member.kind in (Kind.FILE, Kind.EXECUTABLE):
                yield f"{name}/{member.name}", member.content
    yield f"{stem}.dist-info/METADATA", about.encode()
    yield f"{stem}.dist-info/WHEEL", _WHEEL.encode()


def _content(package: Path) -> Content:
    """Read a package without proto files: no image needs them, and a checkout has them in another folder."""
    members = Content.read(package).members
    return Content(tuple(member for member in members if not member.name.endswith(".proto")))


def installed_sdk() -> Sdk:
    """Give the SDK that this Pigpen plays with."""
    found = metadata.distribution(NAME)
    return Sdk(Path(pigpen.__file__).parent, found.read_text("METADATA") or "", found.version)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = _FILE
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
