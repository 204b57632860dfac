"""Wheels made by the tests, good and bad ones, and a folder of them as the package index."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import stat
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ladder.sandbox.wheels.installed import RunLimits
from ladder.sandbox.wheels.uv import Index, Uv

LINK = (stat.S_IFLNK | 0o777) << 16
PROGRAM = (stat.S_IFREG | 0o755) << 16


def new_wheel(
    folder: Path,
    name: str,
    version: str = "1.0",
    files: Mapping[str, bytes] | None = None,
    *,
    needs: Sequence[str] = (),
    attributes: Mapping[str, int] | None = None,
    record: Mapping[str, str] | None = None,
    unrecorded: Mapping[str, bytes] | None = None,
    tag: str = "py3-none-any",
) -> Path:
    """
    Write a wheel.

    Args:
        folder: Where.
        name: Of the package; without *files* it holds one module of that name that knows its version.
        version: Its version.
        files: What it holds beside its metadata.
        needs: What it requires.
        attributes: External attributes of files in the archive.
        record: Hashes that stand in RECORD instead of the right ones.
        unrecorded: Files that RECORD does not name.
        tag: For which interpreters it is.
    """
    info = f"{name}-{version}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    lines += [f"Requires-Dist: {need}" for need in needs]
    extras = {need.partition("extra == ")[2].strip("'\"") for need in needs if "extra ==" in need}
    lines += [f"Provides-Extra: {extra}" for extra in sorted(extras)]
    own = {f"{name}.py": f"VERSION = {version!r}\n".encode()} if files is None else files
    content = {
        **own,
        f"{info}/METADATA": "\n".join([*lines, "", ""]).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
    }
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    for file, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        writer.writerow([file, (record or {}).get(file, f"sha256={digest}"), len(data)])
    writer.writerow([f"{info}/RECORD", "", ""])
    path = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in {**content, f"{info}/RECORD": rows.getvalue().encode(), **(unrecorded or {})}.items():
            entry = zipfile.ZipInfo(file, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (attributes or {}).get(file, (stat.S_IFREG | 0o644) << 16)
            archive.writestr(entry, data)
    return path


def uv_of(folder: Path, limits: RunLimits | None = None, **options: Any) -> Uv:
    """Give uv that takes wheels from that folder, and from nowhere else."""
    arguments = ("--no-index", f"--find-links={folder}")
    return Uv(lambda: Index(arguments), limits or RunLimits(), **options)


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
