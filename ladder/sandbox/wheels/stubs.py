"""
Wheels of what a base image provides, without content: they keep uv from looking for these names in a package index.

They are constraints by address, which uv takes before any index: a stranger's `pigpen-sdk` on it is never read. Their
versions are those in the image, so that uv finds other packages that go with them.
"""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_stubs(provided: Mapping[str, str], folder: Path) -> str:
    """Write a wheel for each package into *folder*, and give the lines that constrain uv to them."""
    return "".join(f"{name} @ {_stub(name, version, folder).as_uri()}\n" for name, version in provided.items())


def _stub(name: str, version: str, folder: Path) -> Path:
    stem = f"{name.replace('-', '_')}-{version}"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {
        "METADATA": metadata,
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in files.items():
            wheel.writestr(f"{stem}.dist-info/{file}", text)
    return path
