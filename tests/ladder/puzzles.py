"""Ladders with puzzles: found in matches that were really played, or made up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.computing.computing_run import look_for_puzzles
from ladder.matches.answering import answer
from ladder.settings.settings import load_settings
from ladder.store.commands import computations
from ladder.store.commands.puzzles import keep_puzzles
from ladder.store.models import StoredMatch
from ladder.values.questions import QUESTIONS, Lane
from ladder.values.why import Choice, FoundPuzzle, FoundPuzzles, PuzzlePosition, PuzzleSeat, Why
from tests.ladder.ladders import NOW, new_ladder, played, recorded_match

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

RIGHT, WRONG = "4D", "JD"


@pytest.fixture(scope="module")
def lines() -> None:
    """Played before a test has an event loop."""
    played("hearts", form="boards:4")


@pytest.fixture
def ladder(tmp_path: Path, lines: None) -> Iterator[Ladder]:
    """One with a match of hearts, in which there is a puzzle."""
    made = new_ladder(load_settings(data_dir=tmp_path))
    recorded_match(made, played("hearts", form="boards:4"))
    yield made
    made.database.close()


def find_puzzles(ladder: Ladder) -> int:
    """Look for puzzles in one match, as the process that computes does; how many are found."""
    with ladder.database.write() as session:
        look_for_puzzles(ladder, session, ladder.clock())
        lease = computations.claim(session, Lane.LONG, "test", ladder.clock(), 60.0)
    if lease is None:
        return 0
    text = answer(QUESTIONS.validate_python(lease.question, strict=False), ladder.settings.data_dir)
    found = FoundPuzzles.model_validate_json(text).puzzles
    with ladder.database.write() as session:
        assert computations.finish(session, lease, text, ladder.clock())
        keep_puzzles(session, lease.question["match"], found, ladder.clock())
    return len(found)


def made_up(variant: str = "hearts", source: str = "1") -> FoundPuzzle:
    """A puzzle of hearts in which 4D is right, and the bot that sat there played JD."""
    return FoundPuzzle(
        position=PuzzlePosition(
            variant=variant,
            trick=2,
            hand=("2C", "4D", "9D", "JD"),
            legal=("4D", "9D", "JD"),
            seats=tuple(PuzzleSeat(points=0, cards=12, exposed=(), played=each) for each in ("", "", "5D", "QS")),
            leader=2,
            tricks=(("2D", "3D", "KD", "AD"),),
            leaders=(1,),
            winners=(3,),
            passed=(),
            received=(),
        ),
        right=(RIGHT,),
        why=Why(
            source=source,
            rules=variant,
            low_is_better=True,
            place="board 1, rotation 1",
            deal=1,
            board=1,
            rotation=1,
            step=7,
            seat=2,
            bot="Secretive",
            at="trick 2",
            hand=("2C", "4D", "9D", "JD"),
            on_the_table=("5D", "QS"),
            legal=3,
            choices=tuple(
                Choice(
                    choice=card,
                    points=behind,
                    points_error=0.1,
                    ahead=-behind,
                    behind=behind,
                    behind_error=0.2 * (behind > 0),
                    house=("counting", "tree") if card == RIGHT else (),
                    as_dealt=behind,
                    chosen=card == WRONG,
                )
                for card, behind in ((RIGHT, 0.0), ("9D", 12.5), (WRONG, 12.75))
            ),
            deals=100,
            chosen=WRONG,
            by="bot",
            cost=12.75,
            cost_error=0.2,
            scored=13,
            rerun="pigpen rerun 1 Secretive FOLDER --board 1 --rotation 1",
        ),
    )


def add_puzzles(ladder: Ladder, match: int, count: int = 1) -> None:
    """Add puzzles that are made up to a match."""
    with ladder.database.write() as session:
        variant = session.get_one(StoredMatch, match).variant
        keep_puzzles(session, match, [made_up(variant, source=str(match))] * count, NOW)
