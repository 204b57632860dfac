"""Words of strangers, made fit to be shown."""

from __future__ import annotations


def harmless(text: str, spared: str = "") -> str:
    r"""
    Put a sign in the place of each character that would make a terminal or a page do things.

    >>> harmless("a\x1b[2Jb\u202ec")
    'a�[2Jb�c'

    Args:
        text: What somebody wrote.
        spared: Characters to leave as they are, such as line breaks.
    """
    return "".join(letter if letter.isprintable() or letter in spared else "�" for letter in text)
