"""
Naming of a bot's parts: its versions, its images, and the files of its folder.

Images are named by users and by engines; some of these names say nothing of an owner. Files that make a folder a bot's
have fixed names. The limits of an image are here because the ladder's registry and the sandbox share them.
"""

from __future__ import annotations

import re
from typing import Literal

NONE = "none"
"""In commands, in the place of the name of a group or a team: there is none."""
NAME_LENGTH = 64
"""The most characters in the name of an owner, a bot, or a variant."""


def label(bot: str, version: int) -> str:
    """
    Name a version as commands take it; the first one goes by the bot's name alone.

    >>> label("Trotter", 1), label("Trotter", 2)
    ('Trotter', 'Trotter@2')
    """
    return bot if version == 1 else f"{bot}@{version}"


def owner_code(number: int) -> str:
    """
    Name an owner where a name cannot be changed later: in chains of events, in files that others keep.

    No account can have such a name. By the code one sees which bots have one owner; whose it is, only the ladder knows.

    >>> owner_code(17)
    '#17'
    """
    return f"#{number}"


OURS = "pigpen/"
"""Images whose names begin with this are made by Pigpen on this machine; none of them comes from a registry."""
DEFAULT_REGISTRIES = ("docker.io/", "index.docker.io/")
"""Prefixes that may stand before an image's name without changing its meaning."""
_ID = re.compile("(sha256:)?[0-9a-f]{1,64}")


def is_ours(reference: str) -> bool:
    """Tell whether an image of that name is one that Pigpen made."""
    for registry in DEFAULT_REGISTRIES:
        reference = reference.removeprefix(registry)
    return reference.startswith(OURS)


def names_owner(reference: str) -> bool:
    """Tell whether the owner of an image can have called it that; Pigpen's names and bare ids name no owner."""
    return not (_ID.fullmatch(reference) or is_ours(reference))


MAIN_FILES = ("bot.py", "bot.js")
SOURCE_MAIN_FILES = ("bot.go", "bot.cpp", "bot.rs", "Bot.java", "Bot.cs")
"""Main files of bots in languages that are built first (`ladder.sandbox.bots.languages`)."""
BUILD_FILES = ("go.mod", "CMakeLists.txt", "package.json", "Cargo.toml")
"""Files that say how a folder is built: they make it a bot's, and stand in other projects as well."""
LANGUAGES = ("go", "cpp", "javascript", "rust", "java", "csharp")
"""Languages other than Python in which a folder can be submitted."""
DOCKERFILE = "Dockerfile"
REQUIREMENTS = "requirements.txt"
"""Names the packages that a bot needs."""
LOCK = "requirements.lock"
"""The packages that those resolved to, with their hashes."""
Builds = Literal["base", "allowed"]
"""Dockerfiles that are built: those that only add files to `pigpen/bot`, or any."""
Images = Literal["engine", "registry", "none"]
"""Images that can be submitted: those of the engine here, those pushed to the ladder's registry, or none."""
Public = Literal["played", "open", "off"]
"""The view of spectators: `played`: the cards played and those exposed face up; `open`: all cards; `off`: no events."""


MAX_FILES = 60_000
"""Files and folders, which the kernel maps one by one; lock_files.c, the program that locks them, has it too."""
MAX_LAYER_FILES = 4 * MAX_FILES
"""Those in all layers of an image: a layer may replace files of others, and a large image plays under gVisor."""
