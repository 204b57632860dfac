from __future__ import annotations

import pytest

from pigpen.rules import PRESETS
from referee.match.formats import Format, by_bot

HEARTS = PRESETS["hearts"]


@pytest.mark.parametrize(
    "text",
    [
        "deals:0",
        "deals:",
        "deals:x",
        "boards",
        "boards:0",
        "boards:-1",
        "deals:007",
        "deals:²",
        "",
        "game:2",
        "board:1",
        "board:1:8",
        "board:01:1",
        "board:100000:0",
        "board:-1:0",
    ],
)
def test_a_format_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a match format") as error:
        Format.parse(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("text", ["game", "deals:7", "boards:16", "board:0:0", "board:99999:7"])
def test_a_format_reads_back_as_it_was_written(text: str) -> None:
    assert str(Format.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "rules", "tables", "count"),
    [
        ("game", "hearts", 1, None),
        ("deals:7", "gongzhu-five", 1, 7),
        ("boards:7", "hearts", 4, 28),
        ("boards:7", "gongzhu-partners", 4, 28),
        ("boards:7", "gongzhu-five", 5, 35),
        ("board:7:4", "gongzhu-five", 1, 1),
    ],
)
def test_boards_have_a_table_for_each_rotation(text: str, rules: str, tables: int, count: int | None) -> None:
    form = Format.parse(text)
    assert form.tables(PRESETS[rules]) == tables
    assert form.count(PRESETS[rules]) == count


@pytest.mark.parametrize("text", ["game", "deals:7"])
def test_nobody_changes_seats_in_a_match_of_one_table(text: str) -> None:
    assert {Format.parse(text).seats(HEARTS, bytes(32), 0, deal) for deal in range(7)} == {(0, 1, 2, 3)}


def test_what_the_seats_have_goes_to_the_bots_that_sit_there() -> None:
    assert by_bot((10, 11, 12, 13), (2, 0, 3, 1)) == (11, 13, 10, 12)
