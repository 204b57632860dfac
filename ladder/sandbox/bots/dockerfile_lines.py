"""The instructions of a Dockerfile, one by one: comments, directives and continued lines are dealt with here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

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
