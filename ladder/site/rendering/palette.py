"""The look of the site by name, for pictures and the page of design: read from its style sheet."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from ladder.site.rendering.static_files import FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

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
