"""The drawing of all errors in `pigpen.rules.errors` shows what the classes are."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pigpen.rules import errors
from pigpen.rules.errors import PigpenError

ROOT = Path(__file__).parent.parent
PACKAGES = {"pigpen": ROOT / "sdk", "referee": ROOT, "ladder": ROOT}
LINE = re.compile(r"(?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+) *(?P<code>\d?) *(?:(?P<module>[a-z_]+(?:\.[a-z_]+)+): )?")


CLASS = re.compile(r"^class (\w+)\(([\w, ]+)\):", flags=re.MULTILINE)
IMPORT = re.compile(r"^ *from [\w.]+ import (\([^)]*\)|.*)$", flags=re.MULTILINE)


class Drawn(NamedTuple):
    """One line of the drawing."""

    name: str
    parent: str
    code: int
    module: str


def drawing(text: str) -> list[Drawn]:
    """Read the tree: where a line names no exit code or no module, they are its parent's."""
    path, found = [Drawn("Exception", "", 0, "pigpen.rules.errors")], []
    for line in text[text.index("PigpenError") :].partition("\n\n")[0].splitlines():
        match = LINE.match(line)
        assert match, line
        path = path[: len(match["branch"]) // 4 + 1]
        above = path[-1]
        path.append(Drawn(match["name"], above.name, int(match["code"] or above.code), match["module"] or above.module))
        found.append(path[-1])
    return found


DRAWN = drawing(errors.__doc__ or "")


@cache
def sources() -> dict[str, str]:
    """Every module of ours by its name."""
    files = [(start, file) for package, start in PACKAGES.items() for file in (start / package).rglob("*.py")]
    return {
        ".".join(file.relative_to(start).with_suffix("").parts).removesuffix(".__init__"): file.read_text("utf-8")
        for start, file in files
    }


@cache
def bases() -> dict[str, tuple[str, set[str]]]:
    """Every class that has bases: its module, and their names."""
    return {
        name: (module, set(above.split(", ")))
        for module, text in sources().items()
        for name, above in CLASS.findall(text)
    }


@cache
def our_errors() -> dict[str, type[PigpenError]]:
    """Every class that comes from `PigpenError`, by its name."""
    names = {"PigpenError"}
    while more := {name for name, (_, above) in bases().items() if names & above} - names:
        names |= more
    return {name: getattr(importlib.import_module(bases()[name][0]), name) for name in names}


def room(module: str) -> str:
    """The folder of a module; a loose file of a package is a room of its own."""
    return module.rpartition(".")[0] if module.count(".") > 1 else module


def used_outside() -> set[str]:
    """The errors that a module of another room imports."""
    return {
        name
        for module, text in sources().items()
        for imported in IMPORT.findall(text)
        for name in re.findall(r"\w+", imported)
        if name in our_errors() and room(module) != room(our_errors()[name].__module__)
    }


def test_the_drawing_shows_what_the_classes_are() -> None:
    classes = [our_errors()[drawn.name] for drawn in DRAWN]
    assert [
        Drawn(each.__name__, each.__bases__[0].__name__, each.exit_code, each.__module__) for each in classes
    ] == DRAWN


def test_every_error_that_leaves_its_room_is_drawn_once() -> None:
    names = [drawn.name for drawn in DRAWN]
    assert used_outside() - {*names} == set()
    assert len({*names}) == len(names)


def test_signals_inside_a_match_are_not_told_to_users() -> None:
    sentence = (errors.__doc__ or "").partition("signals inside a match")[2]
    named = set(re.findall(r"[A-Z]\w+", sentence))
    assert named
    assert named - {*bases()} == set()
    assert named & {*our_errors()} == set()


def test_a_drawing_is_read_line_by_line() -> None:
    tree = "PigpenError  1\n├── One  2  house.room: it says\n│   └── Two     less\n└── Three  3  more"
    assert drawing(f"Errors.\n\n{tree}\n\nEnd.")[1:] == [
        Drawn("One", "PigpenError", 2, "house.room"),
        Drawn("Two", "One", 2, "house.room"),
        Drawn("Three", "PigpenError", 3, "pigpen.rules.errors"),
    ]
