"""
Recipes by which bots' images are made: the bot base image and files from the folder; nothing runs or fetches anything.

For a bot's folder one of ours is chosen, or, where that is allowed, its own Dockerfile.

A stranger's Dockerfile is never given to the engine. It is read here, and what has been understood is written anew,
with our base image named by its id. Whatever is not understood is refused. The engine gets lines of these shapes only:

    FROM sha256:…           LABEL "name"="value"     COPY ["files/from", "to"]    WORKDIR /path
    ENV NAME="value"        USER name                CMD ["program", "argument"]  ENTRYPOINT ["program"]

Lines of a Dockerfile that change nothing for a ladder are left out: they are never part of what the engine gets, so
they need not be understood in full. A RUN that installs requirements.txt is one of them: its packages are there anyway.
"""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.bots.dockerfile_lines import (
    REQUIREMENTS,
    Instruction,
    NotUnderstood,
    read_instructions,
    why_more_than_requirements,
)
from ladder.sandbox.bots.languages import LANGUAGES, language_of
from ladder.sandbox.bots.members import Kind
from ladder.values.names import DOCKERFILE
from pigpen.version import __version__
from referee.records.framing import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.bots.content import Content
    from ladder.sandbox.bots.languages import Language

FILES = "files"
"""Folder of the bot's files in the archive that is sent to the engine, beside our Dockerfile."""
MAX_COPIES, MAX_SOURCES = 16, 64
"""COPY lines of a Dockerfile, and words of one: each is a layer with all that it names, on the engine's disk."""
BASE = "pigpen/bot"
OUR_TAGS = ("", "latest", __version__)
OUR_HOSTS = ("docker.io", "index.docker.io", "localhost")
"""Before the name of an image that is on no registry: Docker's full form of such a name, and Podman's."""
PLATFORMS = re.compile(r"linux/(amd64|arm64(/v8)?)|\$\{?(BUILD|TARGET)PLATFORM\}?")
VARIANTS = "pigpen.variants"
"""The one label of ours that a Dockerfile may set: what the bot plays."""
UNDERSTOOD = "FROM pigpen/bot, COPY, WORKDIR, ENV, USER, CMD, ENTRYPOINT and LABEL pigpen.variants"
WITHOUT_EFFECT = {
    "EXPOSE": re.compile(""),
    "HEALTHCHECK": re.compile("none", re.IGNORECASE),
    "MAINTAINER": re.compile(""),
    "STOPSIGNAL": re.compile(""),
}
"""Lines that change nothing: a bot has no network, and the sandbox ends its program itself."""
FLAGS_WITHOUT_EFFECT = re.compile(r"--chown=\S+|--link(=\w+)?")
"""Flags of COPY: every file can be read by the bot as it is, and none can be written."""

_SPECIAL = re.compile(r"""["'\\$`]""")
"""Characters that a builder would replace, or takes for the end of a text."""
_WORD = r"""(?:[^\s"'\\$`]|"[^"'\\$`]*"|'[^"'\\$`]*')+"""
_WORDS = re.compile(rf"{_WORD}(?:[ \t]+{_WORD})*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PATH = re.compile(r"[\w./@+,:=~-]+")
_FORMER_PATH = re.compile(r"\$(?:PATH(?!\w)|\{PATH\})")
FORMER_PATH = "${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
"""As the builder gets it; an image without the variable has the engine's own, which the builder does not know."""
_MARK = "\0"
"""For the former value of PATH, while words are split: no instruction holds this character."""
_STAGE = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)
_USER = re.compile(r"[\w.-]+(:[\w.-]+)?", re.ASCII)


_FILES_ONLY = re.compile(
    r'WORKDIR /bot/?|LABEL "pigpen\.variants"=.*|CMD \["python3?", "(?!-)[\w./-]+\.py"(, "[^"\\]*")*\]', re.ASCII
)
"""Lines that change neither the interpreter nor its environment, beside COPY."""


@dataclass(frozen=True)
class Recipe:
    """Recipe by which a bot's image is made from its files: lines that we wrote ourselves."""

    lines: tuple[str, ...]
    left_out: tuple[Instruction, ...] = ()
    """Lines of the Dockerfile that change nothing."""
    place: str = FILES
    """Folder in the archive for the bot's files."""
    language: Language | None = None
    """The language of the source that is built first; None: the files are the bot."""

    @property
    def requirements_line(self) -> Instruction | None:
        """The first line that installs requirements.txt; None: there is none."""
        return next((each for each in self.left_out if each.keyword == "RUN"), None)

    @property
    def copies(self) -> int:
        """Number of times that files are copied; never more than all of them each time."""
        return sum(line.startswith("COPY ") for line in self.lines)

    @property
    def adds_files_only(self) -> bool:
        """
        True if it puts files into the bot's folder, starts a Python file there, and does nothing else.

        Holds where no file is a link: through one, files could get into another folder.
        """
        return self.lines == PLAIN.lines or all(
            _FILES_ONLY.fullmatch(line) or _copies_into_the_folder(line) for line in self.lines
        )

    def dockerfile(self, base: str, labels: Mapping[str, str]) -> bytes:
        """
        Write the Dockerfile for the engine.

        Args:
            base: Id of the bot base image: no name that may have come to mean another image; or `SCRATCH`.
            labels: Of letters, digits and ``._-`` only. They come first, so that all layers have them.
        """
        named = " ".join(f'"{name}"="{value}"' for name, value in labels.items())
        return "\n".join([f"FROM {base}", f"LABEL {named}", *self.lines, ""]).encode()


