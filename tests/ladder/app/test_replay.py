"""Deals of recorded matches as values: what happened, and what one seat knew of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.match_replay import deal_replayed
from ladder.errors import LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.values.matches import DealPlace, FaultPlace
from pigpen.rules import PRESETS
from referee.records.lines import DealLine
from referee.records.recorded import Recorded, seats_of
from referee.records.steps import kind_and_words
from referee.replay.deal_replay import DealReplay
from referee.replay.table_view import view_table
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.referee.bots import showy_seats
from tests.referee.recorded import faulty_seats, match_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.values.matches import DealReplayed
    from referee.records.lines import AnyLine
    from referee.replay.table_view import TableMoment

SEED = bytes(range(32)).hex()


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path_factory.mktemp("ladder")))
    yield made
    made.database.close()


@pytest.fixture(scope="module", params=PRESETS)
def lines(request: pytest.FixtureRequest) -> list[AnyLine]:
    return match_lines(request.param, "boards:2", showy_seats)


@pytest.fixture(scope="module")
def match(ladder: Ladder, lines: list[AnyLine]) -> int:
    return recorded_match(ladder, lines, SEED)


def deal_of(lines: list[AnyLine], board: int, rotation: int) -> DealLine:
    return next(
        line for line in lines if isinstance(line, DealLine) and (line.board, line.rotation) == (board, rotation)
    )


def test_every_step_of_the_record_is_there_once(ladder: Ladder, match: int, lines: list[AnyLine]) -> None:
    shown, line = deal_replayed(ladder, match, 2, 3), deal_of(lines, 1, 2)
    steps = [step for moment in shown.moments for step in moment.steps]
    assert [step.number for step in steps] == list(range(1, len(line.steps) + 1))
    for step, recorded, took in zip(steps, line.steps, line.took_ms, strict=True):
        assert (step.seat, step.by, step.took_ms) == (recorded.seat, recorded.by, took)
        assert (step.kind, step.action) == kind_and_words(recorded)
        assert (step.decision is None) == (step.by == "forced")
    assert [moment.after for moment in shown.moments][-1] == len(steps)
    assert (shown.scores, shown.totals) == (line.scores, line.totals)
    assert shown.hands == line.hands
    assert shown.numbers == seats_of(line)


def test_decisions_are_counted_over_all_deals_of_a_rotation(ladder: Ladder, match: int) -> None:
    counted: dict[int, list[int]] = {}
    for board in (1, 2):
        shown = deal_replayed(ladder, match, board, 2)
        for step in (step for moment in shown.moments for step in moment.steps):
            if step.decision is not None:
                counted.setdefault(shown.numbers[step.seat], []).append(step.decision)
    assert all(found == list(range(1, len(found) + 1)) for found in counted.values())
    assert len(counted) == deal_replayed(ladder, match, 2, 2).players


def test_tricks_have_all_cards_and_their_points_add_up(ladder: Ladder, match: int) -> None:
    shown = deal_replayed(ladder, match, 2, 2)
    assert [trick.number for trick in shown.tricks] == list(range(1, shown.hand_size + 1))
    cards = [str(card) for trick in shown.tricks for card in trick.cards]
    assert sorted(cards) == sorted(" ".join(shown.hands).split())
    for trick in shown.tricks:
        before, moment = shown.moments[trick.ends - 1 : trick.ends + 1]
        assert (moment.cards, moment.winning, moment.complete) == (trick.cards, trick.winner, True)
        assert trick.points == moment.seats[trick.winner].points - before.seats[trick.winner].points
    assert [viewed.points for viewed in shown.moments[-1].seats] == unshared(shown)


def unshared(shown: DealReplayed) -> list[int]:
    """The scores where nobody has a partner; else what both together have, at the one who has it."""
    points = [viewed.points for viewed in shown.moments[-1].seats]
    if not shown.partners:
        return list(shown.scores)
    assert [points[seat % 2] + points[seat % 2 + 2] for seat in range(4)] == list(shown.scores)
    return points


def test_one_seat_is_shown_what_it_knew_and_nothing_else(ladder: Ladder, match: int, lines: list[AnyLine]) -> None:
    """C-9: all that is told follows from the seat's own view, from what is public, and from its own steps."""
    recorded = Recorded.of(lines)
    replay = DealReplay(recorded.rules, recorded.first, deal_of(lines, 0, 0))
    for seat in range(recorded.rules.players):
        shown = deal_replayed(ladder, match, 1, 1, seat)
        assert [bool(hand) for hand in shown.hands] == [each == seat for each in range(shown.players)]
        assert shown.faults == ()
        for place, moment in enumerate(shown.moments):
            view = view_table(replay, place, (seat,))
            assert moment.after is None
            assert named(shown, place) <= {str(card) for card in known(view)}
            for step in moment.steps:
                assert step.number is None
                assert step.seat == seat or (step.kind == "play" and untold(step.model_dump()))


NAMING = {"cards", "hand", "legal", "exposed", "passed", "received", "taken"}


