"""Printed figures: none moves without a match, and every door has the same ones."""

from __future__ import annotations

import csv
import io
import re
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import unescape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from ladder.app import bots
from ladder.app.database_maintenance import check_database
from ladder.app.ladder import Ladder
from ladder.app.matches import explanation
from ladder.cli.results.standings import print_standings
from ladder.settings.settings import load_settings
from ladder.store import last_estimate, models
from ladder.store.commands.estimates import estimate_findings, refresh, stale
from tests.ladder import ladders, shown
from tests.ladder.every_database import copy_folder
from tests.ladder.site.visitor import MATCHES, Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

VARIANT = "gongzhu"
PLACES = ("rank", "rank_low", "rank_high", "margin_rank", "margin_rank_low", "margin_rank_high", "outplaced_by")
"""Standing of a bot among those that play: it follows at once when a bot enters (docs/ratings.md)."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder with matches, of which two bots beat each other in a circle with a third."""
    folder = tmp_path_factory.mktemp("figures")
    with small_site(folder) as site:
        with site.ladder.database.write() as session:
            for pair in session.query(models.PairStats):
                # Interactions that are not noise, so that the fits know of them.
                lead = (37.0 + 3 * pair.a + pair.b) * (1 if (pair.b - pair.a) % 2 else -1)
                pair.boards_played, pair.ties, pair.board_score = 200, 0, 160.0 if lead > 0 else 40.0
                pair.points, pair.squares = 200 * lead, 200 * (lead**2 + 400.0)
        refresh(site.ladder.database, VARIANT)
    return folder


@dataclass
class Doors:
    """All doors of a ladder, whose clock can be put forward."""

    ladder: Ladder
    late: float = 0.0
    """Seconds."""

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[Doors]:
        """Open the ladder as a new process does: nothing is kept from an earlier look."""
        last_estimate._KEPT.clear()
        with Ladder.open(load_settings(data_dir=folder)) as ladder:
            doors, now = cls(ladder), ladder.clock()
            doors.ladder = replace(ladder, clock=lambda: now + doors.late)
            yield doors

    @property
    def site(self) -> Visitor:
        """A site that keeps no answer of before."""
        return Visitor(self.ladder)

    def rows(self) -> dict[str, dict[str, Any]]:
        """The JSON of each bot's row."""
        return {row["bot"]: row for row in self.site.value(f"/standings/{VARIANT}?all=true")["standings"]}

    def terminal(self, width: int = 200) -> str:
        console = Console(file=io.StringIO(), width=width, legacy_windows=False)
        (found,) = bots.standings(self.ladder, VARIANT, everyone=True)
        print_standings(found, console)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    def csv(self) -> dict[str, dict[str, str]]:
        text = self.site.get(f"/api/v1/standings/{VARIANT}.csv?all=true").text
        return {row["bot"]: row for row in csv.DictReader(io.StringIO(text))}

    def cells(self) -> dict[str, list[str]]:
        """Words of each bot's row of the page, cell by cell."""
        page = self.site.page(f"/v/{VARIANT}?all=1")
        rows = [re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL) for row in page.split("<tr>")[2:]]
        return {words[1].split()[0]: words for words in ([words_of(cell) for cell in row] for row in rows)}

    def explanations(self) -> list[str]:
        return [explanation(self.ladder, match).model_dump_json() for match in range(1, MATCHES + 1)]


RANK, SURER = 0, 5
"""Cells with the standing of a bot beside others: its rank, and the likelihood that it is stronger than the next."""
RANGE = re.compile(r" · \d+–\d+$")
"""Ranks by the other order, in the cell of its value."""
DATE = re.compile(r"\d+ [A-Z][a-z]+ \d{4}")
"""The day of the daily board, on the home page."""


