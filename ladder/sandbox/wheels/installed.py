"""
Look at what uv has unpacked: regular files with the hashes of their RECORD, and nothing that Python runs by itself.

The same wheels give the same bytes, names and modes, whichever machine and order they came in.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import shutil
from pathlib import Path

from ladder.errors import BotRejected
from ladder.sandbox.wheels.sizes import MAX_BYTES, MAX_FILES, check_sizes

AT_START = ("sitecustomize", "usercustomize")
"""Modules that Python imports by itself as it starts."""
HASHES = ("sha256", "sha384", "sha512")
"""PEP 427: nothing weaker."""
UNHASHED = ("RECORD", "RECORD.jws", "RECORD.p7s")
UVS_OWN = ("INSTALLER", "REQUESTED", "uv_cache.json", "direct_url.json")
"""Files in ``.dist-info`` folders that uv writes; some hold a time."""
COMMANDS = "bin"
"""Folder into which uv puts a package's commands: they name this machine's Python."""
MAX_RECORD_BYTES = 4 * 1024 * 1024
MAX_DEPTH, MAX_NAME_BYTES = 20, 200
"""Of a path, and of one part of it."""


def clean(folder: Path) -> None:
    """Remove what is not to be there: files of uv's own, commands, and ``.pth`` files, which Python would run."""
    shutil.rmtree(folder / COMMANDS, ignore_errors=True)
    for name in _files(folder):
        if _is_removed(name):
            (folder / name).unlink()


def check(folder: Path, max_bytes: int = MAX_BYTES, max_files: int = MAX_FILES) -> None:
    """
    Make sure that a cleaned folder holds what the RECORD of each package says, and nothing else.

    Raises:
        BotRejected: If it does not, or if it holds what must not be there, or too much.
    """
    files, recorded, sizes = _files(folder), dict[str, tuple[str, str]](), dict[str, int]()
    for info in sorted(folder.glob("*.dist-info")):
        label = info.name.removesuffix(".dist-info").replace("-", " ")
        for name, hashed in _record(info, label).items():
            owner, other = recorded.setdefault(name, (label, hashed))
            if other != hashed:
                raise _refusal(label, f"and that of {owner} both hold {name[:80]!r}, and not the same one")
            sizes[label] = sizes.get(label, 0) + files.get(name, 0)
    check_sizes(sizes | {"": sum(files.values()) - sum(sizes.values())}, len(files), max_bytes, max_files)
    if odd := sorted({name for name in files if not is_unhashed(name)} ^ set(recorded)):
        owner, _ = recorded.get(odd[0]) or (" or ".join(sorted(sizes)[:3]), "")
        raise _refusal(owner, f"and its RECORD do not name the same files: {odd[0][:80]!r}")
    for name, (label, hashed) in recorded.items():
        _check_file(folder, name, label, hashed)


def is_unhashed(name: str) -> bool:
    """Tell whether a file is a RECORD, which is of no use to a bot: it names files that are not there."""
    parent, _, last = name.rpartition("/")
    return parent.endswith(".dist-info") and "/" not in parent and last in UNHASHED


def _files(folder: Path) -> dict[str, int]:
    """Give the sizes of all files, by their paths from the folder on."""
    paths = [Path(parent) / name for parent, folders, names in os.walk(folder) for name in folders + names]
    if odd := [path for path in paths if path.is_symlink() or not (path.is_file() or path.is_dir())]:
        raise BotRejected(f"The bot's packages hold {odd[0].name[:80]!r}, a link or a device. Leave them out.")
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in paths if path.is_file()}


def _is_removed(name: str) -> bool:
    parent, _, last = name.rpartition("/")
    is_uvs = name == ".lock" or (parent.endswith(".dist-info") and last in UVS_OWN)
    return is_uvs or name.startswith(f"{COMMANDS}/") or last.lower().endswith(".pth")


def _record(info: Path, label: str) -> dict[str, str]:
    """Read RECORD: the hash of each file that stays."""
    try:
        with (info / "RECORD").open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file.read(MAX_RECORD_BYTES).splitlines()))
        return {row[0]: row[1] for row in rows if not (_is_removed(row[0]) or is_unhashed(row[0]))}
    except (OSError, ValueError, IndexError, csv.Error) as error:
        raise _refusal(label, f"has a RECORD that cannot be read ({type(error).__name__})") from None


def _check_file(folder: Path, name: str, label: str, hashed: str) -> None:
    parts = name.split("/")
    if not name.isprintable() or "\\" in name:
        raise _refusal(label, f"holds {name[:80]!r}, which is no name of a file inside it")
    if len(parts) > MAX_DEPTH or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        raise _refusal(label, f"holds {name[:80]!r}, which is too deep or too long a name")
    if parts[0].partition(".")[0].lower() in AT_START:
        raise _refusal(label, f"holds {parts[0][:80]!r}, which Python would run in every program by itself")
    kind, _, digest = hashed.partition("=")
    if kind not in HASHES:
        raise _refusal(label, f"has no good hash of {name[:80]!r} in its RECORD")
    with (folder / name).open("rb") as file:
        found = base64.urlsafe_b64encode(hashlib.file_digest(file, kind).digest()).decode()
    if found.rstrip("=") != digest.rstrip("="):
        raise _refusal(label, f"holds {name[:80]!r}, whose hash is not the one in its RECORD")


def _refusal(label: str, why: str) -> BotRejected:
    return BotRejected(f"The wheel of {label} {why}. Ask for another version, or leave the package out.")
