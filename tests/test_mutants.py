"""`scripts/mutants` finds the places that can be broken, tells whether tests notice, and leaves the tree as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "mutants"
PRODUCT = '''
LIMIT = 5
"""At most 5."""


def fits(number: int) -> bool:
    """True if it is not 7."""
    return number <= LIMIT


def twice(number: int) -> int:
    if not number:
        raise ValueError("0")
    return number * 2
'''
TESTS = """
from ladder.entry.sizes import fits


def test_fits() -> None:
    assert fits(5)


def test_that_fails_as_it_is() -> None:
    assert not fits(5)
"""
FOUND = [
    "ladder/entry/sizes.py:8: <= → <",
    "ladder/entry/sizes.py:12: not → ",
    'ladder/entry/sizes.py:13: raise ValueError("0") → pass',
    "ladder/entry/sizes.py:14: * → //",
    "ladder/entry/sizes.py:14: 2 → 3",
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A product of one module, and its tests."""
    for path, content in {
        "ladder/__init__.py": "",
        "ladder/entry/__init__.py": "",
        "ladder/entry/sizes.py": PRODUCT,
        "tests/ladder/entry/test_sizes.py": TESTS,
        "pytest.ini": "[pytest]\nmarkers =\n" + "".join(f"    {name}\n" for name in ("long", "docker")),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    return tmp_path


def mutants(tree: Path, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--root", tree, *words, "ladder"], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_all_places_are_found_but_constants_docstrings_and_annotations(tree: Path) -> None:
    assert sorted(mutants(tree, "--list")) == sorted(FOUND)


def test_the_same_seed_draws_the_same_mutants(tree: Path) -> None:
    drawn = [mutants(tree, "--list", "--count", "2", "--seed", str(seed)) for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 2
    assert any(each != drawn[0] for each in drawn)


def test_a_run_that_was_stopped_is_resumed_behind_its_last_mutant(tree: Path) -> None:
    assert mutants(tree, "--list", "--skip", "2") == mutants(tree, "--list")[2:]


def test_what_no_test_notices_is_listed_and_the_tree_is_as_before(tree: Path) -> None:
    """A test that fails without a mutant catches none."""
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    found = mutants(tree)
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before
    assert [line.split()[1] for line in found if line.endswith(FOUND[0])] == ["caught"]
    assert sorted(found[-4:]) == sorted(FOUND[1:])
    assert found[-5].startswith("1 of 5 mutants caught (20%)")
