"""The table of all limits in seconds of docs/faults.md names what the code has, and nothing else."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path

from referee.seats.deadlines import Deadlines

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("referee/seats", "referee/match", "ladder/sandbox", "ladder/matches", "ladder/trials", "ladder/worker")
FILES = (
    *(file for room in ROOMS for file in (ROOT / room).rglob("*.py")),
    ROOT / "sdk/pigpen/client.py",
    ROOT / "sdk/pigpen/lines.py",
)
LIMIT = re.compile(r"^(\w*SECONDS)\b(?:: \w+)? = ", re.MULTILINE)
ROW = re.compile(r"`(\w+/\w+\.py)`((?:,? _?[A-Z_]+\b)+)")


def in_the_code() -> set[tuple[str, str]]:
    return {(f"{file.parent.name}/{file.name}", name) for file in FILES for name in LIMIT.findall(file.read_text())}


def in_the_page() -> set[tuple[str, str]]:
    table = (ROOT / "docs/faults.md").read_text().partition("## All limits in seconds")[2]
    return {(file, name) for file, names in ROW.findall(table) for name in re.findall(r"\w+", names)}


def test_no_default_of_the_deadlines_is_a_number_of_its_own() -> None:
    """So each stands in the table, by its name."""
    names = {value.id for field in fields(Deadlines) if isinstance(value := default_of(field.name), ast.Name)}
    assert len(names) == len(fields(Deadlines))
    assert all(LIMIT.match(f"{name} = ") for name in names)


def default_of(name: str) -> ast.expr | None:
    """Read what the source gives a field of the deadlines."""
    (tree,) = ast.parse(inspect.getsource(Deadlines)).body
    assert isinstance(tree, ast.ClassDef)
    given = (each for each in tree.body if isinstance(each, ast.AnnAssign))
    return next(each.value for each in given if isinstance(each.target, ast.Name) and each.target.id == name)


def test_each_limit_in_seconds_stands_in_the_table() -> None:
    assert in_the_page() == in_the_code()
    assert len(in_the_code()) > 40
