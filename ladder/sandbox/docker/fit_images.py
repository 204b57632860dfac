"""Images that were looked at and found fit, kept so that each is looked at once on a machine, and not at each start."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from ladder.errors import SandboxError
from ladder.sandbox.docker.limits import SEAT_FOLDER
from ladder.sandbox.host.cache import cache_folder
from ladder.sandbox.host.guarded import read_own

MAX_IMAGES = 1000
"""Images that are remembered, the newest ones."""

_LINE = len("sha256:") + 64 + 1


def is_known_fit(image: str) -> bool:
    """Tell whether the image with this id was found fit, by the rules of this version."""
    return image in _known()


def remember_fit(image: str) -> None:
    """Remember it, for every process of this user. Where nothing can be written, it will be looked at again."""
    with suppress(OSError, SandboxError):  # a user without a home has nothing to write to
        path = _path()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = path.with_name(f".{path.name}.{os.getpid()}.{hashlib.sha256(image.encode()).hexdigest()[:8]}")
        written.write_text("".join(f"{each}\n" for each in [*_known(), image][-MAX_IMAGES:]))
        written.replace(path)


def _known() -> list[str]:
    try:
        return read_own(_path(), MAX_IMAGES * _LINE).split()
    except (OSError, SandboxError, UnicodeDecodeError):
        return []


def _path() -> Path:
    """Give the path of a file of its own for each set of rules."""
    rules = hashlib.sha256(SEAT_FOLDER.encode())
    for source in sorted(Path(__file__).parent.glob("image_*.py")):
        rules.update(source.read_bytes())
    return cache_folder() / f"fit-images-{rules.hexdigest()[:16]}"
