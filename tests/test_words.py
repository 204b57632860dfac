"""`scripts/words` finds names that a reader has to decode, and lets sentences be."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

IN_NAMES: Callable[[Path], list[str]] = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "words"))["in_names"]


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
    ],
)
def test_names_are_found_and_prose_is_not(tmp_path: Path, file: str, text: str, found: list[str]) -> None:
    path = tmp_path / file
    path.write_text(text)
    assert [line.removeprefix(f"{path}:").partition(": write ")[0] for line in IN_NAMES(path)] == found
