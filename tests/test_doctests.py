"""Every example in a docstring holds."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from pigpen.rules import cards

ROOT = Path(__file__).parent.parent
PACKAGES = ("sdk/pigpen", "referee", "ladder", "pigpen_arena")


def modules_with_examples() -> list[str]:
    """Names of all modules of ours that have an example somewhere."""
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [name_of(path) for path in files if ">>> " in path.read_text("utf-8")]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part not in ("sdk", "__init__"))


@pytest.mark.parametrize("name", modules_with_examples())
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_examples_are_found() -> None:
    assert cards.__name__ in modules_with_examples()
