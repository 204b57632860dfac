"""
The wheels of Pigpen that a site hands out, so that contestants install what fits this ladder, and the command that
installs an extra of an installed Pigpen.

Pigpen is on no package index, and a stranger could register its names on one. So pip must never look for them: each
wheel is named by its address and its SHA-256, or by its file.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

import ladder
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SDK, ARENA = "pigpen-sdk", "pigpen-arena"
EXTRAS = ("data", "ladder", "learn", "onnx", "openspiel", "worker")
"""Parts of the arena that contestants need not install."""
FILES = ("./pigpen_sdk-*.whl", f"./pigpen_arena-{__version__}-py3-none-any.whl")
"""Both wheels in the current folder, as a shell takes them."""
FOLDER = "wheels"
"""In the ladder's folder."""
CHECKOUT = Path(ladder.__file__).parents[1]


@dataclass(frozen=True)
class OfferedWheel:
    """A wheel of this version."""

    path: Path
    distribution: str
    platforms: frozenset[str]
    """As the file's name has them: `any`, or for example `musllinux_1_1_x86_64`."""
    digest: str
    """64 hexadecimal digits of SHA-256."""

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def machine(self) -> str:
        """The machine for which it is compiled, as `uname -m` calls it; empty if for any."""
        return next(
            (each for each in ("x86_64", "aarch64") for name in self.platforms if name.endswith(f"_{each}")), ""
        )


def find_wheels(data_dir: Path, checkout: Path = CHECKOUT) -> tuple[OfferedWheel, ...]:
    """
    Find the wheels that go together: the arena's, and of the SDK one for each platform; none if either is missing.

    Args:
        data_dir: The ladder's folder; its folder `wheels` comes first.
        checkout: Where Pigpen's sources are, if this is a checkout: `make wheels` writes to its folder `dist`.
    """
    folders = [data_dir / FOLDER]
    if (checkout / "pyproject.toml").is_file():
        folders.append(checkout / "dist")
    for folder in folders:
        found = {wheel.name: wheel for wheel in _wheels(folder)}
        if {wheel.distribution for wheel in found.values()} == {SDK, ARENA}:
            return tuple(found.values())
    return ()


def requirements(wheels: Sequence[OfferedWheel], address: str, extra: str = "") -> str:
    """
    Write what `pip install -r` takes.

    On each machine exactly one line of the SDK applies, so that pip never looks for the SDK on an index.

    Args:
        wheels: What `find_wheels` gave.
        address: Of the site, without a slash at the end.
        extra: Part of the arena to install besides, of `EXTRAS`; empty: none.
    """
    sdk = sorted((wheel for wheel in wheels if wheel.distribution == SDK), key=lambda wheel: wheel.machine)
    last, *others = [*(wheel for wheel in sdk if not wheel.machine), *(wheel for wheel in sdk if wheel.machine)]
    conditions = [f'sys_platform == "linux" and platform_machine == "{wheel.machine}"' for wheel in others]
    rest = " and ".join(f'(sys_platform != "linux" or platform_machine != "{wheel.machine}")' for wheel in others)
    arena = next(wheel for wheel in wheels if wheel.distribution == ARENA)
    chosen = [*zip(others, conditions, strict=True), (last, rest), (arena, "")]
    return "".join(f"{_line(wheel, address, extra)}{f' ; {when}' if when else ''}\n" for wheel, when in chosen)


def install_line(*extras: str) -> str:
    """
    Give the command that adds extras to this Pigpen, from where it was installed: a site, files of wheels, or sources.

    Args:
        extras: At least one of `EXTRAS`.
    """
    sdk, arena = _installed_from(SDK), _installed_from(ARENA)
    site, is_of_site, _ = str(arena.get("url", "")).partition("/wheels/")
    if is_of_site and site.startswith(("https://", "http://")):
        return " ".join(["pip install", *(f"-r {shlex.quote(f'{site}/wheels/{extra}.txt')}" for extra in extras)])
    places = [_place(sdk), _place(arena, f"[{','.join(extras)}]")]
    if not all(places):
        places = [FILES[0], shlex.quote(f"{FILES[1]}[{','.join(extras)}]")]
    return " ".join(["pip install", *places])


def _installed_from(distribution: str) -> dict[str, object]:
    """Origin of an installed distribution, as PEP 610 has it; empty if that is not known."""
    with suppress(metadata.PackageNotFoundError, ValueError):
        found = json.loads(metadata.distribution(distribution).read_text("direct_url.json") or "{}")
        return found if isinstance(found, dict) else {}
    return {}


def _place(origin: dict[str, object], extras: str = "") -> str:
    """Argument of pip for a file or a folder that is still there; empty for any other origin."""
    address, about = urlsplit(str(origin.get("url", ""))), origin.get("dir_info")
    path = url2pathname(address.path)
    if address.scheme != "file" or not Path(path).exists():
        return ""
    is_editable = isinstance(about, dict) and about.get("editable")
    return f"{'--editable ' if is_editable else ''}{shlex.quote(path + extras)}"


def _line(wheel: OfferedWheel, address: str, extra: str) -> str:
    name = f"{ARENA}[{extra}]" if extra and wheel.distribution == ARENA else wheel.distribution
    return f"{name} @ {address}/wheels/{wheel.name}#sha256={wheel.digest}"


def _wheels(folder: Path) -> Iterator[OfferedWheel]:
    for path in sorted(folder.rglob("*.whl")):
        try:
            name, version, _, tags = parse_wheel_filename(path.name)
        except InvalidWheelFilename:
            continue
        if name in (SDK, ARENA) and str(version) == __version__:
            platforms = frozenset(tag.platform for tag in tags)
            yield OfferedWheel(path, name, platforms, hashlib.sha256(path.read_bytes()).hexdigest())
