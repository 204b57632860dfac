"""Words of strangers, made fit for a terminal: bots print what they like, and a record may come from anybody."""

from __future__ import annotations


def harmless(text: str, spared: str = "") -> str:
    """
    Put a sign in the place of each character that would make a terminal do things.

    Args:
        text: What somebody wrote.
        spared: Characters to leave as they are, such as line breaks.
    """
    return "".join(letter if letter.isprintable() or letter in spared else "�" for letter in text)