def words_of(html: str) -> str:
    """Give the text of a part of a page, with one space between words."""
    return DATE.sub("DATE", " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split()))


def figures(doors: Doors, with_places: bool = True) -> dict[str, Any]:
    """Read all figures of all doors; without places those that do not depend on who else plays."""
    rows, cells = doors.rows(), doors.cells()
    if not with_places:
        rows = {bot: {name: row[name] for name in row.keys() - set(PLACES)} for bot, row in rows.items()}
        cells = {bot: [RANGE.sub("", cell) for place, cell in enumerate(row) if place not in (RANK, SURER)]
                 for bot, row in cells.items()}  # fmt: skip
    found: dict[str, Any] = {
        **{f"JSON of {bot}": row for bot, row in rows.items()},
        **{f"page of standings, {bot}": row for bot, row in cells.items()},
        "explanations": doors.explanations(),
        "circles": doors.site.value(f"/standings/{VARIANT}")["circles"],
        "curves": [doors.site.value(f"/bots/{bot}/ratings/{VARIANT}") for bot in shown.OWNERS],
        "compared": [words_of(doors.site.page(f"/compare/{one}/{other}")) for one, other in pairwise(shown.OWNERS)],
    }
    if with_places:
        found["terminal"] = doors.terminal()
        found["CSV"] = doors.csv()
        paths = ["/", *(f"/b/{bot}" for bot in shown.OWNERS), *(f"/m/{match}" for match in (2, MATCHES))]
        found |= {path: words_of(doors.site.page(path)) for path in paths}
    return found


def refreshed(doors: Doors) -> None:
    refresh(doors.ladder.database, VARIANT)


def a_year_later(doors: Doors) -> None:
    doors.late += 365 * 86400.0
    refreshed(doors)


def viewed(doors: Doors) -> None:
    doors.site.get_all([f"/v/{VARIANT}?by=points", "/b/Mud", "/api/v1/standings", f"/api/v1/matches/{MATCHES}"] * 2)


def checked(doors: Doors) -> None:
    assert list(estimate_findings(doors.ladder.database)) == []


def entered(doors: Doors) -> None:
    """Enter a bot, and make the estimate that it lacks."""
    with doors.ladder.database.write() as session:
        ladders.enter(session, "Late", VARIANT, owner="fay")
        assert stale(session) == [VARIANT]
    refreshed(doors)


ACTS: dict[str, tuple[Callable[[Doors], None], bool]] = {
    "an estimate": (refreshed, True),
    "a year": (a_year_later, True),
    "pages that are viewed": (viewed, True),
    "db check": (checked, True),
    "a bot that has not played": (entered, False),
}
"""With each True if places among those that play stay, too."""


@pytest.mark.parametrize("act", ACTS)
def test_no_figure_moves_without_a_match(played: Path, tmp_path: Path, act: str) -> None:
    do, with_places = ACTS[act]
    copy_folder(played, tmp_path)
    with Doors.open(tmp_path) as doors:
        before = figures(doors, with_places)
        assert before["circles"] != []
        do(doors)
        assert {name: now for name, now in figures(doors, with_places).items() if name in before} == before
    with Doors.open(tmp_path) as again:
        assert {name: now for name, now in figures(again, with_places).items() if name in before} == before


def test_a_match_moves_figures(played: Path, tmp_path: Path) -> None:
    """So the comparison of the other test would see it."""
    copy_folder(played, tmp_path)
    with Doors.open(tmp_path) as doors:
        before = figures(doors)
        with doors.ladder.database.write() as session:
            shown.play(session, [1, 2, 3, 4], VARIANT, 5)
        refreshed(doors)
        now = figures(doors)
    assert now["explanations"] == before["explanations"]
    for name in ("JSON of Trotter", "page of standings, Trotter", "terminal", "CSV", "/", "/b/Trotter"):
        assert now[name] != before[name], name


SAME: dict[str, tuple[int, str, str]] = {
    "elo": (2, "{:.0f}", "{:.0f}"),
    "error": (2, "± {:.0f}", "{:.0f}"),
    "margin": (3, "{:+.2f}", "{:+.2f}"),
    "margin_error": (3, "± {:.2f}", "± {:.2f}"),
    "margin_rank_low": (3, "· {}", ""),
    "margin_rank_high": (3, "–{}", ""),
    "rank": (0, "{}", "{}"),
    "rank_low": (0, " {}–", "{}–"),
    "rank_high": (0, "–{}", "–{}"),
    "matches": (6, "{}", "{}"),
    "change": (9, "{:+.1f}", "{:+.0f}"),
}
"""For each figure in JSON its cell on the page, and its format there and in the terminal."""


@pytest.mark.parametrize("name", SAME)
def test_every_door_has_the_same_figures(played: Path, name: str) -> None:
    cell, on_pages, in_terminal = SAME[name]
    with Doors.open(played) as doors:
        rows, cells, table = doors.rows(), doors.cells(), doors.csv()
        lines = [f" {' '.join(line.split())} " for line in doors.terminal().splitlines() if re.match(r" +\d+ ", line)]
        assert len(lines) == len(rows) == len(shown.OWNERS)
        for bot, row in rows.items():
            assert on_pages.format(row[name]).replace("-", "−") in f" {cells[bot][cell]}"
            (line,) = [line for line in lines if f" {bot} " in line]
            assert in_terminal.format(row[name]) in line
            if name != "change":
                assert table[bot][name] == str(row[name])


def test_a_bot_s_page_and_the_check_have_the_figures_of_the_standings(played: Path) -> None:
    with Doors.open(played) as doors:
        assert list(check_database(doors.ladder)) == []
        for bot, row in doors.rows().items():
            (part,) = doors.site.value(f"/bots/{bot}")["variants"]
            assert part["standing"] == row
            page = words_of(doors.site.page(f"/b/{bot}"))
            assert f"{row['elo']:.0f}{'?' * row['provisional']} Elo ± {row['error']:.0f}" in page
            assert f"{row['margin']:+.2f} ± {row['margin_error']:.2f}".replace("-", "−") in page


def test_an_explanation_leads_to_the_rating_that_the_standings_have(played: Path) -> None:
    with Doors.open(played) as doors:
        last: dict[str, float] = {}
        for match in range(1, MATCHES + 1):
            found = explanation(doors.ladder, match)
            for move in found.moves:
                assert last.get(move.bot, move.before) == move.before
                last[move.bot] = move.after
        assert {bot: elo + found.shift for bot, elo in last.items()} == {
            bot: row["elo"] for bot, row in doors.rows().items()
        }
