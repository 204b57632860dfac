"""Resolution of a bot's word on the command line: a sample bot, a folder, or an image."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.sandbox.bots.content import Content
from ladder.values.names import (
    BUILD_FILES,
    DOCKERFILE,
    LANGUAGES,
    MAIN_FILES,
    SOURCE_MAIN_FILES,
    Builds,
    Images,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pigpen import Bot


_ROOT = Path(__file__).resolve().parents[3]


def _shipped(name: str) -> Path:
    """Find a folder of bots to copy: in `pigpen_arena` where a wheel is installed, at the top of a checkout."""
    installed = _ROOT / "pigpen_arena" / name
    return installed if installed.is_dir() else _ROOT / name


SAMPLES = _shipped("sample_bots")
"""A folder for each sample bot."""
KITS = _shipped("starter_kits")
"""A folder for each language in which there is no sample bot."""
COMMAND = "cmd:"
"""Prefix of the command line of a program that plays without a sandbox."""
LINES = "lines:"
"""The same, of a program that reads and writes lines (`pigpen.lines`)."""
_ALL_MAIN_FILES = (*MAIN_FILES, *SOURCE_MAIN_FILES)
_MAIN_BY_ENDING = {Path(name).suffix: name for name in _ALL_MAIN_FILES}
_OTHER_PACKAGE_FILES = {
    "pyproject.toml": "dependencies",
    "Pipfile": "[packages]",
    "environment.yml": "dependencies:",
    "setup.cfg": "install_requires",
    "setup.py": "install_requires",
}
"""Files in which other tools name packages, each with a text in it that shows that it names some."""
FindBuilt = Callable[[str], str | None]
"""
Takes the key of a build (`ladder.sandbox.docker.built_images`), loads into this engine what was built with it before,
and gives the image's id, or None. Raises `SandboxError` if it cannot be known.
"""
FindBot = Callable[[str], "BotSource"]
"""Finds the bot that a word means. Raises `UnknownBot`."""
_IMAGE = r"(sha256:[0-9a-f]{64}|[a-z0-9]+([._/:-]+[a-z0-9]+)*(:[\w.-]+)?(@sha256:[0-9a-f]{64})?)"


class UnknownBot(UserError, ValueError):
    """No bot has that name; the message says which names are possible."""


@dataclass(frozen=True)
class BotSource:
    """The source of a bot: exactly one of folder, image, command and make is set."""

    name: str
    """Name of the bot in tables and records."""
    folder: Path | None = None
    """Absolute path of a folder with a main file (bot.py), a Dockerfile, or both."""
    image: str | None = None
    """An image reference that the Docker engine knows or can pull."""
    content: Content | None = field(default=None, repr=False, compare=False)
    """Content of the folder, if it has been read: then it is not read again, and cannot change in between."""
    builds: Builds = "allowed"
    """Dockerfiles that are built; a bot that is played by its author may have any."""
    languages: tuple[str, ...] = LANGUAGES
    """Languages other than Python whose source is built."""
    images: Images = "engine"
    """Images that its author could submit in place of a folder that is not built."""
    can_fork: bool = False
    """Of an image: whether it is known to be a base of ours and files, not only by its own labels."""
    find_built: FindBuilt | None = field(default=None, repr=False, compare=False)
    """Of a folder: looks in the ladder's registry for an image that was built of it before; None: it is built here."""
    command: tuple[str, ...] | None = None
    """Command line of a program of the user's own, which runs in no sandbox; empty: the user starts it."""
    make: Callable[[], Bot] | None = field(default=None, repr=False, compare=False)
    """Makes a bot of this process, which plays nowhere else."""


def sample_names(samples: Path = SAMPLES) -> list[str]:
    """List the names of the bots that come with Pigpen, or of those in another folder."""
    return sorted(path.name for path in samples.iterdir() if _is_bot(path))


