"""The tables of a match, as rows, frames and HTML."""

from __future__ import annotations

import importlib
import sys
from html.parser import HTMLParser

import pytest

import pigpen_arena as arena
from pigpen_arena import html
from pigpen_arena.tables import SHOWN, frame, table_html


@pytest.fixture(scope="module")
def match() -> arena.Match:
    return arena.play(["random", "random", "cautious", "counting"], "gongzhu", boards=2, seed="7")


def test_every_seat_of_every_deal_and_every_step(match: arena.Match) -> None:
    deals, decisions = match.rows("deals"), match.rows("decisions")
    assert len(deals) == 2 * 4 * 4
    assert len(decisions) == sum(len(line.steps) for line in match.recorded.deals)
    assert {(row["board"], row["rotation"]) for row in decisions} == {(b, r) for b in (1, 2) for r in (1, 2, 3, 4)}
    assert {row["trick"] for row in decisions if row["kind"] == "play"} == set(range(1, 14))
    for name in match.bots:
        total = sum(row["score"] for row in deals if row["bot"] == name)  # type: ignore[misc]
        assert total == next(row["total"] for row in match.rows() if row["bot"] == name)


def test_each_bot_holds_each_hand_of_a_board(match: arena.Match) -> None:
    held = {(row["bot"], row["hand"]) for row in match.rows("deals") if row["board"] == 1}
    assert len(held) == 16


@pytest.mark.parametrize("library", ["polars", "pandas"])
@pytest.mark.parametrize("of", ["bots", "deals", "decisions"])
def test_frames_hold_the_rows(match: arena.Match, library: str, of: str) -> None:
    made = match.to_frame(of, library)  # type: ignore[arg-type]
    rows = match.rows(of)  # type: ignore[arg-type]
    assert type(made).__module__.startswith(library)
    assert list(made.columns) == list(rows[0])
    assert made.shape == (len(rows), len(rows[0]))
    column = made["bot"].to_list() if library == "polars" else list(made["bot"])
    assert column == [row["bot"] for row in rows]


def test_a_frame_takes_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: arena.Row = {"a": None}
    rows = [nothing] * 200 + [{"a": 1}]
    assert type(frame(rows)).__module__.startswith("polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    assert type(frame(rows)).__module__.startswith("pandas")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(arena.UserError, match=r"pip install polars\b.* rows\(\)"):
        frame(rows)
    with pytest.raises(arena.UserError, match="pip install pandas"):
        frame(rows, "pandas")
    with pytest.raises(arena.UserError, match="'numpy'"):
        frame(rows, "numpy")  # type: ignore[arg-type]


class Cells(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


def test_names_are_text_in_a_notebook_and_long_tables_are_cut() -> None:
    text = table_html([{"bot": "<script>", "n": number, "x": 0.5, "no": None} for number in range(SHOWN + 3)], "a < b")
    assert Cells(text).tags.count("tr") == SHOWN + 1
    assert "script" not in Cells(text).tags
    assert "a &lt; b" in text
    assert "… and 3 more" in text
    assert table_html([], "nothing") == "<p>nothing</p>"


def test_a_notebook_shows_the_result_and_the_replayer(match: arena.Match, monkeypatch: pytest.MonkeyPatch) -> None:
    text = match._repr_html_()
    assert Cells(text).tags.count("tr") == 5
    assert "iframe" in Cells(text).tags
    monkeypatch.setattr(html, "LARGEST", 10)
    assert "too large" in match._repr_html_()
    monkeypatch.setitem(sys.modules, "ladder.site.rendering.replay_page", None)
    assert "pip install" in match._repr_html_()
    assert match.costliest("random")._repr_html_().startswith("<table><caption>random: the costliest of")


def test_a_table_that_does_not_exist_is_refused(match: arena.Match) -> None:
    with pytest.raises(arena.UserError, match=r"'cards'.* deals or decisions"):
        match.rows("cards")  # type: ignore[arg-type]


def test_the_door_has_all_names() -> None:
    assert all(hasattr(importlib.import_module("pigpen_arena"), name) for name in arena.__all__)
