"""
Unpacked packages of a bot: regular files with the hashes of their RECORD, and nothing that Python runs by itself.

The same wheels give the same bytes, names and modes, whichever machine and order they came in. The size of packages is
limited; there are messages for those that are larger. A program that a stranger's input could make run for ever, or
fill the disk or the memory, is run with limits.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.host.machine import MIB
from ladder.sandbox.wheels.facts import PROVIDED_MODULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_PACKED_BYTES = 128 * MIB
"""All wheels of one bot together."""
MAX_BYTES = 320 * MIB
"""All packages of one bot, unpacked: with the base image's 140 MiB, what a table can keep in memory."""
MAX_FILES = 20_000
NAMED = 3
"""Packages that are named, the largest ones."""


def check_sizes(
    sizes: Mapping[str, int],
    files: int = 0,
    max_bytes: int = MAX_BYTES,
    max_files: int = MAX_FILES,
    how: str = "unpacked",
) -> None:
    """
    Make sure that packages are not too large together.

    Args:
        sizes: Bytes of each package, by its name for people.
        files: Number of their files.
        max_bytes: What all together may have.
        max_files: How many files all together may have.
        how: ``packed`` or ``unpacked``.

    Raises:
        BotRejected: If they are; the message has the limit, the size, the largest packages, and the ways out.
    """
    if files > max_files:
        raise BotRejected(f"The bot's packages have more than {max_files:,} files. Ask for fewer packages.")
    if sum(sizes.values()) > max_bytes:
        known = [name for name, size in sizes.items() if name and size]
        largest = sorted(known, key=lambda name: sizes[name], reverse=True)[:NAMED]
        named = ", ".join(f"{name} with {_amount(sizes[name])}" for name in largest)
        raise BotRejected(
            f"The bot's packages have at least {_amount(sum(sizes.values()))}, {how}; the limit is "
            f"{_amount(max_bytes)}{named and f' (the largest: {named})'}. Ask for fewer or smaller ones, such as the "
            "variant of one for CPUs alone, or bring an image of your own, which may hold more (docs/submit.md, "
            "Packages)."
        )


def _amount(size: int) -> str:
    return f"{size / MIB:.0f} MiB" if size >= 10 * MIB else f"{size:,} bytes"


POLL_SECONDS = 0.1
OUTPUT_BYTES = 64 * 1024
"""The end of the output, which is kept."""
MEMORY_BYTES = 4096 * MIB
OWN_BYTES, OWN_FILES = 64 * MIB, 5000
"""Space and files that the program may use on the disk besides packages: pages of the index, metadata."""
NO_MEMORY = "memory allocation of "
"""Begins the last words of a program in Rust that gets no more memory."""


@dataclass(frozen=True)
class RunLimits:
    """Of one run."""

    seconds: float = 180.0
    """Of wall time: those of the package index."""
    cpu_seconds: int = 60
    """Of CPU time: what resolving and unpacking cost is the packages' own doing."""
    max_bytes: int = MAX_BYTES + OWN_BYTES
    """On the disk at once."""
    max_files: int = MAX_FILES + OWN_FILES
    """On the disk at once."""


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path, limits: RunLimits) -> tuple[int, str]:
    """
    Run the program in *folder*, the one place where it writes; memory is limited on Linux only.

    Returns:
        Its exit code and the end of its output.

    Raises:
        BotRejected: If it wrote too much, or used too much CPU time or memory.
        SandboxError: If it took too long, or could not be started.
    """
    with (folder / "output.txt").open("w+b") as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"{command[0]} could not be started: {error.strerror}.") from error
        try:
            if sys.platform == "linux":
                _limit(process.pid, limits)
            code = _watch(process, folder, limits)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(max(0, output.seek(0, os.SEEK_END) - OUTPUT_BYTES))
        text = output.read().decode(errors="replace")
    if code and NO_MEMORY in text:
        raise BotRejected(
            f"The bot's packages take more than {_amount(MEMORY_BYTES)} of memory to fetch. Ask for fewer packages, or "
            "other versions; if this happens with packages that are in order, the package index is at fault."
        )
    return code, text


