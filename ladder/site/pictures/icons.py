"""The icon of the site as PNG, for browsers and phones that take no SVG: drawn from the same file."""

from __future__ import annotations

import io
import re
from functools import cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from PIL import Image, ImageDraw

from ladder.site.rendering.static_files import FOLDER

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

UNITS = 32
"""Width and height of the drawing in its own units."""
FINER = 4
"""It is drawn this many times as large, and made smaller: so its edges are smooth."""
PART = re.compile(r"([Ml])([^Ml]*)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@cache
def icon(size: int, background: str | None = None, part: float = 1.0) -> bytes:
    """
    Draw the icon as PNG.

    Args:
        size: Width and height in pixels.
        background: A colour; None: transparent.
        part: Of width and height that the drawing fills, in the middle.
    """
    picture = icon_image(round(size * part), background)
    if part != 1.0:
        around = Image.new("RGBA", (size, size), background or (0, 0, 0, 0))
        around.paste(picture, ((size - picture.width) // 2,) * 2)
        picture = around
    made = io.BytesIO()
    picture.save(made, "PNG", optimize=True)
    return made.getvalue()


@cache
def favicon() -> bytes:
    """Draw the icon in the sizes that a file ``favicon.ico`` has."""
    made = io.BytesIO()
    icon_image(48).save(made, "ICO", sizes=[(16, 16), (32, 32), (48, 48)])
    return made.getvalue()


def icon_image(size: int, background: str | None = None) -> Image.Image:
    """Draw the icon; the arguments are those of `icon`."""
    large = Image.new("RGBA", (size * FINER,) * 2, background or (0, 0, 0, 0))
    pen, scale = ImageDraw.Draw(large), size * FINER / UNITS
    for element in ElementTree.parse(FOLDER / "icon.svg").getroot():
        _draw(pen, element, scale)
    return large.resize((size, size), Image.Resampling.LANCZOS)


def _draw(pen: ImageDraw.ImageDraw, element: Element, scale: float) -> None:
    kind, fill = element.tag.rpartition("}")[2], element.get("fill")

    def value(name: str) -> float:
        return scale * float(element.get(name, "0"))

    if kind == "rect":
        x, y = value("x"), value("y")
        pen.rounded_rectangle((x, y, x + value("width"), y + value("height")), value("rx"), fill)
    elif kind == "path":
        for corners in _polygons(element.get("d", "")):
            pen.polygon([(scale * x, scale * y) for x, y in corners], fill)
    else:
        x, y, across, up = value("cx"), value("cy"), value("rx") or value("r"), value("ry") or value("r")
        pen.ellipse((x - across, y - up, x + across, y + up), fill)


def _polygons(path: str) -> list[list[tuple[float, float]]]:
    """
    Read a path of straight lines.

    >>> _polygons("M8 12l2-6 5 3M24 12l-2-6")
    [[(8.0, 12.0), (10.0, 6.0), (15.0, 9.0)], [(24.0, 12.0), (22.0, 6.0)]]
    """
    found: list[list[tuple[float, float]]] = []
    for letter, text in PART.findall(path):
        numbers = [float(each) for each in NUMBER.findall(text)]
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            if letter == "M":
                found.append([(dx, dy)])
            else:
                x, y = found[-1][-1]
                found[-1].append((x + dx, y + dy))
    return found
