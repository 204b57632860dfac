"""
The look of the site: style sheet and scripts, colours and sizes by name.

Style sheet and scripts have an address that changes when they do, so that browsers keep them. Colours and sizes, for
pictures and the page of design, are read from the style sheet.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

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
