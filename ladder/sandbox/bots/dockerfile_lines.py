"""
The instructions of a Dockerfile, one by one: comments, directives and continued lines are dealt with here.

RUN lines that install a bot's requirements.txt, as Dockerfiles have them, are recognised: what they install is there
anyway.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

MAX_BYTES = 64 * 1024
BLANKS = " \t"
_WORD = re.compile("[A-Za-z]+")
_OUR_SYNTAX = "docker/dockerfile"


class NotUnderstood(ValueError):
    """A line that is not known to be harmless."""

    def __init__(self, line: int, text: str, why: str) -> None:
        super().__init__(why)
        self.line, self.text, self.why = line, text, why


@dataclass(frozen=True)
class Instruction:
    """One instruction, in one line."""

    line: int
    """Number of its first line in the file, counted from 1."""
    keyword: str
    """In capital letters."""
    rest: str

    def refused(self, why: str) -> NotUnderstood:
        """Make the error for a line that is not understood; *why* follows its text."""
        return NotUnderstood(self.line, f"{self.keyword} {self.rest}".strip(), why)


def read_instructions(content: bytes) -> list[Instruction]:
    """
    Split a Dockerfile.

    Raises:
        NotUnderstood: If it is no text, or another character than the backslash continues its lines, or another
            program than Docker's own is to read it.
    """
    lines = _lines(content)
    _check_directives(lines)
    return [_instruction(line, text) for line, text in _joined(lines)]


def _lines(content: bytes) -> list[str]:
    if len(content) > MAX_BYTES:
        raise NotUnderstood(1, "", f"begins a file of more than {MAX_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotUnderstood(1, "", "begins a file that is not UTF-8") from None
    return [line.removesuffix("\r") for line in text.split("\n")]


def _check_directives(lines: list[str]) -> None:
    """Check the directives, which stand at the top; whatever else begins with ``#`` is a comment."""
    for number, line in enumerate(lines, 1):
        name, equals, value = line.strip(BLANKS).partition("=")
        name, value = name.removeprefix("#").strip(BLANKS).lower(), value.strip(BLANKS)
        if not (line.lstrip(BLANKS).startswith("#") and equals and _WORD.fullmatch(name)):
            return
        if name == "escape" and value != "\\":
            raise NotUnderstood(number, line, "changes the character that continues a line")
        if name == "syntax" and value.split(":")[0] != _OUR_SYNTAX:
            raise NotUnderstood(number, line, "names another program to read the file (syntax)")


