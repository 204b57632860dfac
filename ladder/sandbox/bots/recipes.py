"""
What the ladder builds: the bot base image and files from the folder, and nothing that runs or fetches anything.

A stranger's Dockerfile is never given to the engine. It is read here, and what has been understood is written anew,
with our base image named by its id. Whatever is not understood is refused. The engine gets lines of these shapes only:

    FROM sha256:…           LABEL "name"="value"     COPY ["files/from", "to"]    WORKDIR /path
    ENV NAME="value"        USER name                CMD ["program", "argument"]  ENTRYPOINT ["program"]
"""

from __future__ import annotations

import json
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.sandbox.bots.dockerfile_lines import Instruction, NotUnderstood, read_instructions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FILES = "files"
"""Where the bot's files lie in what is sent to the engine, beside our Dockerfile."""
MAX_COPIES, MAX_SOURCES = 16, 64
"""COPY lines of a Dockerfile, and words of one: each is a layer with all that it names, on the engine's disk."""
BASES = ("pigpen/bot", "pigpen/bot:latest")
VARIANTS = "pigpen.variants"
"""The one label that a Dockerfile may set: what the bot plays."""
UNDERSTOOD = "FROM pigpen/bot, COPY, WORKDIR, ENV, USER, CMD, ENTRYPOINT and LABEL pigpen.variants"

