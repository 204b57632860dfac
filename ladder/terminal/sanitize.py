"""
Words of strangers, made fit for a terminal: bots print what they like, and a record may come from anybody.

Everything that a command prints goes through here: `sanitize` and `in_markup` for people, `json_line` and `toml_text`
for programs. None of them lets through what is not printable: control characters, C1 ones too, and those that change
the direction of writing.

What is for programs is UTF-8 in every locale, and ASCII where the terminal does not show UTF-8. So `json_line` and
`toml_text` give bytes, and `print_utf8` prints them. `typer.echo` prints them too, but in UTF-16 it begins a file with
a byte order mark.
"""

from __future__ import annotations

import codecs
import json
import sys

from rich.markup import escape

from ladder.values.text import sanitize as sanitize
from ladder.values.text import write_utf8

_ASCII = str.maketrans("♣♦♥♠▶›→←↑↓×─━●╭╮╰╯│·–…✗", "CDHS>>><^vx-=o++++|.-.!")


def in_markup(text: str) -> str:
    r"""
    Do the same where rich reads markup, which this text has none of.

    >>> in_markup("[bold]me")
    '\\[bold]me'
    """
    return escape(sanitize(text))


def json_line(value: object) -> bytes:
    r"""
    Write JSON in one line, with an escape for each character that would make a terminal do things.

    >>> print(json_line({"猪": "a\x1b[2Jb\u202e"}).decode())
    {"猪": "a\u001b[2Jb\u202e"}
    """
    text = json.dumps(value, ensure_ascii=not _shows_utf8())
    if text.isprintable():
        return text.encode()
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text).encode()


def toml_text(text: str) -> bytes:
    r"""
    Escape the same characters in TOML as `tomli_w` writes it, where they stand in quotes and comments only.

    >>> print(toml_text('name = "a\u202eb"').decode())
    name = "a\U0000202Eb"
    """
    all_letters = _shows_utf8()

    def escaped(letter: str) -> str:
        is_shown = letter == "\n" or (letter.isprintable() and (all_letters or letter.isascii()))
        return letter if is_shown else f"\\U{ord(letter):08X}"

    return "".join(map(escaped, text)).encode()


def print_utf8(content: bytes) -> None:
    """Print a line for programs as it is, whatever the encoding of standard output."""
    write_utf8(f"{content.decode()}\n", sys.stdout)


def _shows_utf8() -> bool:
    encoding = getattr(sys.stdout, "encoding", None)  # none: a test's text in memory
    return encoding is None or codecs.lookup(encoding).name == "utf-8"


def folded(text: str, encoding: str) -> str:
    """Write a line so that a terminal of that encoding can show it and does nothing else; each character stays one."""
    text = sanitize(text)
    if encoding.lower().startswith("utf"):
        return text
    return text.translate(_ASCII).encode(encoding, "replace").decode(encoding)
