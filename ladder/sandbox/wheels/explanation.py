"""Explanation of uv's failures, in one sentence for the owner of the bot, or for the organiser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.errors import BotRejected, SandboxError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.sandbox.wheels.requirements import Wanted
    from ladder.sandbox.wheels.target import Target

MAX_CHARACTERS = 1000
"""Of what uv says."""
_UNREACHED = re.compile(
    r"error sending request|response body|dns error|timed out|connection (closed|reset)|status (client|server) error|"
    r"authentication credentials|returned a 403 Forbidden"
)
_FULL = re.compile(r"os error (28|122)\b")
_UNFIT = re.compile(r"No solution found|URL dependency|parse requirement")
_BAD_WHEEL = re.compile(r"Hash mismatch|extract|wheel is invalid|Failed to install|metadata")


def explained(output: str, target: Target, wanted: Sequence[Wanted] = ()) -> BotRejected | SandboxError:
    """
    Give the error.

    Args:
        output: The end of uv's output.
        target: The interpreter that wheels were to fit.
        wanted: What was asked for; lines are named by it.
    """
    text = _plain(output)
    if _FULL.search(output):
        return SandboxError(
            f"uv could not unpack the bot's packages: {text}. Make room on that disk, or name other folders: "
            "TMPDIR and XDG_CACHE_HOME in the environment."
        )
    if _UNREACHED.search(output):
        return _failure(text)
    if _UNFIT.search(output):
        return BotRejected(
            f"The package index has no wheels for {target} that fit all requirements: {_named(text, wanted)}. "
            f"{_brought(text, target)}Ask for other versions, or leave a package out: packages that come as sources "
            "only cannot be used."
        )
    if _BAD_WHEEL.search(output):
        return BotRejected(
            f"A wheel cannot be used: {text}. Ask for another version, or leave the package out. If a lock names its "
            "hash, make it anew: pigpen lock FOLDER"
        )
    return _failure(text)


def _failure(text: str) -> SandboxError:
    return SandboxError(
        f"uv could not fetch the bot's packages: {text or 'it printed no message'}. Try again when the package index "
        "answers, or look at the settings of pip on this machine: pip config list"
    )


def _plain(output: str) -> str:
    """Give what uv says in one line, without its headings, hints and conclusions."""
    before, _, after = output.partition("\nhint:")[0].partition("error:")
    text = re.sub(r"\bcause:|No solution found when resolving dependencies", "", after or before)
    text = text.replace(", we can conclude that your requirements are unsatisfiable", "")
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text[:MAX_CHARACTERS].rstrip(".")


def _named(text: str, wanted: Sequence[Wanted]) -> str:
    """Name lines of the bot's file where uv speaks to its user."""
    for each in wanted:
        pattern = rf"(?<!conclude that )\byou require {re.escape(each.name)}(?![\w-])"
        text = re.sub(pattern, f"{each.by} requires {each.name}", text)
    return text


def _brought(text: str, target: Target) -> str:
    found = [f"{name} {version}" for name, version in target.provided.items() if f" {name}" in text]
    return f"The SDK brings {' and '.join(found)}, and a bot has one version of it. " if found else ""