PLAIN = Recipe((f'COPY ["{FILES}", "/"]', 'CMD ["python", "bot.py"]'), place=f"{FILES}/bot")
"""
For a folder with a bot.py and no Dockerfile. A COPY into /bot would give that folder the time of the build, and with it
each build an id of its own; a COPY of the folder as a whole gives it the time in the archive.
"""


SCRATCH = "scratch"
"""The base of images that hold all that they need."""


def language_recipe(language: Language) -> Recipe:
    """Give the recipe of a bot that is submitted as source; its files are what the build has made, or the source."""
    if language.speaks_lines:
        return replace(PLAIN, place=FILES, language=language)
    lines = (f'COPY ["{FILES}", "/"]', "WORKDIR /bot", f"CMD {_json([*language.command])}")
    return Recipe(lines, place=f"{FILES}/bot" if language.stands_on_toolchain else FILES, language=language)


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
    _check_base(first)
    copies = [instruction for instruction in others if instruction.keyword == "COPY"]
    _check_copies(copies)
    written: list[str] = []
    left_out: list[Instruction] = []
    for each in others:
        if _is_without_effect(each, copies):
            left_out.append(each)
        else:
            written.append(_written(each))
    return Recipe(tuple(written), tuple(left_out))


def _check_base(first: Instruction) -> None:
    """Accept every way to name the bot base image; whatever is written, the engine gets the id of ours."""
    words = first.rest.split()
    if words[:1] and words[0].startswith("--platform=") and PLATFORMS.fullmatch(words[0].partition("=")[2]):
        del words[0]
    if len(words) == 3 and words[1].lower() == "as" and _STAGE.fullmatch(words[2]):
        del words[1:]
    if first.keyword != "FROM" or len(words) != 1:
        raise first.refused("is not FROM pigpen/bot, with which it has to begin")
    name, colon, tag = words[0].rpartition(":") if ":" in words[0].rpartition("/")[2] else (words[0], "", "")
    host, _, rest = name.partition("/")
    if name != BASE and rest == BASE and host not in OUR_HOSTS and re.search(r"[.:]", host):
        raise first.refused(
            f"is not FROM {BASE}: it names an image of the registry {host}, which may be another one and is not "
            f"fetched; write FROM {BASE}"
        )
    if name not in (BASE, *(f"{each}/{BASE}" for each in OUR_HOSTS)):
        raise first.refused("is not FROM pigpen/bot, with which it has to begin")
    if tag not in OUR_TAGS or bool(colon) != bool(tag):
        raise first.refused(f"is not FROM {BASE}: this is version {__version__}; leave the tag {tag!r} out")


def _is_without_effect(instruction: Instruction, copies: Sequence[Instruction]) -> bool:
    """
    True if a line is to be left out.

    Raises:
        NotUnderstood: If a RUN does more than to install requirements.txt, or a label is one of ours.
    """
    match instruction.keyword:
        case "RUN":
            sources = {posixpath.normpath(word) for copy in copies for word in copy.rest.split()[:-1]}
            if why := why_more_than_requirements(instruction.rest, sources):
                raise instruction.refused(why)
            return True
        case "LABEL":
            return _is_label_of_others(instruction)
        case keyword if form := WITHOUT_EFFECT.get(keyword):
            return bool(form.match(instruction.rest))
    return False


def _is_label_of_others(instruction: Instruction) -> bool:
    """True if none of the labels is ours: those are left out, so it does not matter how quotes or `$` are read."""
    if "pigpen" not in instruction.rest.lower():
        return True
    names = [word.partition("=")[0] for word in _words(instruction)]
    for name in names:
        if name.lower().startswith("pigpen") and name != VARIANTS:
            raise instruction.refused(f"sets another label than {VARIANTS}")
    return VARIANTS not in names


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
        hint = "; write COPY" if instruction.keyword == "ADD" else ""
        raise instruction.refused(f"would run or fetch something, or is not known{hint}")
    if "<<" in instruction.rest:
        raise instruction.refused("has a here-document")
    return f"{instruction.keyword} {write(instruction)}"