def named(shown: DealReplayed, place: int) -> set[str]:
    """Every card that a moment names."""
    moment = shown.moments[place]
    words = [step.action for step in moment.steps]
    for part in (moment, *moment.seats):
        words += [text for name, text in part.model_dump().items() if name in NAMING]
    found = {word.removesuffix("*") for text in words for word in text.split()}
    return found - {"subtract", "add"}


def known(view: TableMoment) -> set[object]:
    """Every card that a seat can name at a moment."""
    found: set[object] = {*view.cards}
    for viewed in view.seats:
        found |= {*viewed.hand, *viewed.exposed, *viewed.passed, *viewed.received, *viewed.taken}
    return found


def untold(step: dict[str, object]) -> bool:
    """True if a step of another seat holds only that which lies on the table."""
    secret = ("took_ms", "cpu_ms", "unasked_ms", "decision")
    return all(step[name] is None for name in secret) and not (step["by"] or step["why"] or step["printed"])


def test_what_a_seat_is_shown_of_the_sealed_questions_does_not_depend_on_the_other_answers(ladder: Ladder) -> None:
    lines = match_lines("gongzhu", "boards:1", showy_seats)
    line = deal_of(lines, 0, 0)
    asked = [step.seat for step in line.steps if step.expose is not None]
    match = recorded_match(ladder, lines, SEED)
    shown = deal_replayed(ladder, match, 1, 1, asked[0])
    assert len(asked) > 1
    assert [step.seat for step in shown.moments[1].steps] == [asked[0]]
    assert [viewed.asked for viewed in shown.moments[0].seats] == [seat == asked[0] for seat in range(4)]


def test_faults_name_their_place_and_words(ladder: Ladder) -> None:
    match = recorded_match(ladder, match_lines("hearts", "boards:1", faulty_seats), SEED)
    shown = deal_replayed(ladder, match, 1, 1)
    steps = {step.number: step for moment in shown.moments for step in moment.steps}
    mine = [fault for fault in shown.faults if (fault.board, fault.rotation) == (1, 1)]
    assert mine
    assert [fault.step for fault in mine] == [number for number, step in steps.items() if step.why]
    assert {steps[fault.step].by for fault in mine} >= {"default:malformed", "default:absent", "default:gone"}
    assert shown.faults[0] == FaultPlace(board=1, rotation=1, step=1, bot=shown.numbers[0])


def test_deals_without_boards_have_rotation_1(ladder: Ladder) -> None:
    match = recorded_match(ladder, match_lines("hearts", "deals:3"), SEED)
    middle = deal_replayed(ladder, match, 2, 1)
    assert not middle.boards
    assert (middle.previous, middle.next) == (DealPlace(board=1, rotation=1), DealPlace(board=3, rotation=1))
    with pytest.raises(UserError, match=r"^Match \d+ .* deal 4; .* deals 1 to 3\.$"):
        deal_replayed(ladder, match, 4, 1)


def test_what_is_not_there_is_told_in_a_sentence(ladder: Ladder) -> None:
    match = recorded_match(ladder, played("hearts"))
    with pytest.raises(UserError, match=r"board 7, rotation 2; .* 1 to 1, .* 1 to 4\."):
        deal_replayed(ladder, match, 7, 2)
    with pytest.raises(UserError, match=r"no seat 4; .* 0 to 3\."):
        deal_replayed(ladder, match, 1, 1, 4)
    with pytest.raises(LadderError, match="no match 999"):
        deal_replayed(ladder, 999, 1, 1)


def test_what_bots_printed_is_shown_only_where_the_organiser_shows_it(ladder: Ladder) -> None:
    log = "hello\n[1] one\n[1] \x1b[2Jtwo\n[3] three\n"
    match = recorded_match(ladder, played("hearts"), logs={0: (log, "", "", "")})

    def printed(public: bool, seat: int | None = None) -> dict[int | None, str]:
        settings = ladder.settings.model_copy(update={"public_logs": public})
        shown = deal_replayed(type(ladder)(settings, ladder.database, ladder.clock), match, 1, 1, seat)
        steps = [step for moment in shown.moments for step in moment.steps]
        return {step.decision: step.printed for step in steps if step.printed}

    assert printed(public=False) == {}
    assert printed(public=True) == {1: "one\n�[2Jtwo", 3: "three"}
    owner = deal_replayed(ladder, match, 1, 1).numbers.index(0)
    assert printed(public=True, seat=owner) == printed(public=True)
    assert printed(public=True, seat=(owner + 1) % 4) == {}


def test_a_record_that_was_changed_on_the_disk_is_told_without_naming_folders(ladder: Ladder, tmp_path: Path) -> None:
    match = recorded_match(ladder, played("gongzhu"))
    file = ladder.files.record(match, 1)
    file.write_bytes(file.read_bytes()[:-2000] + bytes(2000))
    with pytest.raises(UserError, match=r"^The record '\d+-1\.jsonl\.gz' ") as error:
        deal_replayed(ladder, match, 1, 1)
    assert str(ladder.settings.data_dir) not in str(error.value)
