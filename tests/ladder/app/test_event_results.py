"""Results of an event in a file, which must be those of the tables that were drawn."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.event.organising import draw_round
from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ladder.values.events import EventDraw

FILE = """
[event]
name = "Cup"
variant = "hearts"
entrants = [4, 16]

[[stage]]
name = "Swiss"
kind = "swiss"
rounds = 3
format = "boards:2"
standings = "performance"
play_off = "boards:1"

[[stage]]
name = "Final"
kind = "final"
format = "game"
"""
Tables = list[dict[str, Any]]
Rounds = list[dict[str, Any]]


class Organiser:
    """Draws rounds of an event from files."""

    def __init__(self, folder: Path, bots: int = 8) -> None:
        self.file, self.entrants, self.results = folder / "e.toml", folder / "e.csv", folder / "r.json"
        self.file.write_text(FILE)
        self.entrants.write_text("name,owner\n" + "".join(f"B{n},o{n}\n" for n in range(1, bots + 1)))

    def draw(self, rounds: Rounds, *, corrected: bool = False) -> EventDraw:
        self.results.write_text(json.dumps(rounds))
        return draw_round(self.file, self.entrants, "x", self.results, corrected=corrected)

    def play(self, rounds: Rounds) -> Rounds:
        """Add the round that comes next, with a result in which all tables differ."""
        drawn = self.draw(rounds)
        boards = 1 if drawn.format == "game" else int(drawn.format.removeprefix("boards:"))
        points = [(number * 7 + len(rounds)) % 26 for number in range(4)]
        tables = [{"bots": list(table.bots), "boards": [points] * boards} for table in drawn.tables]
        return [*rounds, {"stage": drawn.stage, "round": drawn.round, "tables": tables}]

    def play_all(self) -> Rounds:
        rounds = Rounds()
        while self.draw(rounds).kind != "over":
            rounds = self.play(rounds)
        return rounds


@pytest.fixture
def organiser(tmp_path: Path) -> Organiser:
    return Organiser(tmp_path)


def swap(tables: Tables) -> None:
    one, other = tables[0]["bots"], tables[1]["bots"]
    one[0], other[0] = other[0], one[0]


def seat_twice(tables: Tables) -> None:
    tables[0]["bots"][0] = tables[1]["bots"][0]


def repeat(tables: Tables) -> None:
    tables.append(tables[0] | {"bots": tables[0]["bots"][::-1]})


def play_more_boards(tables: Tables) -> None:
    tables[1]["boards"] *= 2


def play_fewer_boards(tables: Tables) -> None:
    tables[1]["boards"].pop()


def leave_a_seat_empty(tables: Tables) -> None:
    tables[0]["bots"].pop()
    tables[0]["boards"] = [points[:3] for points in tables[0]["boards"]]


def seat_a_stand_in(tables: Tables) -> None:
    tables[0]["bots"][2] = "stand-in 1"


def seat_one_bot_twice(tables: Tables) -> None:
    tables[0]["bots"][2] = tables[0]["bots"][0]


ALWAYS_WRONG: list[Callable[[Tables], object]] = [
    list.pop, list.clear, repeat, seat_twice, play_more_boards, play_fewer_boards, leave_a_seat_empty, seat_a_stand_in,
    seat_one_bot_twice,
]  # fmt: skip


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.parametrize("change", [*ALWAYS_WRONG, swap], ids=lambda each: each.__name__)
def test_tables_that_were_not_drawn_are_refused(
    organiser: Organiser, number: int, change: Callable[[Tables], object]
) -> None:
    """In the first round, and in one that earlier results decide; also if later rounds follow it."""
    for rounds in (organiser.play_all(), organiser.play_all()[: number + 1]):
        bots = {bot for table in rounds[number]["tables"] for bot in table["bots"]}
        change(rounds[number]["tables"])
        with pytest.raises(UserError, match=rf"round {number + 1} of \'Swiss\'") as refused:
            organiser.draw(rounds)
        assert str(refused.value).startswith(f"{organiser.results}: ")
        assert set(re.findall(r"B\d", str(refused.value))) & bots, "the sentence names the table"


@pytest.mark.parametrize("change", ALWAYS_WRONG, ids=lambda each: each.__name__)
def test_after_a_correction_each_bot_still_sits_at_one_table(
    organiser: Organiser, change: Callable[[Tables], object]
) -> None:
    rounds = organiser.play_all()
    change(rounds[1]["tables"])
    with pytest.raises(UserError, match="round 2 of 'Swiss'"):
        organiser.draw(rounds, corrected=True)


def test_a_corrected_result_leaves_tables_that_were_drawn_from_the_wrong_one(organiser: Organiser) -> None:
    rounds = organiser.play(organiser.play([]))
    table = rounds[0]["tables"][0]
    table["boards"] = [points[::-1] for points in table["boards"]]
    with pytest.raises(UserError, match="--corrected"):
        organiser.draw(rounds)
    assert organiser.draw(rounds, corrected=True).round == 3


def test_the_order_of_tables_and_of_bots_at_them_decides_nothing(organiser: Organiser) -> None:
    rounds = organiser.play_all()
    found = organiser.draw(rounds)
    for each in rounds:
        each["tables"].reverse()
        for table in each["tables"]:
            table["bots"].reverse()
            table["boards"] = [points[::-1] for points in table["boards"]]
    assert organiser.draw(rounds) == found


def test_a_game_is_one_board_and_no_round_follows_the_end(organiser: Organiser) -> None:
    rounds = organiser.play_all()
    final = next(each for each in rounds if each["stage"] == "Final")
    final["tables"][0]["boards"] *= 2
    with pytest.raises(UserError, match=r"round 1 of 'Final' .* of B"):
        organiser.draw(rounds)
    final["tables"][0]["boards"].pop()
    with pytest.raises(UserError, match="round 9 of stage 2, "):
        organiser.draw([*rounds, final | {"round": 9}])


@pytest.mark.parametrize("points", ["3", 3.5, True, None, 10**400, -(10**8)])
def test_points_are_whole_numbers_of_a_possible_size(organiser: Organiser, points: object) -> None:
    rounds = organiser.play([])
    rounds[0]["tables"][0]["boards"][0] = [points, 5, 8, 10]
    with pytest.raises(UserError, match=r"0\.tables\.0\.boards\.0\.0"):
        organiser.draw(rounds)


@pytest.mark.parametrize("bot", ["stand-in 0", "stand-in 01", "stand-in " + "9" * 5000, "stand-in -1", "b1"])
def test_a_name_that_no_one_has_is_refused(organiser: Organiser, bot: str) -> None:
    rounds = organiser.play([])
    rounds[0]["tables"][0]["bots"][0] = bot
    with pytest.raises(UserError, match="no entrant is named"):
        organiser.draw(rounds)
    organiser.entrants.write_text(f"name,owner\n{bot[:20]},o\nB2,o2\nB3,o3\nB4,o4\n")
    if bot.startswith("stand-in"):
        with pytest.raises(UserError, match="an entrant's name"):
            organiser.draw([])
