"""Words of strangers, made fit to be shown; numbers with their nouns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO

_PATHS = re.compile(r"""(?<=')/[^']*(?=')|(?<=")/[^"]*(?=")|\bunix:/+[^\s,;'"]+|(?<![\w.:/-])/[^\s,:;()'"]+""")
"""Absolute paths: between quotation marks to the second one, else to the next space; those in a URL are none."""


def sanitize(text: str, spared: str = "") -> str:
    r"""
    Put a sign in the place of each character that would make a terminal or a page do things.

    >>> sanitize("a\x1b[2Jb\u202ec")
    'a�[2Jb�c'

    Args:
        text: Text of unknown origin.
        spared: Characters to leave as they are, such as line breaks.
    """
    if text.isprintable():
        return str(text)
    return "".join(letter if letter.isprintable() or letter in spared else "�" for letter in text)


def csv_cell(value: object) -> object:
    """
    Make a value fit for a CSV file: its text is sanitized, and never a formula to programs that show tables.

    >>> csv_cell("=1+1"), csv_cell("Trotter"), csv_cell(-5)
    ("'=1+1", 'Trotter', -5)
    """
    if not isinstance(value, str):
        return value
    return f"'{sanitize(value)}" if value.startswith(("=", "+", "-", "@")) else sanitize(value)


def why_odd(text: str) -> str:
    r"""
    Say why a text cannot stand in one line of a page, a terminal or a calendar; empty: it can.

    >>> why_odd("gnp\u202e"), why_odd(" "), why_odd("拱猪 cup")
    ('it has the character U+202E, which cannot be printed', 'it is empty', '')
    """
    if not text.strip():
        return "it is empty"
    odd = unprintable(text)
    return odd and f"it has the character {odd}, which cannot be printed"


def unprintable(text: str) -> str:
    """Give the first character of a text that cannot be printed, as ``U+202E``; empty: there is none."""
    return next((f"U+{ord(letter):04X}" for letter in text if not letter.isprintable()), "")


def counted(count: int, one: str, many: str = "") -> str:
    """
    Give a number with its noun, or with its noun and verb.

    >>> counted(1, "deal"), counted(1234, "deal"), counted(2, "bot has", "bots have")
    ('1 deal', '1,234 deals', '2 bots have')

    Args:
        count: How many there are.
        one: The words for one.
        many: The words for another number; by default those for one with an s.
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def write_utf8(text: str, file: TextIO) -> None:
    """
    Write text that is for programs: in UTF-8, also where the file has another encoding, as standard output may have.

    Args:
        text: Text without lone surrogates.
        file: Open for writing; what has no bytes below it (`io.StringIO`) gets the text.
    """
    file.flush()
    if below := getattr(file, "buffer", None):
        below.write(text.encode())
        below.flush()
    else:
        file.write(text)


def without_paths(text: str) -> str:
    r"""
    Put a sign in the place of each path of this machine, for those who have no business there.

    >>> without_paths("'/srv/my ladder/data' is full: see /var/log/x.log, or https://example.org/disks.")
    "'…' is full: see …, or https://example.org/disks."
    """
    return _PATHS.sub("…", text)
