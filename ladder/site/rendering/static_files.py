"""
The look of the site: style sheet and scripts, colours and sizes by name, faces for bots and owners.

Style sheet and scripts have an address that changes when they do, so that browsers keep them. Colours and sizes, for
pictures and the page of design, are read from the style sheet. A face is drawn from a hash of the name, so that a
reader finds the name again at a glance.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from markupsafe import Markup
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike, stat_result

    from starlette.responses import Response
    from starlette.types import Scope

FOLDER = Path(__file__).parents[1] / "static"
FOR_EVER = "public, max-age=31536000, immutable"


def digest(folder: Path = FOLDER) -> str:
    """Compute sixteen hexadecimal digits that depend on all files of the folder."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            total.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]


class KeptFiles(StaticFiles):
    """The files, which never change under their address."""

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """See starlette."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = FOR_EVER
        return response


TOKENS = "style.css"
IN_THE_DARK = "prefers-color-scheme: dark"
COLOUR = re.compile(r"--([\w-]+):\s*(#[0-9a-f]{6});")
SIZE = re.compile(r"--((?:text|space|round)-\w+):\s*(\.?\d[\w.]*);")


@cache
def palette(is_dark: bool = False) -> Mapping[str, str]:
    """Give the colours by name, as ``#rrggbb``; those of the dark are the light ones where it has none of its own."""
    light, _, rest = (FOLDER / TOKENS).read_text(encoding="utf-8").partition(IN_THE_DARK)
    dark, _, _ = rest.partition("}")
    return MappingProxyType(dict(COLOUR.findall(light)) | (dict(COLOUR.findall(dark)) if is_dark else {}))


@cache
def sizes() -> Mapping[str, str]:
    """Give the sizes of text, the spaces and the corners by name, such as ``text-s``, as CSS has them."""
    tokens, _, _ = (FOLDER / TOKENS).read_text(encoding="utf-8").partition(IN_THE_DARK)
    return MappingProxyType(dict(SIZE.findall(tokens)))


GROUNDS = 8
"""Colours behind the face; the style sheet has one for each number."""
SKINS = 3
EARS = (
    "M8 12l2-6 5 3M24 12l-2-6-5 3",
    "M7 14l0-8 7 3M25 14l0-8-7 3",
    "M6 10l6-3 3 3M26 10l-6-3-3 3",
)
EYES = (
    '<circle class="eye" cx="12.6" cy="14.5" r="1.2"/><circle class="eye" cx="19.4" cy="14.5" r="1.2"/>',
    '<path class="brow" d="M11 14.5h3M18 14.5h3"/>',
    '<circle class="eye" cx="12.6" cy="14" r="1.8"/><circle class="eye" cx="19.4" cy="14" r="1.8"/>',
)
SPOTS = (
    "",
    '<circle class="spot-of" cx="11" cy="11.5" r="2.6"/>',
    '<circle class="spot-of" cx="21.5" cy="20" r="2.4"/>',
)
SNOUTS = ((4.6, 3.4), (5.6, 3.0))


@lru_cache(maxsize=4096)
def avatar(name: str) -> Markup:
    """Draw the face of a name: one of 1,296. It says nothing that the name beside it does not."""
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")

    def choose(count: int) -> int:
        nonlocal number
        number, found = divmod(number, count)
        return found

    ground, skin = choose(GROUNDS), choose(SKINS)
    ears, eyes, spot = EARS[choose(len(EARS))], EYES[choose(len(EYES))], SPOTS[choose(len(SPOTS))]
    across, up = SNOUTS[choose(len(SNOUTS))]
    return Markup(
        f'<svg class="avatar ground-{ground} skin-{skin}" viewBox="0 0 32 32" aria-hidden="true" focusable="false">'
        f'<rect width="32" height="32" rx="8"/><path class="ears" d="{ears}"/>'
        '<circle class="skin" cx="16" cy="17" r="9"/>'
        f'{spot}{eyes}<ellipse class="snout" cx="16" cy="19.5" rx="{across}" ry="{up}"/>'
        '<circle class="hole" cx="14.4" cy="19.5" r="1"/><circle class="hole" cx="17.6" cy="19.5" r="1"/></svg>'
    )
