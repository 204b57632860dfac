"""
Words of strangers, made fit for a terminal: bots print what they like, and a record may come from anybody.

Everything that a command prints goes through here: `sanitize` and `in_markup` for people, `json_line` and `toml_text`
for programs. None of them lets through what is not printable: control characters, C1 ones too, and those that change
the direction of writing.
"""

from __future__ import annotations

import json

from rich.markup import escape

from ladder.values.text import sanitize as sanitize

_ASCII = str.maketrans("♣♦♥♠▶›→←↑↓×─━●╭╮╰╯│·–…✗", "CDHS>>><^vx-=o++++|.-.!")


def in_markup(text: str) -> str:
    r"""
    Do the same where rich reads markup, which this text has none of.

    >>> in_markup("[bold]me")
    '\\[bold]me'
    """
    return escape(sanitize(text))


def json_line(value: object) -> str:
    r"""
    Write JSON in one line, with an escape for each character that would make a terminal do things.

    >>> json_line({"猪": "a\x1b[2Jb\u202e"})
    '{"猪": "a\\u001b[2Jb\\u202e"}'
    """
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in text)


def toml_text(text: str) -> str:
    r"""
    Escape the same characters in TOML as `tomli_w` writes it, where they stand in quotes only.

    >>> toml_text('name = "a\u202eb"\n')
    'name = "a\\U0000202Eb"\n'
    """
    return "".join(letter if letter.isprintable() or letter == "\n" else f"\\U{ord(letter):08X}" for letter in text)


def folded(text: str, encoding: str) -> str:
    """Write a line so that a terminal of that encoding can show it and does nothing else; each character stays one."""
    text = sanitize(text)
    if encoding.lower().startswith("utf"):
        return text
    return text.translate(_ASCII).encode(encoding, "replace").decode(encoding)
