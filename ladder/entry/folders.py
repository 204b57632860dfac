"""Judgement of a bot's folder by the terms of a ladder, before it is packed, queued or built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.languages import source_of
from ladder.sandbox.bots.recipes import recipe_of

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.values.submission import SubmissionTerms


def check_folder(folder: Path, name: str, terms: SubmissionTerms) -> Content:
    """
    Judge a folder by all that is known without building it, and give its content.

    Args:
        folder: The bot's folder.
        name: The folder's name, as its owner knows it.
        terms: What the ladder takes.

    Raises:
        BotRejected: If the folder cannot be read, is too large, or is not built by this ladder.
    """
    content = source_of(Content.read(folder, terms.image_bytes))
    source = BotSource(
        name, folder=folder, content=content, builds=terms.builds, languages=terms.languages, images=terms.images
    )
    recipe_of(source, content)
    return content
