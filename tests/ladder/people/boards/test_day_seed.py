"""Today's board: the same for everybody, another one each day and in each variant, unknown without the secret."""

from __future__ import annotations

import datetime

import pytest

from ladder.people.boards.daily_board import FORMAT, day_of, is_revealed, seed_of_day
from pigpen.rules import PRESETS, deal_hands
from referee.match.formats import Format

SECRET = bytes(range(32))
DAY = datetime.date(2026, 11, 23)


def test_each_day_and_each_variant_has_a_board_of_its_own() -> None:
    days = [DAY + datetime.timedelta(days=more) for more in range(3)]
    seeds = {seed_of_day(SECRET, day, variant) for day in days for variant in PRESETS}
    assert len(seeds) == 3 * len(PRESETS)
    assert {len(seed) for seed in seeds} == {32}


def test_it_is_the_same_for_everybody_and_another_one_on_another_ladder() -> None:
    rules = PRESETS["hearts"]
    boards = [deal_hands(rules, seed_of_day(secret, DAY, "hearts"), 0) for secret in (SECRET, SECRET, bytes(32))]
    assert boards[0] == boards[1] != boards[2]


@pytest.mark.parametrize("rules", PRESETS)
def test_the_person_sits_in_seat_0(rules: str) -> None:
    form = Format.parse(FORMAT)
    (table,) = form.table_numbers(PRESETS[rules])
    assert form.seats(PRESETS[rules], SECRET, table, 0)[0] == 0


def test_it_is_revealed_when_the_day_is_over_in_greenwich() -> None:
    last = datetime.datetime(2026, 11, 24, 7, 59, 59, tzinfo=datetime.timezone(datetime.timedelta(hours=8)))
    assert day_of(last) == DAY
    assert not is_revealed(DAY, last)
    assert is_revealed(DAY, last + datetime.timedelta(seconds=1))
