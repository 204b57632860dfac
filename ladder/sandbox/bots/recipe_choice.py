"""Choice of a recipe for a bot's folder: one of ours, or, where that is allowed, its own Dockerfile."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.bots.dockerfile_lines import NotUnderstood
from ladder.sandbox.bots.members import Kind
from ladder.sandbox.bots.pip_lines import REQUIREMENTS
from ladder.sandbox.bots.recipes import PLAIN, UNDERSTOOD, Recipe, read_recipe
from ladder.values.names import DOCKERFILE
from referee.records.framing import shortened

if TYPE_CHECKING:
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.bots.content import Content

MAX_COPIED = 2 * 1024**3
"""Bytes that all COPY lines of a Dockerfile together may copy, at the most."""


def recipe_of(source: BotSource, content: Content) -> Recipe | None:
    """
    Find how the folder is built.

    Args:
        source: The bot.
        content: What its folder holds.

    Returns:
        The recipe; None: by the folder's own Dockerfile, which does more than a recipe can say.

    Raises:
        BotRejected: If the folder does not say how, or its Dockerfile does more and only recipes are built.
    """
    if DOCKERFILE not in content.by_name:
        if content.file("bot.py") is None:
            raise BotRejected(
                f"The folder {source.folder} has no bot.py and no Dockerfile. A bot in another language needs an image "
                "of its own: see docs/submit.md."
            )
        return PLAIN
    dockerfile = content.file(DOCKERFILE)
    if dockerfile is None:
        raise BotRejected(f"The {DOCKERFILE} of {source.folder} is no file. Put the file itself there.")
    try:
        if content.by_name[DOCKERFILE].kind is Kind.LINK:
            raise NotUnderstood(1, "", "begins a link to another file")
        recipe = read_recipe(dockerfile)
        if recipe.copies * content.size > MAX_COPIED:
            raise NotUnderstood(1, "", f"begins a file that may copy more than {MAX_COPIED:,} bytes in all")
        if (line := recipe.requirements_line) and content.file(REQUIREMENTS) is None:
            raise line.refused(f"would install {REQUIREMENTS}, which the folder does not have")
        return recipe
    except NotUnderstood as error:
        if source.builds == "allowed":
            return None
        raise BotRejected(_why_not(source.name, error)) from None


def image_to_build(name: str) -> str:
    """Name the image that a bot's author builds: in small letters, digits and hyphens, as engines want it."""
    return f"{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-') or 'bot'}:1"


def _why_not(name: str, error: NotUnderstood) -> str:
    text, image = shortened(error.text), image_to_build(name)
    return (
        f"{name} is not built here: line {error.line} of its {DOCKERFILE}{f', {text!r},' if text else ''} {error.why}. "
        f"This ladder builds only {UNDERSTOOD}. Build its image yourself, in its folder, and submit that: "
        f"docker build -t {image} . && pigpen submit {image} --name {shlex.quote(name)}. (Of an image in another "
        "registry, submit the digest: registry/name@sha256:….) Or ask the organiser for the setting builds = "
        '"allowed".'
    )
