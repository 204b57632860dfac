"""Types and docs of the installed wheels in a contestant's type checker and editor."""

from __future__ import annotations

import enum
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import ROOT
from tests.e2e.installed.editor import Editor
from tests.e2e.installed.installing import Installation
from tests.e2e.test_readme import README, SDK_README, blocks
from tests.sdk.test_names import DOORS, public_names

STRANGERS = Path(__file__).parent / "strangers"
WRONG = "wrong_bot.py"
Errors = dict[str, set[int]]
"""Numbers of the lines with errors, by the name of the file."""


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with strangers' bots, and with those that contestants copy: samples, and the code in pages."""
    folder = tmp_path_factory.mktemp("bots")
    for file in STRANGERS.glob("*.py"):
        shutil.copy(file, folder)
    for file in (ROOT / "sample_bots").glob("*/bot.py"):
        shutil.copy(file, folder / f"sample_{file.parent.name}.py")
    pages = (README, SDK_README, (ROOT / "docs" / "guide.md").read_text("utf-8"))
    for number, code in enumerate(code for page in pages for code in blocks("python", page)):
        (folder / f"page_{number}.py").write_text(code)
    (folder / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    return folder


def run_mypy(bots: Path, installation: Installation) -> Errors:
    command = [sys.executable, "-m", "mypy", "--strict", "--output", "json", "--python-executable"]
    files = sorted(bots.glob("*.py"))
    done = subprocess.run(
        [*command, installation.folder / "bin" / "python", *files], cwd=bots, capture_output=True, check=False
    )
    found: Errors = {file.name: set() for file in files}
    assert not done.stderr, done.stderr
    for error in map(json.loads, done.stdout.splitlines()):
        found[Path(error["file"]).name].add(error["line"])
    return found


def basedpyright(installation: Installation, folder: Path, *words: str) -> dict[str, object]:
    """Give basedpyright's findings, as JSON; it is the type checker of pyright, with Node.js in its wheel."""
    path = f"{installation.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "basedpyright", "--outputjson", *words]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, check=False)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def run_pyright(bots: Path, installation: Installation) -> Errors:
    python = str(installation.folder / "bin" / "python")
    report = basedpyright(installation, bots, "--pythonpath", python, "--project", str(bots))
    found: Errors = {file.name: set() for file in bots.glob("*.py")}
    errors = report["generalDiagnostics"]
    assert isinstance(errors, list)
    for error in errors:
        found[Path(error["file"]).name].add(error["range"]["start"]["line"] + 1)
    return found


CHECKERS = {"mypy": run_mypy, "pyright": run_pyright}


@pytest.fixture(scope="module", params=CHECKERS)
def checked(request: pytest.FixtureRequest, bots: Path, installation: Installation) -> Errors:
    """Give a type checker's findings in all bots, in its strict mode."""
    return CHECKERS[request.param](bots, installation)


def test_bots_that_use_all_that_is_public_are_accepted(checked: Errors) -> None:
    assert len(checked) > 8
    assert {file: lines for file, lines in checked.items() if lines and file != WRONG} == {}


def test_each_mistake_of_a_wrong_bot_is_found(checked: Errors) -> None:
    lines = enumerate((STRANGERS / WRONG).read_text().splitlines(), start=1)
    assert checked[WRONG] == {number for number, line in lines if "  # wrong: " in line}


def test_the_whole_bot_uses_every_public_name_and_works(bots: Path, installation: Installation) -> None:
    words = set(re.findall(r"\w+", (bots / "whole_bot.py").read_text()))
    assert {name for _, name in public_names()} - words == {"run"}
    assert installation.run("python", str(bots / "whole_bot.py")).stdout.startswith("True 0.1.0\n")


def test_no_type_of_the_sdk_is_left_to_be_guessed(installation: Installation, tmp_path: Path) -> None:
    report = basedpyright(installation, tmp_path, "--verifytypes", "pigpen", "--ignoreexternal")["typeCompleteness"]
    assert isinstance(report, dict)
    assert len(report["symbols"]) > 1000
    unknown = {symbol["name"]: symbol["diagnostics"] for symbol in report["symbols"] if not symbol["isTypeKnown"]}
    assert {name: each for name, each in unknown.items() if each} == {}
    assert report["completenessScore"] == 1


def classes() -> list[type]:
    values = (getattr(importlib.import_module(door), name) for door, name in public_names())
    return sorted({value for value in values if isinstance(value, type)}, key=lambda each: each.__qualname__)


def import_of(door: str, name: str = "") -> str:
    return f"from {door} import {name}"


def look_at(value: type) -> str:
    """The beginning of a function that asks for a member of a class."""
    name = value.__name__
    holder = name if issubclass(value, enum.Enum) else "value"
    return f"def look(value: {name}) -> None:\n    {holder}."


@pytest.fixture(scope="module")
def editor(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """An editor in which a contestant writes a bot."""
    parts = [import_of(door, name) for door, name in public_names()]
    parts += [*map(import_of, DOORS), *map(look_at, classes()), "playout("]
    file = tmp_path_factory.mktemp("editor") / "bot.py"
    with Editor(file, "\n\n\n".join([*parts, ""]), installation.folder / "bin" / "python") as editor:
        yield editor


@pytest.mark.parametrize("door", DOORS)
def test_an_editor_shows_type_and_docs_of_every_public_name(editor: Editor, door: str) -> None:
    names = importlib.import_module(door).__all__
    assert set(names) <= set(editor.completions(import_of(door)))
    for name in names:
        shown, _, docs = editor.hover(import_of(door, name)).partition("\n")
        assert name in shown
        assert docs.strip(), f"{door}.{name} has no docs: {shown}"


def inherited(value: type) -> set[str]:
    """Members that are not of our making: those of numbers, tuples, enumerations, errors."""
    return {name for base in value.__mro__ if not base.__module__.startswith("pigpen") for name in dir(base)}


@pytest.mark.parametrize("value", classes(), ids=lambda value: value.__name__)
def test_an_editor_shows_the_docs_of_every_member(editor: Editor, value: type) -> None:
    offered = editor.completions(look_at(value))
    members = {member for member in dir(value) if not member.startswith("_")} - inherited(value)
    assert members <= set(offered)
    for member, completion in offered.items():
        if not member.startswith("_") and member not in inherited(value):
            declaration, _, docs = editor.docs(completion).partition("\n")
            assert member in declaration
            assert docs.strip(), f"{value.__name__}.{member} has no docs: {declaration}"


def test_an_editor_shows_the_arguments_of_a_call(editor: Editor) -> None:
    signature = editor.signature("playout(")
    wanted = "(deal: Deal, policy: Policy | Chooser = Policy.CAREFUL, rng: Bits | None = None) -> tuple[int, ...]"
    assert signature["label"] == wanted
    assert "from which to start" in json.dumps(signature)