_SPECIAL = re.compile(r"""["'\\$`]""")
"""What a builder would replace, or takes for the end of a text."""
_WORD = r"""(?:[^\s"'\\$`]|"[^"'\\$`]*"|'[^"'\\$`]*')+"""
_WORDS = re.compile(rf"{_WORD}(?:[ \t]+{_WORD})*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PATH = re.compile(r"[\w./@+,:=~-]+")
_USER = re.compile(r"[\w.-]+(:[\w.-]+)?", re.ASCII)


_FILES_ONLY = re.compile(
    r'WORKDIR /bot/?|LABEL "pigpen\.variants"=.*|CMD \["python3?", "(?!-)[\w./-]+\.py"(, "[^"\\]*")*\]', re.ASCII
)
"""Lines that change neither the interpreter nor its environment, beside COPY."""


@dataclass(frozen=True)
class Recipe:
    """How a bot's image is made from its files: lines that we wrote ourselves."""

    lines: tuple[str, ...]

    @property
    def copies(self) -> int:
        """How many times files are copied; never more than all of them each time."""
        return sum(line.startswith("COPY ") for line in self.lines)

    @property
    def adds_files_only(self) -> bool:
        """
        Whether it puts files into the bot's folder, starts a Python file there, and does nothing else.

        Holds where no file is a link: through one, files could get into another folder.
        """
        return all(_FILES_ONLY.fullmatch(line) or _copies_into_the_folder(line) for line in self.lines)

    def dockerfile(self, base: str, labels: Mapping[str, str]) -> bytes:
        """
        Write the Dockerfile for the engine.

        Args:
            base: Id of the bot base image: no name that may have come to mean another image.
            labels: Of letters, digits and ``._-`` only. They come first, so that all layers have them.
        """
        named = " ".join(f'"{name}"="{value}"' for name, value in labels.items())
        return "\n".join([f"FROM {base}", f"LABEL {named}", *self.lines, ""]).encode()


PLAIN = Recipe((f'COPY ["{FILES}", "./"]', 'CMD ["python", "bot.py"]'))
"""For a folder with a bot.py and no Dockerfile."""


def _copies_into_the_folder(line: str) -> bool:
    if not line.startswith("COPY "):
        return False
    target = posixpath.normpath(posixpath.join("/bot", json.loads(line.removeprefix("COPY "))[-1]))
    return target == "/bot" or target.startswith("/bot/")


def read_recipe(dockerfile: bytes) -> Recipe:
    """
    Understand a Dockerfile.

    Raises:
        NotUnderstood: If it does anything but add files to the bot base image and say how to run them.
    """
    instructions = read_instructions(dockerfile)
    if not instructions:
        raise NotUnderstood(1, "", "begins a file without instructions")
    first, *others = instructions
    if first.keyword != "FROM" or first.rest not in BASES:
        raise first.refused("is not FROM pigpen/bot, with which it has to begin")
    _check_copies([instruction for instruction in others if instruction.keyword == "COPY"])
    return Recipe(tuple(_written(instruction) for instruction in others))


def _check_copies(copies: Sequence[Instruction]) -> None:
    """Refuse what would be long work for the engine."""
    if len(copies) > MAX_COPIES:
        raise copies[MAX_COPIES].refused(f"is one COPY more than {MAX_COPIES}")
    for copy in copies:
        if len(copy.rest.split()) > MAX_SOURCES:
            raise copy.refused(f"names more than {MAX_SOURCES} files")


def _written(instruction: Instruction) -> str:
    write = _WRITERS.get(instruction.keyword)
    if write is None:
        raise instruction.refused("would run or fetch something, or is not known")
    if "<<" in instruction.rest:
        raise instruction.refused("has a here-document")
    return f"{instruction.keyword} {write(instruction)}"


def _copy(instruction: Instruction) -> str:
    words = _list(instruction) if instruction.rest.startswith("[") else instruction.rest.split()
    if any(word.startswith("--") for word in words):
        raise instruction.refused("has a flag; every file can be read by the bot as it is")
    if len(words) < 2:
        raise instruction.refused("does not say what to copy, and where to")
    if any(_SPECIAL.search(word) or "[" in word or "://" in word for word in words):
        raise instruction.refused("names something else than files of the folder, or a name with quotes, '$' or '\\'")
    *sources, target = words
    return _json([*(_within(source) for source in sources), target])


def _within(source: str) -> str:
    """Give the path of a file in what is sent: nothing leads above the bot's files."""
    return posixpath.join(FILES, posixpath.normpath(f"/{source}").lstrip("/")).rstrip("/")


def _workdir(instruction: Instruction) -> str:
    (path,) = _words(instruction, 1)
    return _fitting(instruction, path, _PATH)


def _user(instruction: Instruction) -> str:
    (user,) = _words(instruction, 1)
    return _fitting(instruction, user, _USER)


def _env(instruction: Instruction) -> str:
    first = instruction.rest.split()[:1]
    if first and "=" not in first[0]:  # ENV NAME the rest of the line
        value = instruction.rest[len(first[0]) :].strip()
        if not value or _SPECIAL.search(value):
            raise instruction.refused("has no value, or one with quotes, '$' or '\\'")
        return f'{_fitting(instruction, first[0], _NAME)}="{value}"'
    pairs = [word.partition("=") for word in _words(instruction)]
    if not all(equals for _, equals, _ in pairs):
        raise instruction.refused("has a name without a value")
    return " ".join(f'{_fitting(instruction, name, _NAME)}="{value}"' for name, _, value in pairs)


def _label(instruction: Instruction) -> str:
    (word,) = _words(instruction, 1)
    name, _, value = word.partition("=")
    if name != VARIANTS:
        raise instruction.refused(f"sets another label than {VARIANTS}")
    return f'"{VARIANTS}"="{value}"'


def _command(instruction: Instruction) -> str:
    if instruction.rest.startswith("["):
        return _json(_list(instruction))
    if not instruction.rest:
        raise instruction.refused("does not say what to run")
    return _json(["/bin/sh", "-c", instruction.rest])


def _json(words: list[str]) -> str:
    return json.dumps(words, ensure_ascii=False)


def _words(instruction: Instruction, count: int | None = None) -> list[str]:
    """Split words with spaces between them, and take their quotes off."""
    if not _WORDS.fullmatch(instruction.rest):
        raise instruction.refused("has quotes within a word, '$' or '\\', or says nothing")
    words = [re.sub("[\"']", "", word) for word in re.findall(_WORD, instruction.rest)]
    if count is not None and len(words) != count:
        raise instruction.refused("says more than one thing")
    return words


def _fitting(instruction: Instruction, word: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(word):
        raise instruction.refused(f"names {word!r}, which has characters that are not taken")
    return word


def _list(instruction: Instruction) -> list[str]:
    try:
        words = json.loads(instruction.rest)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) and word.isprintable() for word in words):
        raise instruction.refused("is no list of texts in double quotes")
    return words


_WRITERS: dict[str, Callable[[Instruction], str]] = {
    "COPY": _copy,
    "WORKDIR": _workdir,
    "ENV": _env,
    "USER": _user,
    "LABEL": _label,
    "CMD": _command,
    "ENTRYPOINT": _command,
}