def find_bot(word: str, samples: Path = SAMPLES) -> BotSource:
    """
    Find the bot that *word* names: a sample bot's name, a folder, or an image, in this order.

    A word that begins with `COMMAND` or `LINES` is the command line of a program. A word with a slash at the start or
    after a dot (`./mybot`) is always a folder. Sample bots are in *samples*.

    Raises:
        UnknownBot: If it names none of them.
    """
    if word in sample_names(samples):
        return BotSource(word, folder=samples / word)
    for prefix in (COMMAND, LINES):
        if word.startswith(prefix):
            return _program(word, prefix)
    folder = _expanded(word)
    if _is_folder(folder):
        if not folder.resolve().name.isprintable():  # in records, tables and messages it would break something
            raise UnknownBot(f"The folder {word!r} has a name that cannot be printed. Give it another one.")
        if not _may_look_into(folder):
            raise UnknownBot(f"The folder {word!r} cannot be read. Let this user read it (chmod), or name another one.")
        if not _is_bot(folder):
            known = ", ".join(_ALL_MAIN_FILES)
            raise UnknownBot(f"The folder {word!r} holds no bot ({known}) and no Dockerfile. {_instead(word, folder)}")
        return BotSource(folder.resolve().name, folder=folder.resolve())
    if _is_bot(folder.parent) and folder.name in (*_ALL_MAIN_FILES, DOCKERFILE):
        raise UnknownBot(f"{word!r} is a file. Name the folder that holds it: {shlex.quote(str(folder.parent))}")
    looks_like_path = word.startswith((".", "/", "~")) or word.endswith("/")
    if not looks_like_path and re.search("[:/@]", word) and re.fullmatch(_IMAGE, word):
        return BotSource(word.rpartition("/")[2].partition("@")[0], image=word)
    raise UnknownBot(
        f"There is no bot {word!r}: neither a sample bot ({', '.join(sample_names(samples))}), nor a folder, "
        f"nor an image reference such as mybot:latest, nor a program such as {COMMAND}./mybot or {LINES}./mybot."
    )


def _program(word: str, prefix: str) -> BotSource:
    """Find the program of a command line, and name the bot after it."""
    try:
        words = shlex.split(word.removeprefix(prefix))
    except ValueError as error:  # a quotation that does not end
        raise UnknownBot(f"{word!r} is no command line: {error}.") from None
    if not words:
        raise UnknownBot(f"{word!r} names no program. Write the command line behind it: {prefix}./mybot")
    found = shutil.which(words[0])
    if found is None:
        raise UnknownBot(
            f"There is no program {words[0]!r} in {word!r}. Name a file that can be executed, such as "
            f"{prefix}./build/bot, or a program on the PATH."
        )
    name = Path(words[0]).name
    if not name.isprintable():
        raise UnknownBot(f"The program {words[0]!r} has a name that cannot be printed. Give it another one.")
    bridge = (sys.executable, "-P", "-m", "pigpen.lines") if prefix == LINES else ()
    return BotSource(name, command=(*bridge, os.path.abspath(found), *words[1:]))


def unread_packages(folder: Path) -> str:
    """Find the file of a bot's folder that names packages, and that Pigpen does not read; empty if there is none."""
    if any((folder / name).exists() for name in (DOCKERFILE, "requirements.txt", "requirements.lock")):
        return ""
    return next((name for name, mark in _OTHER_PACKAGE_FILES.items() if _holds(folder / name, mark)), "")


def content_of(source: BotSource) -> Content:
    """Give the content of a bot's folder: as it was read already, or else as it is now."""
    assert source.folder is not None
    return source.content or Content.read(source.folder)


def _holds(path: Path, mark: str) -> bool:
    try:
        return mark in path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _is_bot(folder: Path) -> bool:
    try:
        return folder.is_dir() and any(
            (folder / name).is_file() for name in (*_ALL_MAIN_FILES, *BUILD_FILES, DOCKERFILE)
        )
    except OSError:  # a name that is too long, or a folder that may not be read
        return False


def seat_names(names: Iterable[str]) -> tuple[str, ...]:
    """Make a name for each seat; a bot that sits in several is numbered: Trotter, Snout, Trotter#2, Snout#2."""
    given: list[str] = []
    for name in names:
        count = sum(other.partition("#")[0] == name for other in given)
        given.append(f"{name}#{count + 1}" if count else name)
    return tuple(given)


def _expanded(word: str) -> Path:
    try:
        return Path(word).expanduser()
    except RuntimeError:  # ~ and the name of no user
        return Path(word)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a name that is too long
        return False


def _instead(word: str, folder: Path) -> str:
    """Say what to do with a folder that holds no bot, by what it does hold."""
    names = sorted(path.name for path in folder.iterdir())
    if not names:
        return f"Put one there: pigpen new {shlex.quote(word)}"
    if below := [name for name in names if _is_bot(folder / name)]:
        return f"There is one in it: {shlex.quote(str(folder / below[0]))}"
    if programs := [name for name in names if Path(name).suffix in _MAIN_BY_ENDING and (folder / name).is_file()]:
        main = _MAIN_BY_ENDING[Path(programs[0]).suffix]
        found = programs[0] if len(programs) == 1 else f"the file that starts the bot ({', '.join(programs[:5])})"
        return f"If this is a bot, rename {found} to {main}."
    return "Make a folder with a bot: pigpen new mybot"


def _may_look_into(folder: Path) -> bool:
    return os.access(folder, os.R_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)
