"""Wheels made by the tests, good and bad ones, and a folder of them as the package index."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import shutil
import stat
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from ladder.errors import BotRejected
from ladder.sandbox.wheels.cache import sha256_of
from ladder.sandbox.wheels.fetch import PipFetch, Unavailable
from ladder.sandbox.wheels.target import Target

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


class Shelf:
    """A folder that is the package index, without pip, which takes a second each time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, lines: Sequence[str], target: Target, folder: Path) -> None:
        """Take the newest wheels that fit."""
        folder.mkdir()
        for line in lines:
            text, *hashes = line.split(" --hash=sha256:")
            found = self._newest(Requirement(text))
            if hashes and sha256_of(found) not in hashes:
                raise BotRejected(f"{found.name} has another hash.")
            shutil.copy(found, folder)

    def _newest(self, wanted: Requirement) -> Path:
        fits = {}
        for path in self.folder.glob("*.whl"):
            name, version, _, _ = parse_wheel_filename(path.name)
            if name == canonicalize_name(wanted.name) and version in wanted.specifier:
                fits[version] = path
        if not fits:
            raise Unavailable(str(wanted))
        return fits[max(fits)]


def index(folder: Path) -> PipFetch:
    """Fetch with pip from that folder, and from nowhere else."""
    return PipFetch("--isolated", "--no-index", f"--find-links={folder}")
