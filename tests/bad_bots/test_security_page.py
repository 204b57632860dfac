"""The tables of docs/security.md name every bad bot, and nothing that does not exist."""

from __future__ import annotations

import re

import pytest

from tests.bad_bots.matches import TESTS
from tests.bad_bots.table import BAD_BOTS

PAGE = (TESTS.parent / "docs" / "security.md").read_text("utf-8")
HEADER = "| attack | stopped by | observed | proven by |"


def rows(page: str) -> list[list[str]]:
    """The cells of each row of the tables of attacks."""
    tables = [part.partition("\n\n")[0] for part in page.split(HEADER)[1:]]
    lines = [line for table in tables for line in table.splitlines()[2:]]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def proofs(row: list[str]) -> list[str]:
    """List the proofs that a row names."""
    return re.findall(r"`([^`]+)`", row[-1])


def test_every_row_is_complete() -> None:
    assert rows(PAGE)
    assert [row for row in rows(PAGE) if len(row) != 4 or not all(row)] == []


def test_every_bad_bot_stands_in_one_row() -> None:
    named = [name for row in rows(PAGE) for name in proofs(row) if not name.startswith("tests/")]
    assert sorted(named) == sorted(BAD_BOTS)


@pytest.mark.parametrize("row", rows(PAGE), ids=lambda row: row[0])
def test_every_row_is_proven_by_bad_bots_and_tests_that_exist(row: list[str]) -> None:
    assert proofs(row)
    for name in proofs(row):
        assert name in BAD_BOTS or (TESTS.parent / name).is_file()


def test_a_row_without_a_proof_would_be_noticed() -> None:
    page = f"{HEADER}\n|---|---|---|---|\n| a new one | hope | nothing | |\n\nThe end"
    assert [proofs(row) for row in rows(page)] == [[]]
