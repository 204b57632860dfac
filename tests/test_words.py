"""`scripts/words` finds names and sentences that a reader has to decode, and lets others be."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "words"))
IN_NAMES: Callable[[Path], list[str]] = WORDS["in_names"]
IN_LINES: Callable[[Path], list[str]] = WORDS["in_lines"]
IN_DOCSTRINGS: Callable[[Path], list[str]] = WORDS["in_docstrings"]
FOUND: Callable[[], list[str]] = WORDS["found"]


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("seats.py", "first = 1\n_told_slots: int = 2\n", ["2: the name “_told_slots”"]),
        (
            "seats.py",
            "class HeardOf:\n    HEARD_SECONDS = 2\n",
            ["1: the name “HeardOf”", "2: the name “HEARD_SECONDS”"],
        ),
        ("seats.py", '"""What it said."""\nword = "told"  # as heard\nretold = unheard = toldness = 1\n', []),
        ("test_seats.py", "def test_it_is_said_once() -> None:\n    said = 1\n", ["2: the name “said”"]),
        (
            "live.js",
            "/* said\n told */\nclass Live {\n  #heard = `${told}`; // said\n}\n",
            ["4: the name “#heard”", "4: the name “told”"],
        ),
        ("live.mjs", "const words = \"said\" + 'heard';\n", []),
        ("from_afar.py", "first = 1\n", ["0: the name “from_afar”"]),
        ("page.html", "<p>What was said.</p>\n", []),
        ("lint", "#!/usr/bin/env python3\nheard = 'told'\n", ["2: the name “heard”"]),
        ("build", "#!/bin/sh\nheard=told\n", []),
    ],
)
def test_names_are_found_and_prose_is_not(tmp_path: Path, file: str, text: str, found: list[str]) -> None:
    path = tmp_path / file
    path.write_text(text)
    assert [line.removeprefix(f"{path}:").partition(": write ")[0] for line in IN_NAMES(path)] == found


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        ("seats.py", '"""One that cannot be had."""\n# or was had\n', ["1: “be had”", "2: “was had”"]),
        ("seats.py", "# by whomever\n", ["1: “whomever”"]),
        ("Makefile", "# What cannot be had, here or elsewhere.\n", ["1: “be had”", "1: “elsewhere”"]),
        ("Referee.Dockerfile", "FROM here\n# or elsewhere\n", ["2: “elsewhere”"]),
        ("pyproject.toml", 'name = "A ladder elsewhere"\n', ["1: “elsewhere”"]),
        ("seats.md", "Elsewhere they go on.\n", []),
        ("seats.py", '"""Seats.\n\nThey go on."""\nx = 1  # it went on\n', ["3: “go on”", "4: “went on”"]),
        ("seats.py", 'class Seat:\n    name: str\n    """Gone on."""\n', ["3: “Gone on”"]),
        ("seats.py", 'GO_ON = "Enter: go on"\nprint(\n    "go on",\n)\ngoing_on(go=on)\n', []),
        ("run", "#!/usr/bin/env python3\n# They go on.\n", ["2: “go on”"]),
        ("live.js", "// They go on.\n", []),
        ("tests/test_seats.py", '"""Seats that go on; nobody sits there."""\n# so often\n', ["2: “so often”"]),
    ],
)
def test_prose_is_found_where_people_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, found: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(file)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    assert [line.removeprefix(f"{path}:").partition(": write ")[0] for line in IN_LINES(path)] == found


QUESTION_WORDS = ("What", "Whether", "How", "Who", "Whom", "Whose", "Why", "Where", "When", "Which")


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("seats.py", '"""{} sits there."""\n', 1),
        ("seats.py", '"""\n{} sits there.\n\nA seat.\n"""\n', 1),
        ("seats.py", 'class Seat:\n    r"""{}, in a word."""\n', 2),
        ("seats.py", 'class Seat:\n    name: str\n    """{}: a name."""\n', 3),
        ("seats.py", "def sit() -> None:\n\n    '''{} sits.'''\n", 3),
        ("seats.py", 'async def sit() -> None:\n    """{} sits."""\n', 2),
        ("seats.py", 'class Seat:\n    def sit(self) -> None:\n        self.name = ""\n        """{} it is."""\n', 4),
        ("seats", '#!/usr/bin/env python3\nSEATS = 4\n"""{} sits."""\n', 3),
    ],
)
def test_docstrings_that_begin_with_a_question_word_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str, line: int
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "--quiet"], check=True)
    for word in QUESTION_WORDS:
        Path(word).mkdir()
        Path(word, file).write_text(text.format(word))
    subprocess.run(["git", "add", "."], check=True)
    found = {each.partition(" begins a docstring")[0] for each in FOUND()}
    assert found == {f"{word}/{file}:{line}: “{word}”" for word in QUESTION_WORDS}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("seats.py", '"""Seats. What they are."""\n'),
        ("seats.py", 'class Seat:\n    """\n    Seat.\n\n    Attributes:\n        name: What it is called.\n    """\n'),
        ("seats.py", 'def sit() -> bool:\n    """True if it sits."""\n    return print("""What sits?""")\n'),
        ("seats.py", 'NAME = "What"\n"""Whatever, Whoso, Whys, Howard and Wheres."""\n# Why not\n'),
        ("seats.md", "What sits there\n"),
        ("seats.js", '"What sits there";\n'),
        ("seats", '#!/bin/sh\n"What sits there"\n'),
    ],
)
def test_other_docstrings_and_other_texts_may_begin_as_they_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(file).write_text(text)
    assert not IN_DOCSTRINGS(Path(file))


def test_files_without_a_suffix_and_dockerfiles_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["Dockerfile", "Makefile", "Referee.Dockerfile", "lint", "pyproject.toml", "seats.py", "sound.wav"]
    for name in names:
        (tmp_path / name).write_text("# from afar\n")
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run(["git", "add", "."], check=True)
    assert sorted({line.partition(":")[0] for line in FOUND()}) == names[:-1]