def _joined(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Put continued lines together; comments and empty lines among them are dropped, as Docker does."""
    first, whole = 0, ""
    for number, line in enumerate(lines, 1):
        if not line.strip(BLANKS) or line.lstrip(BLANKS).startswith("#"):
            continue
        first = first or number
        begun = line.rstrip(BLANKS)
        if begun.endswith("\\"):
            whole += begun.removesuffix("\\")
            continue
        yield first, whole + line
        first, whole = 0, ""
    if whole.strip(BLANKS):
        yield first, whole


def _instruction(line: int, text: str) -> Instruction:
    if not text.replace("\t", " ").isprintable():
        raise NotUnderstood(line, text, "holds a character that cannot be seen")
    keyword, *rest = re.split(f"[{BLANKS}]", text.strip(BLANKS), maxsplit=1)
    if not _WORD.fullmatch(keyword):
        raise NotUnderstood(line, text, "is no instruction")
    return Instruction(line, keyword.upper(), "".join(rest).strip(BLANKS))


REQUIREMENTS = "requirements.txt"
LEAVE_OUT = f"packages belong in {REQUIREMENTS}, which is installed anyway: leave the line out"
_PIP = re.compile(r"(?:(?:/[\w/]*/)?python3?(?:\.\d+)? -m |(?:/[\w/]*/)?)pip3?(?:\.\d+)?|uv pip")
_MOUNT = re.compile(r"--mount=type=cache,[\w./,=-]+")
_FLAGS = {
    "--break-system-packages", "--compile", "--disable-pip-version-check", "--no-cache", "--no-cache-dir",
    "--no-compile", "--no-input", "--no-warn-script-location", "--prefer-binary", "--quiet", "--require-hashes",
    "--system", "--upgrade", "--user", "--verbose", "-U", "-q", "-qq", "-v",
}  # fmt: skip
_VALUES = re.compile(
    r"(--only-binary|--root-user-action|--progress-bar|--timeout|--default-timeout|--retries|--upgrade-strategy)(=\S+)?"
)
"""Options with a value that choose neither packages nor where they come from."""
_FILE = re.compile(r"(?:-r|--requirement)=?(\S+)")
_TOOLS = {"pip", "setuptools", "wheel", "uv"}
"""Tools that install: a new version of them changes nothing in an image where they run no more."""
_SPECIAL = re.compile(r"""["'\\$`;|<>()&*?]""")


def why_more_than_requirements(command: str, sources: Collection[str]) -> str:
    """
    Tell why a RUN line does more than to install the folder's requirements.txt; empty if it does just that.

    >>> why_more_than_requirements("python -m pip install --no-cache-dir -r requirements.txt", ())
    ''

    Args:
        command: What follows RUN.
        sources: What COPY lines copy, as normal paths. A list of requirements in another folder is the one that was
            copied there.
    """
    commands = [" ".join(each).strip() for each in _commands(command)]
    if not all(map(_PIP.match, commands)):
        return "would run or fetch something"
    why = [_why_more(_PIP.sub("", each, count=1).split(), sources) for each in commands]
    if any(why):
        return next(each for each in why if each)
    return ""


def _commands(command: str) -> list[list[str]]:
    """Split the commands of a line; one without words stands for what is not understood."""
    words = command.split()
    while words and _MOUNT.fullmatch(words[0]):
        del words[0]
    rest = " ".join(words)
    if rest.startswith("["):
        try:
            listed = json.loads(rest)
        except (ValueError, RecursionError):
            return [[]]
        if not isinstance(listed, list) or not all(isinstance(word, str) and " " not in word for word in listed):
            return [[]]
        return [listed] if not any(_SPECIAL.search(word) for word in listed) else [[]]
    parts = rest.split(" && ")
    return [part.split() for part in parts] if not any(_SPECIAL.search(part) for part in parts) else [[]]


def _why_more(words: Sequence[str], sources: Collection[str]) -> str:
    """Tell why one command of pip does more."""
    if list(words) == ["cache", "purge"]:
        return ""
    if words[:1] != ["install"]:
        return "would run or fetch something"
    files, names, rest = [], [], list(words[1:])
    while rest:
        word = rest.pop(0)
        if word in ("-r", "--requirement"):
            files.append(rest.pop(0) if rest else "")
        elif found := _FILE.fullmatch(word):
            files.append(found[1])
        elif found := _VALUES.fullmatch(word):
            rest = rest if found[2] else rest[1:]
        elif word.startswith("-"):
            if word not in _FLAGS:
                return f"would fetch something with {word}; {LEAVE_OUT}"
        else:
            names.append(word)
    if any(name not in _TOOLS for name in names):
        return f"would run or fetch something; {LEAVE_OUT}"
    if not files and not names:
        return "would run or fetch something"
    if any(not _is_the_folders(file, sources) for file in files):
        return f"would fetch something that another list than {REQUIREMENTS} names; {LEAVE_OUT}"
    return ""


def _is_the_folders(file: str, sources: Collection[str]) -> bool:
    if file.rpartition("/")[2] != REQUIREMENTS:
        return False
    if file in (REQUIREMENTS, f"./{REQUIREMENTS}"):
        return not any(source != REQUIREMENTS and source.endswith(f"/{REQUIREMENTS}") for source in sources)
    return REQUIREMENTS in sources or bool({".", "/"} & set(sources))