def _copy(instruction: Instruction) -> str:
    flags, rest = _flags(instruction.rest)
    words = _list(replace(instruction, rest=rest)) if rest.startswith("[") else rest.split()
    if any(word.startswith("--") for word in (*flags, *words)):
        raise instruction.refused("has a flag; every file can be read by the bot as it is")
    if len(words) < 2:
        raise instruction.refused("does not say what to copy, and where to")
    if any(_SPECIAL.search(word) or "[" in word or "://" in word for word in words):
        raise instruction.refused("names something else than files of the folder, or a name with quotes, '$' or '\\'")
    *sources, target = words
    return _json([*(_within(source) for source in sources), target])


def _flags(rest: str) -> tuple[list[str], str]:
    """Split what follows COPY into its flags that have an effect, and the rest."""
    flags = []
    while rest.startswith("--"):
        flag, *others = rest.split(maxsplit=1)
        rest = "".join(others)
        if not FLAGS_WITHOUT_EFFECT.fullmatch(flag):
            flags.append(flag)
    return flags, rest


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
    if "'" in instruction.rest:  # within which a builder takes `$PATH` for a text
        return _variables(instruction)
    try:
        return _variables(replace(instruction, rest=_FORMER_PATH.sub(_MARK, instruction.rest)))
    except NotUnderstood as error:
        raise instruction.refused(error.why.replace(_MARK, "$PATH")) from None


def _variables(instruction: Instruction) -> str:
    first = instruction.rest.split()[:1]
    if first and "=" not in first[0]:  # ENV NAME the rest of the line
        value = instruction.rest[len(first[0]) :].strip()
        if not value or _SPECIAL.search(value):
            raise instruction.refused("has no value, or one with quotes, '$' or '\\'")
        return _variable(instruction, first[0], value)
    pairs = [word.partition("=") for word in _words(instruction)]
    if not all(equals for _, equals, _ in pairs):
        raise instruction.refused("has a name without a value")
    return " ".join(_variable(instruction, name, value) for name, _, value in pairs)


def _variable(instruction: Instruction, name: str, value: str) -> str:
    if _MARK in value:
        parts = value.split(":")
        if name != "PATH" or parts.count(_MARK) != 1 or any(_MARK in part for part in parts if part != _MARK):
            raise instruction.refused("has '$PATH' in another place than among the folders of PATH")
    return f'{_fitting(instruction, name, _NAME)}="{value.replace(_MARK, FORMER_PATH)}"'


def _label(instruction: Instruction) -> str:
    values = [value for name, _, value in (word.partition("=") for word in _words(instruction)) if name == VARIANTS]
    if len(values) != 1:
        raise instruction.refused("says more than one thing")
    return f'"{VARIANTS}"="{values[0]}"'


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
        if language := language_of(content):
            if language.name not in source.languages:
                raise BotRejected(
                    f"{source.name} is not built here: it is a folder in {language.title}, and this ladder builds "
                    f"{_titles(source)} only. {_way_out(source, NO_DOCKERFILE)}"
                )
            return language_recipe(language)
        if content.file("bot.py") is None:
            raise BotRejected(
                f"{source.name} is not built here: the folder has no bot.py, no {DOCKERFILE}, and no file of another "
                f"language. {_way_out(source, NO_DOCKERFILE)}"
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
        raise BotRejected(_why_not(source, error)) from None


def image_to_build(name: str) -> str:
    """Name the image that a bot's author builds: in small letters, digits and hyphens, as engines want it."""
    return f"{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-') or 'bot'}:1"


def _why_not(source: BotSource, error: NotUnderstood) -> str:
    text = shortened(error.text)
    return (
        f"{source.name} is not built here: line {error.line} of its {DOCKERFILE}{f', {text!r},' if text else ''} "
        f"{error.why}. This ladder builds only {UNDERSTOOD}. {_way_out(source)}"
    )


def _titles(source: BotSource) -> str:
    return ", ".join(["Python", *(each.title for each in LANGUAGES.values() if each.name in source.languages)])


NO_DOCKERFILE = f"Write a {DOCKERFILE}, and build"
"""The first step where there is none."""


def _way_out(source: BotSource, first: str = "Build") -> str:
    """Name another way to submit a bot whose folder is not built, out of those that its ladder has."""
    if source.images == "none":
        return (
            f"This ladder has no registry, so it takes no images either. Submit a folder in {_titles(source)}, or ask "
            "the organiser for a registry (setting registry)."
        )
    image, name = image_to_build(source.name), shlex.quote(source.name)
    by_image = (
        f"{first} its image yourself, in its folder, and submit that: docker build -t {image} . && pigpen submit "
        f"{image} --name {name}."
    )
    if source.images == "registry":
        return by_image
    return (
        f"{by_image} (Of an image in another registry, submit the digest: registry/name@sha256:….) Or ask the "
        'organiser for the setting builds = "allowed".'
    )
