"""An image's settings: what the engine and the runtime can start, and start quickly."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ladder.sandbox.docker.containers import MARK

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SETTINGS = 64 * 1024
"""Letters of command, environment and labels together. A kernel takes 128 KiB in one word of a command."""

MAX_WORDS = 256
"""Variables, and words of the command. The engine compares each variable with each: 30,000 take it a minute."""

MAX_PATH = 1024
MAX_NAME = 255
"""Bytes of a path, and of one name in it."""


class UnfitImage(Exception):
    """The image cannot run in the sandbox; the message says why and what to change, for its author."""


def check_config(config: Mapping[str, Any]) -> None:
    """
    Refuse settings with which no container starts, or which cost the engine long.

    Args:
        config: The image's settings, as the engine gives them.

    Raises:
        UnfitImage: If there are such.
    """
    variables = [str(each) for each in config.get("Env") or ()]
    words = [str(word) for part in ("Entrypoint", "Cmd") for word in config.get(part) or ()]
    labels = {str(key): str(value) for key, value in (config.get("Labels") or {}).items()}
    if sum(map(len, (*variables, *words, *labels, *labels.values()))) > MAX_SETTINGS:
        raise UnfitImage(f"its command, environment and labels have more than {MAX_SETTINGS:,} letters. Shorten them.")
    if max(len(variables), len(words)) > MAX_WORDS:
        raise UnfitImage(f"it has more than {MAX_WORDS} variables, or as many words in its command. Drop some.")
    if any("\0" in word for word in (*variables, *words)):
        raise UnfitImage("its command or environment holds a NUL character. Leave that out.")
    wrong = next((each for each in variables if each.find("=") < 1), None)
    if wrong is not None:
        raise UnfitImage(f"its environment holds {wrong!r}, which is not NAME=value.")
    odd = next((key for key in labels if key.startswith(MARK) and not f"{key}{labels[key]}".isprintable()), None)
    if odd is not None:  # Pigpen reads these, and quotes them in reasons and logs
        raise UnfitImage(f"its label {odd!r} holds a character that cannot be printed. Leave that out.")


def working_folder(config: Mapping[str, Any]) -> str:
    """
    Give the folder in which the image is to be started, as a plain absolute path.

    Raises:
        UnfitImage: If that is no path.
    """
    workdir = str(config.get("WorkingDir") or "/")
    names = workdir.encode().split(b"/")
    if not workdir.startswith("/") or "\0" in workdir or len(workdir) > MAX_PATH or max(map(len, names)) > MAX_NAME:
        raise UnfitImage(f"its WORKDIR {workdir[:80]!r} is no absolute path of at most {MAX_PATH} letters. Change it.")
    return "/" + posixpath.normpath(workdir).lstrip("/")
