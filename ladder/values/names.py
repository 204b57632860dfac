"""Names of versions of bots."""

from __future__ import annotations

NAME_LENGTH = 64
"""The most characters in the name of an owner, a bot, or a variant."""


def label(bot: str, version: int) -> str:
    """
    Name a version as commands take it; the first one goes by the bot's name alone.

    >>> label("Trotter", 1), label("Trotter", 2)
    ('Trotter', 'Trotter@2')
    """
    return bot if version == 1 else f"{bot}@{version}"
