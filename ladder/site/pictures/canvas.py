"""A sheet on which pictures for previews of links are drawn: text, cards, and the signs of suits."""

from __future__ import annotations

import io
from contextlib import suppress
from functools import cache, lru_cache

from PIL import Image, ImageDraw, ImageFont

from ladder.site.pictures.icons import icon_image
from ladder.site.rendering.static_files import palette
from ladder.values.text import sanitize

WIDTH, HEIGHT = 1200, 630
"""Pixels, as the previews of links have it."""
MARGIN = 60
FINER = 4
"""Signs are drawn this many times as large, and made smaller: so their edges are smooth."""
WIDE_FONTS = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansSC-Regular.otf",
    "wqy-microhei.ttc",
    "wqy-zenhei.ttc",
    "DejaVuSans.ttf",
)
"""Looked for on the machine for letters that the font of Pillow lacks."""
MISSING = "?"
"""Stands for a letter that no font has."""
PLAIN = str.maketrans({"−": "–"})
"""The font of Pillow has no minus sign."""
NO_LETTER = "\uffff"
SUITS = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}

Font = ImageFont.FreeTypeFont


class Canvas:
    """One picture of `WIDTH` × `HEIGHT` pixels; colours are named as in the style sheet."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH, HEIGHT), palette()["paper"])
        self._pen = ImageDraw.Draw(self.image)
        self._pen.rectangle((0, 0, WIDTH, 12), palette()["accent"])
        mark = icon_image(56)
        self.image.paste(mark, (WIDTH - MARGIN - 56, 44), mark)

    def png(self) -> bytes:
        """Pack the picture: with few colours, so that it is small."""
        made = io.BytesIO()
        few = self.image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(made, "PNG", compress_level=6)
        return made.getvalue()

    def text(
        self, x: float, y: float, words: str, size: int, colour: str = "ink", width: float = WIDTH, anchor: str = "ls"
    ) -> float:
        """
        Write a line.

        Args:
            x: Pixels from the left: where it begins; with *anchor* ``rs`` where it ends.
            y: Pixels from the top to the line on which the letters stand.
            words: What is written.
            size: Pixels of the font.
            colour: Its name.
            width: Pixels that it may take; longer words are cut, and end with ``…``.
            anchor: As in Pillow.

        Returns:
            The pixels that it takes.
        """
        font, shown = fitting(sanitize(words).translate(PLAIN), size, width)
        self._pen.text((x, y), shown, palette()[colour], font, anchor)
        return font.getlength(shown)

    def box(self, x: float, y: float, width: float, height: float, colour: str, radius: float = 8) -> None:
        """Draw a rectangle with round corners."""
        shape = _corners(round(width), round(height), round(radius))
        self.image.paste(palette()[colour], (round(x), round(y)), shape)

    def shade(self, x: float, y: float, width: float, height: float, colour: str, strength: float) -> None:
        """Draw a rectangle in a colour mixed with that of a sheet; *strength* is from 0 to 1."""
        parts = zip(_rgb(palette()["sheet"]), _rgb(palette()[colour]), strict=True)
        mixed = tuple(round(one + (other - one) * strength) for one, other in parts)
        self._pen.rectangle((x, y, x + width, y + height), mixed)

    def card(self, x: float, y: float, name: str, height: int = 64) -> float:
        """Draw a card face up, named as in a record; give its width."""
        width = height * 5 // 7
        self.box(x, y, width, height, "line", height / 9)
        self.box(x + 1, y + 1, width - 2, height - 2, "card", height / 9)
        suit = SUITS[name[1]]
        rank = "10" if name[0] == "T" else name[0]
        self._pen.text((x + width / 2, y + height * 0.46), rank, palette()[suit], _font(round(height * 0.46)), "ms")
        pip = round(height * 0.36)
        self.image.paste(palette()[suit], (round(x + (width - pip) / 2), round(y + height * 0.55)), sign(name[1], pip))
        return width

    def back(self, x: float, y: float, height: int) -> None:
        """Draw a card face down."""
        width = height * 5 // 7
        self.box(x, y, width, height, "line", height / 9)
        self.box(x + 2, y + 2, width - 4, height - 4, "card", height / 9)
        self.box(x + height / 12, y + height / 12, width - height / 6, height - height / 6, "accent", height / 14)


def fitting(words: str, size: int, width: float) -> tuple[Font, str]:
    """Give a font that has the letters of some words, and as many of them as fit in *width* pixels."""
    font, shown = _font_for(words, size)
    if font.getlength(shown) <= width:
        return font, shown
    low, high = 0, len(shown)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if font.getlength(f"{shown[:middle]}…") <= width else (low, middle - 1)
    return font, f"{shown[:low]}…"


@lru_cache(maxsize=32)
def sign(suit: str, size: int) -> Image.Image:
    """Draw the sign of a suit as a mask of *size* × *size* pixels."""
    large = Image.new("L", (size * FINER,) * 2)
    pen, unit = ImageDraw.Draw(large), size * FINER / 20

    def disc(x: float, y: float, radius: float) -> None:
        pen.ellipse([unit * each for each in (x - radius, y - radius, x + radius, y + radius)], 255)

    def corners(*places: tuple[float, float]) -> None:
        pen.polygon([(unit * x, unit * y) for x, y in places], 255)

    if suit == "D":
        corners((10, 0.5), (17, 10), (10, 19.5), (3, 10))
    elif suit == "H":
        disc(5.9, 6.3, 4.9)
        disc(14.1, 6.3, 4.9)
        corners((1.6, 8.8), (18.4, 8.8), (10, 19))
    else:
        disc(10, 11, 2.2)
        corners((9.2, 11), (10.8, 11), (13.8, 19.5), (6.2, 19.5))
        if suit == "S":
            disc(5.6, 11.6, 4.2)
            disc(14.4, 11.6, 4.2)
            corners((2.1, 9.3), (17.9, 9.3), (10, 0.5))
        else:
            disc(10, 5, 4.3)
            disc(5.2, 11.5, 4.3)
            disc(14.8, 11.5, 4.3)
    return large.resize((size, size), Image.Resampling.LANCZOS)


@lru_cache(maxsize=64)
def _corners(width: int, height: int, radius: int) -> Image.Image:
    large = Image.new("L", (width * 2, height * 2))
    ImageDraw.Draw(large).rounded_rectangle((0, 0, width * 2 - 1, height * 2 - 1), radius * 2, 255)
    return large.resize((width, height), Image.Resampling.BOX)


def _font_for(words: str, size: int) -> tuple[Font, str]:
    """Find the first font that has all letters; else Pillow's, with `MISSING` for those that it lacks."""
    for name in ("", *_wide_fonts()):
        if all(_has(name, letter) for letter in words):
            return _font(size, name), words
    return _font(size), "".join(letter if _has("", letter) else MISSING for letter in words)


@cache
def _wide_fonts() -> tuple[str, ...]:
    """List the `WIDE_FONTS` that this machine has."""
    found = []
    for name in WIDE_FONTS:
        with suppress(OSError):
            ImageFont.truetype(name, 16)
            found.append(name)
    return tuple(found)


@cache
def _font(size: int, name: str = "") -> Font:
    if not name:
        found = ImageFont.load_default(size)
        assert isinstance(found, ImageFont.FreeTypeFont), "Pillow has FreeType in all its wheels"
        return found
    return ImageFont.truetype(name, size)


@lru_cache(maxsize=4096)
def _has(name: str, letter: str) -> bool:
    """Tell whether a font has a letter: it does not draw it as one that no font has."""
    font = _font(16, name)
    return letter == " " or bytes(font.getmask(letter)) != bytes(font.getmask(NO_LETTER))


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour.removeprefix("#")))
