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
    from collections.abc import Iterator

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
        return hashlib.sha256(f"{self.about}\0{Content.read(self.package).hash}".encode()).hexdigest()

    def write_wheel(self, folder: Path) -> Path:
        """Write the wheel into *folder*; it fits every machine and Python."""
        wheel = folder / f"pigpen_sdk-{self.version}-py3-none-any.whl"
        record = f"pigpen_sdk-{self.version}.dist-info/RECORD"
        lines = []
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in self._files():
                packed.writestr(_entry(name), content)
                lines.append(f"{name},sha256={_digest(content)},{len(content)}\n")
            packed.writestr(_entry(record), "".join([*lines, f"{record},,\n"]))
        return wheel

    def _files(self) -> Iterator[tuple[str, bytes]]:
        for member in Content.read(self.package).members:
            if member.kind in (Kind.FILE, Kind.EXECUTABLE):
                yield f"pigpen/{member.name}", member.content
        yield f"pigpen_sdk-{self.version}.dist-info/METADATA", self.about.encode()
        yield f"pigpen_sdk-{self.version}.dist-info/WHEEL", _WHEEL.encode()


def installed_sdk() -> Sdk:
    """The SDK that this Pigpen plays with."""
    found = metadata.distribution(NAME)
    return Sdk(Path(pigpen.__file__).parent, found.read_text("METADATA") or "", found.version)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.external_attr = _FILE
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
