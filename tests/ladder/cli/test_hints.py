"""Every command that a message tells its reader to type: there is such a command, and it has these options."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ladder.cli.commands import COMMANDS
from ladder.cli.typer_app import load_command

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
FOLDERS = ("ladder", "pigpen_arena", "referee", "sdk/pigpen")
SHIPPED = ("starter_kits", "sample_bots", "examples")
HOLE = "HOLE"
"""In the place of what a message puts in."""
HINT = re.compile(r"\bpigpen ((?:[a-z][a-z-]*)(?: +(?:--?[a-z][a-z-]*|[^\s`\"]+))*)")
ENDS = re.compile(r"[.,;:)]+$")
"""A word with one of these is the last one of its command."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(path.read_text())
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {
        id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
    }
    for node in ast.walk(tree):
        if id(node) in docs or id(node) in inner:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, re.sub(r"(?<!\{)\{[^{}]*\}", HOLE, node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
            yield node.lineno, "".join(parts)


def hints(text: str) -> Iterator[list[str]]:
    """The words of each command that a text names, without `pigpen`."""
    for found in HINT.finditer(text):
        words = []
        for word in found[1].split():
            words.append(ENDS.sub("", word))
            if ENDS.search(word):
                break
        yield words


def commands_of(text: str) -> Iterator[list[str]]:
    """The words of each command that a page for people has as code, in a block or in a line."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [re.split(r" #|[|>&]", line)[0] for block in blocks for line in block.splitlines()]
    for code in (*lines, *re.findall(r"`([^`\n]+)`", text)):
        for words in hints(code):
            if words[0] in COMMANDS or code.strip().startswith(("pigpen ", ".venv/bin/pigpen ", "$ pigpen ")):
                yield words


@cache
def command(name: str) -> Any:
    """A command of the program, or a group of them."""
    return load_command(name)


def wrong(words: list[str]) -> str:
    """Give the words that do not fit the program; empty: all fit."""
    if words[0] not in COMMANDS:
        return f"there is no command {words[0]!r}"
    found, rest = command(words[0]), words[1:]
    while hasattr(found, "commands"):
        name = next(iter(rest), "")
        if name in ("", HOLE, "--help"):
            return ""
        if name not in found.commands:
            return f"{words[0]} has no command {name!r}"
        found, rest = found.commands[name], rest[1:]
    known = {option for each in found.params for option in (*each.opts, *each.secondary_opts)} | {"--help"}
    unknown = [word for word in rest if re.fullmatch(r"--[a-z-]+", word) and word not in known]
    return f"{' '.join(words)}: there is no option {unknown[0]}" if unknown else ""


def all_hints() -> list[tuple[str, list[str]]]:
    """List the place of each hint, of messages and of pages, and its words."""
    of_pages = [
        (str(path.relative_to(ROOT)), words)
        for path in sorted((ROOT / "ladder/site/templates").glob("*.html"))
        for words in hints(re.sub("<[^>]*>", "\n", re.sub(r"\{\{.*?\}\}|\{%.*?%\}", HOLE, path.read_text())))
    ]
    of_texts = [
        (str(path.relative_to(ROOT)), words)
        for path in (
            *(path for path in sorted(ROOT.glob("*.md")) if path.name != "CHANGELOG.md"),  # which names old ones
            *sorted(ROOT.glob("docs/**/*.md")),
            *sorted(ROOT.glob("*/README.md")),
            *(path for folder in SHIPPED for path in sorted((ROOT / folder).rglob("*.*"))),
            ROOT / "scripts" / "demo",
        )
        if path.is_file() and path.suffix not in (".pyc", ".so") and "node_modules" not in path.parts
        for words in commands_of(path.read_text("utf-8"))
    ]  # fmt: skip
    return (
        of_texts
        + of_pages
        + [
            (f"{path.relative_to(ROOT)}:{line}", words)
            for folder in FOLDERS
            for path in sorted((ROOT / folder).rglob("*.py"))
            for line, text in texts(path)
            for words in hints(text)
        ]
    )


def test_each_command_that_a_message_names_can_be_typed() -> None:
    found = all_hints()
    assert len(found) > 500
    assert [(place, why) for place, words in found if (why := wrong(words))] == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("To list all: pigpen bots", ""),
        ("Submit it: pigpen submit FOLDER --owner NAME.", ""),
        ("pigpen event redo cup --round 3 --table 2", ""),
        ("To list all: pigpen bot", "there is no command 'bot'"),
        ("pigpen event undo cup", "event has no command 'undo'"),
        ("pigpen event redo cup --rounds 3", "event redo cup --rounds 3: there is no option --rounds"),
    ],
)
def test_what_is_wrong_is_found(text: str, why: str) -> None:
    (words,) = hints(text)
    assert wrong(words) == why
