"""Costs of decisions of a ladder's matches, and the inbox of a bot."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from ladder.app.computing import why as asking
from ladder.app.ladder import Ladder
from ladder.app.local.why import ANYWHERE, Source, Where, why_in_record
from ladder.cli.commands import COMMANDS
from ladder.errors import LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.store import models
from referee.records.file import RecordWriter
from tests.ladder import ladders, shown
from tests.ladder.computing_here import compute_all, computed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.values.why import Costliest, Inbox, Why

pytestmark = pytest.mark.usefixtures("few_playouts")
BOTS = ("Trotter", "Snout", "Truffle", "Acorn")


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    """
    Two matches of hearts with their records, one whose record was removed, and one in the queue.

    In the third one Truffle is taken over at each table.
    """
    settings = load_settings(data_dir=tmp_path_factory.mktemp("ladder"))
    with Ladder.open(settings, create=True) as ladder:
        with ladder.database.write() as session:
            versions = [ladders.enter(session, bot) for bot in BOTS]
            for number in range(3):
                shown.play(session, versions, "hearts", number, sinner=2 if number == 2 else None)
            session.get_one(models.StoredMatch, 1).record_kept = False
            ladders.queue(session, versions)
        for number in (2, 3):
            keep(ladder.files.record(number, 1), str(number - 1), sinner=2 if number == 3 else None)
        yield ladder


def why(ladder: Ladder, match: int, step: int, where: Where = ANYWHERE, bot: str | None = None) -> Why:
    return computed(ladder, lambda: asking.why(ladder, match, step, where, bot))


def costliest(ladder: Ladder, match: int, bot: str, worst: int, where: Where = ANYWHERE) -> Costliest:
    return computed(ladder, lambda: asking.costliest(ladder, match, bot, worst, where))


def inbox(ladder: Ladder, bot: str, matches: int = 5, worst: int = 5, variant: str | None = None) -> Inbox:
    """The inbox when all of it is there."""
    if asking.inbox(ladder, bot, matches, worst, variant).computing:
        assert compute_all(ladder) == 1
    found = asking.inbox(ladder, bot, matches, worst, variant)
    assert found.computing is None
    return found


def keep(path: Path, seed: str, sinner: int | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with RecordWriter.create(path) as writer:
        for line in ladders.played("hearts", seed, sinner):
            writer.write(line)


def test_a_decision_is_named_by_match_and_place(ladder: Ladder) -> None:
    found = why(ladder, 2, 20, Where(board=1, rotation=2))
    assert (found.source, found.place, found.rotation, found.step) == ("2", "board 1, rotation 2", 2, 20)
    local = why_in_record(Source.of(ladder.files.record(2, 1)), 20, Where(board=1, rotation=2))
    assert local.choices == found.choices
    assert found.rerun == f"pigpen rerun 2 {found.bot} FOLDER --board 1 --rotation 2"


def test_mistakes_are_told_in_words_without_the_servers_paths(ladder: Ladder) -> None:
    for number, step, where, message in (
        (9, 0, Where(), "There is no match 9 on this ladder; the newest one is 4."),
        (4, 0, Where(), "Match 4 is not over yet"),
        (1, 0, Where(), "The record of match 1 was removed"),
        (2, 0, Where(), "match 2 has 4 such deals. Name the one of the step with --board and --rotation."),
        (2, 0, Where(board=8), "match 2 has no deal for --board 8; it holds the boards 1 to 1, rotations 1 to 4."),
        (2, 99, Where(rotation=1), "match 2: board 1, rotation 1 has no step 99; its steps are 1 to 56."),
    ):
        with pytest.raises((LadderError, UserError)) as error:
            why(ladder, number, step, where)
        assert message in str(error.value)
        assert str(ladder.settings.data_dir) not in str(error.value)


def test_a_decision_of_another_bot_is_refused(ladder: Ladder) -> None:
    with pytest.raises(UserError, match="step 2 of board 1, rotation 1 "):
        why(ladder, 2, 2, Where(rotation=1), bot="0")
    assert why(ladder, 2, 1, Where(rotation=1), bot="0").seat == 0


def test_the_costliest_decisions_of_a_match(ladder: Ladder) -> None:
    found = costliest(ladder, 2, "random", worst=2)
    assert (found.source, found.bot, len(found.costliest)) == ("2", "random", 2)
    assert found.decisions > 30
    first = found.costliest[0]
    assert why(ladder, 2, first.step, Where(first.deal, first.board, first.rotation), "random") == first
    only = costliest(ladder, 2, "random", worst=1, where=Where(rotation=4))
    assert only.decisions < found.decisions
    assert {each.rotation for each in only.costliest} == {4}


def test_the_inbox_has_dear_decisions_and_faults_with_commands_that_can_be_typed(ladder: Ladder) -> None:
    found = inbox(ladder, "Truffle", worst=2)
    assert (found.bot, found.version, found.matches) == ("Truffle", 1, (3, 2))
    assert len(found.costliest) == 2
    assert {each.source for each in found.costliest} <= {"2", "3"}
    assert {fault.verdict for fault in found.faults} == {"malformed"}
    assert {fault.match for fault in found.faults} == {3}
    for line in (*(each.rerun for each in found.costliest), *(fault.rerun for fault in found.faults)):
        program, command, *_ = shlex.split(line)
        assert (program, command) == ("pigpen", "rerun")
        assert "rerun" in COMMANDS
    assert found.faults[0].rerun.startswith("pigpen rerun 3 2 FOLDER --board 1 --rotation ")


def test_the_inbox_looks_at_the_newest_matches_only(ladder: Ladder) -> None:
    found = inbox(ladder, "Snout", matches=1, worst=1, variant="hearts")
    assert found.matches == (3,)
    assert found.faults == ()
    with pytest.raises(LadderError, match="no bot 'Nobody'"):
        inbox(ladder, "Nobody")
    with pytest.raises(LadderError, match="does not play 'gongzhu'"):
        inbox(ladder, "Snout", variant="gongzhu")
