"""A bot's folder: a new one, and the lock of its packages."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pigpen
from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import KITS, SAMPLES, find_bot, sample_names
from ladder.sandbox.bots.content import Content
from ladder.sandbox.bots.languages import LANGUAGES as COMPILED
from ladder.sandbox.host.whole_file import usable_cache_folder
from ladder.sandbox.wheels.packages import Asked, Packages, Store
from ladder.sandbox.wheels.requirements import lock_text
from ladder.sandbox.wheels.target import this_interpreter
from ladder.values.local_results import Locked, NewFolder
from ladder.values.names import LOCK, REQUIREMENTS
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ladder.sandbox.wheels.target import Target

LANGUAGES = {"python": "random", "javascript": "node", **dict.fromkeys(("cpp", "go", "rust", "java", "csharp"))}
"""The sample bot to begin with in each language; None: there is a kit."""
README = "README.md"
CONTRACT = "pigpen/v1"
"""Folder of the proto files, as they import each other."""


def new_folder(folder: Path, like: str | None = None, language: str | None = None) -> NewFolder:
    """
    Make a folder with a bot that can play; a folder that is there and empty is filled.

    A bot in another language than Python gets the proto files of the wire contract, too, if it speaks gRPC.

    Args:
        folder: The folder; its name is the bot's.
        like: The sample bot to copy.
        language: One of `LANGUAGES`; if neither is given, Python.

    Raises:
        UserError: If there is no such sample or language, both are given, something else is there, or the folder cannot
            be made.
    """
    begun = _beginning(like, language)
    make_empty(folder)
    try:
        _copy(begun.iterdir(), folder)
        if not (folder / "bot.py").exists() and not (language in COMPILED and COMPILED[language].speaks_lines):
            _copy(wire_contract(), folder / "protos" / CONTRACT)
    except OSError as error:
        raise UserError(f"{str(folder)!r} cannot be made: {error.strerror}.") from error
    return NewFolder(folder=folder, files=tuple(sorted(path.name for path in folder.iterdir())))


def wire_contract() -> list[Path]:
    """List the proto files: an installed SDK has them beside the generated code, a checkout in its folder `protos`."""
    installed = Path(pigpen.__file__).parents[1]
    return sorted((installed / CONTRACT).glob("*.proto")) or sorted(
        (installed.parent / "protos" / CONTRACT).glob("*.proto")
    )


def make_empty(folder: Path) -> None:
    """
    Make a folder for new files; one that is there and empty will do.

    Raises:
        UserError: If something else is there, or it cannot be made.
    """
    if os.path.lexists(folder) and not _is_empty(folder):
        raise UserError(f"{str(folder)!r} is there already, and not empty. Choose another name; nothing was changed.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{str(folder)!r} cannot be made: {error.strerror}.") from error


def _beginning(like: str | None, language: str | None) -> Path:
    """Give the folder to copy."""
    if like is not None and language is not None:
        raise UserError("--like and --lang exclude each other: name the sample bot, or the language.")
    if language is not None and language not in LANGUAGES:
        raise UserError(
            f"There is no bot in {language!r} to begin with; there is one in {', '.join(LANGUAGES)}. "
            "docs/lines.md describes how a bot in any other language plays."
        )
    sample = like if language is None else LANGUAGES[language]
    if language is not None and sample is None:
        return KITS / language
    if (sample or "random") not in sample_names():
        raise UserError(f"There is no sample bot {sample!r}. Choose one of {', '.join(sample_names())}.")
    return SAMPLES / (sample or "random")


def _copy(files: Iterable[Path], folder: Path) -> None:
    """Write files anew: who may read them is up to the user's umask, not to how Pigpen was installed."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        if file.is_file():
            text = file.read_bytes()
            (folder / file.name).write_bytes(_named(text, folder) if file.name == README else text)


def _named(text: bytes, folder: Path) -> bytes:
    """Put the folder, and a name for the bot that every ladder takes, into a README."""
    name = folder.absolute().name
    bot = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") or "mybot"
    return text.replace(b"FOLDER", shlex.quote(name).encode()).replace(b"NAME", bot.encode())


def _is_empty(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except OSError:
        return False


def lock(word: str, kind: SandboxKind, report: Callable[[str], None]) -> Locked:
    """
    Look for the packages of a bot's requirements.txt anew, and write a requirements.lock beside it.

    Args:
        word: The bot's folder.
        kind: The sandbox in which the bot is to run.
        report: Takes sentences about long steps.

    Raises:
        BotRejected: If there are no packages that fit.
        SandboxError: If the engine fails.
        UnfitFolder: If this user may not write to the folder for what is fetched.
        UserError: If *word* names no folder, or one without requirements, or the file cannot be written.
    """
    source = find_bot(word)
    if source.folder is None:
        raise UserError(f"{word!r} is an image, and its packages are in it. Name a folder.")
    asked = Asked(Content.read(source.folder).file(REQUIREMENTS))
    if not asked.anything:
        raise UserError(f"There is no {REQUIREMENTS} in {word!r} that names a package. Nothing was written.")
    packages = Packages(report=report, store=Store(usable_cache_folder()))
    target = _target(packages, report) if kind is SandboxKind.DOCKER else this_interpreter()
    pins = packages.pins(asked, target, anew=True)
    path = source.folder / LOCK
    try:
        path.write_text(lock_text(pins), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
    return Locked(file=path, target=str(target), packages=tuple(pin.label for pin in pins))


def _target(packages: Packages, report: Callable[[str], None]) -> Target:
    from ladder.sandbox.docker.base_image import base_image_id, ensure_base_image
    from ladder.sandbox.docker.engine import connect, engine_errors  # the Docker library takes long to import
    from ladder.sandbox.docker.package_images import target_of

    client = connect()
    try:
        content = ensure_base_image(client, report)
        with engine_errors("look at the bot base image"):
            return target_of(client, packages, base_image_id(client, content))
    finally:
        client.close()