def _limit(pid: int, limits: RunLimits) -> None:
    import resource  # not on every platform

    with suppress(ProcessLookupError):  # it has ended
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (limits.max_bytes, limits.max_bytes))
        resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        resource.prlimit(pid, resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))


def _watch(process: subprocess.Popen[bytes], folder: Path, limits: RunLimits) -> int:
    deadline = time.monotonic() + limits.seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_SECONDS)
        sizes = _sizes(folder)
        if process.returncode == -signal.SIGXFSZ:
            sizes[0] = limits.max_bytes + 1
        check_sizes({"": sum(sizes.values())}, len(sizes), limits.max_bytes, limits.max_files)
        if process.returncode == -signal.SIGXCPU:
            raise BotRejected(
                f"The bot's packages take more than {limits.cpu_seconds} s of CPU time to choose and unpack. Ask for "
                "fewer packages, or for exact versions (numpy==2.4.6), which leave less to choose from."
            )
        if process.returncode is not None:
            return process.returncode
        if time.monotonic() > deadline:
            raise SandboxError(
                f"Fetching the bot's packages took longer than {limits.seconds:g} seconds. Try again when the "
                "package index answers more quickly."
            )


def _sizes(folder: Path) -> dict[int, int]:
    """Give the sizes of all files by inode: one with several names counts once."""
    sizes: dict[int, int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # moved or removed meanwhile
                found = (Path(parent) / name).lstat()
                sizes[found.st_ino] = found.st_size
    return sizes


AT_START = ("sitecustomize", "usercustomize")
"""Modules that Python imports by itself as it starts."""
HASHES = ("sha256", "sha384", "sha512")
"""PEP 427: nothing weaker."""
UNHASHED = ("RECORD", "RECORD.jws", "RECORD.p7s")
UVS_OWN = ("INSTALLER", "REQUESTED", "uv_cache.json", "direct_url.json")
"""Files in ``.dist-info`` folders that uv writes; some hold a time."""
SHADOWED = frozenset({(name,) for name in sys.stdlib_module_names} | {*PROVIDED_MODULES})
"""
Modules that Python or the SDK brings, by the parts of their paths. Packages stand before both on a bot's path: one of
these names would replace them, or run as Python starts.
"""
COMMANDS = "bin"
"""Folder into which uv puts a package's commands: they name this machine's Python."""
MAX_RECORD_BYTES = 4 * 1024 * 1024
MAX_DEPTH, MAX_NAME_BYTES = 20, 200
"""Of a path, and of one part of it."""


def clean(folder: Path) -> None:
    """
    Remove what is not to be there: files of uv's own, commands, and ``.pth`` files, which Python would run.

    So go modules with names of Python's own or of the SDK's: where pip installs them, they are not imported either.
    """
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
    return is_uvs or name.startswith(f"{COMMANDS}/") or last.lower().endswith(".pth") or _is_shadow(name)


def _is_shadow(name: str) -> bool:
    """
    Tell whether a file is, or belongs to, a module of a name that is taken.

    >>> [_is_shadow(name) for name in ("random.py", "encodings/utf_8.py", "google/protobuf/x.py")]
    [True, True, True]
    >>> [_is_shadow(name) for name in ("mine/random.py", "randomness.py", "google/api/x.py")]
    [False, False, False]
    """
    parts = [part.partition(".")[0] for part in name.split("/")[:2]]
    return (parts[0],) in SHADOWED or tuple(parts) in SHADOWED


def _record(info: Path, label: str) -> dict[str, str]:
    """Read RECORD: the hash of each file that stays."""
    try:
        with (info / "RECORD").open("rb") as file:
            content = file.read(MAX_RECORD_BYTES + 1)
        if len(content) > MAX_RECORD_BYTES:
            raise _refusal(label, f"has a RECORD of more than {MAX_RECORD_BYTES:,} bytes")
        rows = list(csv.reader(content.decode().splitlines()))
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
