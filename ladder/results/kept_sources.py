"""
Sources of the bots that were entered as folders, until they are fingerprinted, and fingerprints after that.

The ladder plays from images, or from copies of folders, and looks into none of them. So that organisers can see which
programs resemble each other, the texts of a folder are put by when its bot is entered, within limits. The process that
computes makes fingerprints of them and removes them: only numbers stay, by the identity of the program.
"""

from __future__ import annotations

import array
import gzip
import json
import re
import sys
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ladder.results.files import write_safely

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

LANGUAGES = {
    ".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "typescript",
    ".go": "go", ".c": "c", ".h": "cpp", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".rs": "rust",
    ".java": "java", ".kt": "kotlin", ".cs": "csharp", ".rb": "ruby", ".lua": "lua", ".php": "php", ".swift": "swift",
    ".hs": "haskell", ".ml": "ocaml", ".jl": "julia", ".zig": "zig", ".pl": "perl", ".nim": "nim", ".scala": "scala",
}  # fmt: skip
"""The language of a source, in Pygments' words, by the ending of its name."""
MAX_BYTES = 256 * 1024
"""Bytes of all sources of a program that are looked at; the rest is left out."""
MAX_SOURCES = 200
"""Files of a program that are looked at."""
VERSION = 1
"""Of the way in which fingerprints are made: those of another one are not compared with these."""
WAITING_END, PRINTS_END = ".json.gz", f".{VERSION}.prints"
_HEX = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.ASCII)
_WIDTH = 8


def is_source(name: str) -> bool:
    """Tell by the name of a file whether it is a source."""
    return PurePosixPath(name).suffix.lower() in LANGUAGES


def sources_in(files: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    """
    Choose the sources among the files of a folder: those near its top first, within the limits.

    Args:
        files: Names, with ``/`` between their parts, and contents.
    """
    found: dict[str, str] = {}
    left = MAX_BYTES
    for name, content in sorted(files, key=lambda file: (file[0].count("/"), file[0])):
        if not is_source(name) or b"\0" in content or left <= 0 or len(found) == MAX_SOURCES:
            continue
        found[name] = content[:left].decode(errors="replace")
        left -= len(content)
    return found


class SourceFiles:
    """The folder `sources` of a ladder."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "sources"
        self._to_do, self._done = self.root / "waiting", self.root / "fingerprints"

    def put_by(self, identity: str, sources: Mapping[str, str]) -> None:
        """
        Keep the sources of a program until they are fingerprinted, unless they are already.

        Raises:
            OSError: If there is no room, or the folder cannot be written.
        """
        if sources and not self._prints(identity).exists():
            self._make(self._to_do)
            packed = gzip.compress(json.dumps(dict(sources)).encode(), mtime=0)
            write_safely(self._waiting(identity), packed)

    def waiting(self) -> list[str]:
        """Give the identities of the programs that are to be fingerprinted."""
        return _identities(self._to_do, WAITING_END)

    def fingerprinted(self) -> list[str]:
        """Give the identities of the programs of which there are fingerprints."""
        return _identities(self._done, PRINTS_END)

    def sources(self, identity: str) -> dict[str, str] | None:
        """Read what was put by; None if it is not there, or damaged."""
        try:
            with gzip.open(self._waiting(identity)) as file:
                found = json.loads(file.read(8 * MAX_BYTES))
        except (OSError, EOFError, zlib.error, ValueError):
            return None
        return {str(name): str(text) for name, text in found.items()} if isinstance(found, dict) else None

    def keep_prints(self, identity: str, prints: Sequence[int]) -> None:
        """
        Keep the fingerprints of a program, and remove its sources.

        Raises:
            OSError: If there is no room, or the folder cannot be written.
        """
        numbers = array.array("Q", prints)
        if sys.byteorder == "big":
            numbers.byteswap()
        self._make(self._done)
        write_safely(self._prints(identity), numbers.tobytes())
        self._waiting(identity).unlink(missing_ok=True)

    def remove(self, identity: str) -> None:
        """Remove sources and fingerprints of a program, if there are any."""
        for path in (self._waiting(identity), self._prints(identity)):
            path.unlink(missing_ok=True)

    def prints(self, identity: str) -> bytes:
        """Read fingerprints: eight bytes each, the lowest first, in rising order; nothing if there are none."""
        try:
            content = self._prints(identity).read_bytes()
        except OSError:
            return b""
        return content[: len(content) // _WIDTH * _WIDTH]

    def _make(self, folder: Path) -> None:
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(exist_ok=True)

    def _waiting(self, identity: str) -> Path:
        return self._to_do / f"{_hex(identity)}{WAITING_END}"

    def _prints(self, identity: str) -> Path:
        return self._done / f"{_hex(identity)}{PRINTS_END}"


def _identities(folder: Path, end: str) -> list[str]:
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    hexes = [name.removesuffix(end) for name in names if name.endswith(end)]
    return [f"sha256:{each}" for each in hexes if _HEX.fullmatch(each)]


def _hex(identity: str) -> str:
    found = _HEX.fullmatch(identity)
    if found is None:
        raise ValueError(f"{identity!r} is no identity of a program")
    return found[1]
