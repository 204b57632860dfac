"""The observer and the journal of a match: one receives everything and harms nothing, the other lets it resume."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Deal, deal_hands
from referee.match.formats import Format, MatchSpec
from referee.match.journal import Journal, restore
from referee.match.match import CannotResume, Match
from referee.match.player import Player
from referee.records.journal_file import JournalFile, JournalLine
from referee.records.lines import DealLine, MatchLine, ResultLine, Step, to_json, without_times
from referee.records.steps import kind_and_words, words_of
from referee.seats.verdict import Verdict
from tests.referee.match.test_resume import PATIENT, SEED, by_lot
from tests.referee.scripted_seats import ScriptedSeat, fails
from tests.referee.tables import play_tables
from tests.referee.worlds import any_answer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from pigpen.rules import Action, Rules
    from pigpen.values.view import View
    from referee.match.observer import Steps
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat

RULES = PRESETS["hearts"]


class Listener:
    """Writes down what it receives; raises at the call of that name."""

    def __init__(self, fails_at: str = "") -> None:
        self.received: list[str] = []
        self.lines: list[AnyLine] = []
        self.steps: dict[tuple[int, int], list[tuple[int, str, str, str]]] = {}
        self.errors: list[str] = []
        self._fails_at = fails_at

    def match_begins(self, first: MatchLine) -> None:
        self._note("match_begins")
        self.lines.append(first)

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        self._note("deal_begins")
        assert not deal.plays
        assert sorted(seats) == [0, 1, 2, 3]
        self.steps[table, deal.number] = []

    def decided(self, table: int, deal: Deal, steps: Steps) -> None:
        self._note("decided")
        self.steps[table, deal.number] += [(seat, *words_of(decision.action), decision.by) for seat, decision in steps]

    def deal_over(self, table: int, line: DealLine) -> None:
        self._note("deal_over")
        self.lines.append(line)

    def match_over(self, result: ResultLine) -> None:
        self._note("match_over")
        self.lines.append(result)

    def failed(self, error: Exception) -> None:
        self.errors.append(str(error))
        raise RuntimeError("and it fails again")

    def _note(self, name: str) -> None:
        self.received.append(name)
        if name == self._fails_at:
            raise ZeroDivisionError(name)


def play(listener: Listener | None, form: str, concurrency: int = 1, rules: Rules = RULES) -> list[AnyLine]:
    """A match of bots that play anything; the last one has a fault now and then."""
    format_ = Format.parse(form)
    spec = MatchSpec(rules, ("a", "b", "c", "d"), format_, seed=bytes(32))

    def seat(table: int, bot: int) -> ScriptedSeat:
        rng, failure = Random(f"{table} {bot}"), fails(Verdict.TIMEOUT, "late")
        late = Random(f"late {table}")
        return ScriptedSeat(lambda view: failure(view) if bot == 3 and late.random() < 0.02 else any_answer(view, rng))

    tables = [[seat(table, bot) for bot in range(4)] for table in range(format_.tables(rules))]
    lines: list[AnyLine] = []
    asyncio.run(play_tables(spec, tables, lines.append, concurrency, observer=listener))
    return lines


@pytest.mark.parametrize(("form", "concurrency"), [("deals:4", 1), ("boards:2", 1), ("boards:2", 4)])
def test_it_hears_what_is_recorded(form: str, concurrency: int) -> None:
    listener = Listener()
    lines = play(listener, form, concurrency)
    assert listener.lines == lines
    for line in lines:
        if isinstance(line, DealLine):
            recorded = [(step.seat, *kind_and_words(step), step.by) for step in line.steps]
            assert listener.steps[line.rotation or 0, line.deal] == recorded


def test_the_answers_to_a_sealed_question_come_together() -> None:
    listener = Listener()
    play(listener, "deals:1")
    assert listener.received == ["match_begins", "deal_begins", *["decided"] * 53, "deal_over", "match_over"]


@pytest.mark.parametrize("call", ["match_begins", "deal_begins", "decided", "deal_over", "match_over"])
def test_one_that_fails_changes_nothing_and_hears_no_more(call: str) -> None:
    listener = Listener(fails_at=call)
    lines = play(listener, "deals:2")
    assert listener.errors == [call]
    assert listener.received[-1] == call
    assert listener.received.count(call) == 1
    assert without_times(map(to_json, lines)) == without_times(map(to_json, play(None, "deals:2")))


class Cancelling(Listener):
    """Cancels the match where its first question, a sealed one, is about to be put."""

    def deal_begins(self, table: int, deal: Deal, seats: tuple[int, ...], totals: tuple[int, ...]) -> None:
        super().deal_begins(table, deal, seats, totals)
        for task in asyncio.all_tasks():
            task.cancel()


def test_a_match_that_is_cancelled_before_a_sealed_question_leaves_nobody_half_asked() -> None:
    """Otherwise Python would warn of questions that nobody awaits, and the suite takes that for an error."""
    listener = Cancelling()
    with pytest.raises(asyncio.CancelledError):
        play(listener, "deals:1")
    assert listener.received == ["match_begins", "deal_begins"]


class Killed(BaseException):
    """The referee is gone."""


class DyingJournal(JournalFile):
    """Kills the referee instead of writing line number *most*."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path)
        self._left = most

    def write(self, line) -> None:  # type: ignore[no-untyped-def]
        if not self._left:
            raise Killed
        self._left -= 1
        super().write(line)


def spec_of(variant: str, form: str = "deals:2") -> MatchSpec:
    rules = PRESETS[variant]
    return MatchSpec(rules, tuple("abcde"[: rules.players]), Format.parse(form), PATIENT, SEED)


def lot_seats(spec: MatchSpec) -> list[Seat]:
    return [ScriptedSeat(by_lot) for _ in spec.bots]


async def journal_play(
    spec: MatchSpec, seats: Sequence[Seat], file: JournalFile, recorded: Sequence[DealLine] | None = None
) -> list[AnyLine]:
    lines: list[AnyLine] = []

    @asynccontextmanager
    async def open_table(table: int) -> AsyncIterator[Sequence[Seat]]:
        yield seats

    with suppress(Killed):
        await Match(spec, open_table, lines.append, recorded, journal=Journal(file)).play()
    return lines


async def killed_at(spec: MatchSpec, most: int, path: Path, make: Callable[[], Sequence[Seat]]) -> list[AnyLine]:
    """The record of a match whose referee was killed after *most* answers, and that was resumed."""
    with DyingJournal(path, most) as file:
        lines = await journal_play(spec, make(), file)
    recorded = [line for line in lines if isinstance(line, DealLine)]
    with JournalFile(path) as file:
        return lines + await journal_play(spec, make(), file, recorded)


def timeless(lines: Sequence[AnyLine]) -> list[str]:
    return without_times([to_json(line) for line in lines])


@pytest.mark.parametrize("variant", PRESETS)
async def test_wherever_it_is_killed_the_record_is_the_same(variant: str, tmp_path: Path) -> None:
    spec = spec_of(variant)
    with JournalFile(tmp_path / "whole") as file:
        whole = timeless(await journal_play(spec, lot_seats(spec), file))
    for most in (0, 1, 2, 7, 30, 51, 52, 60, 90):
        lines = await killed_at(spec, most, tmp_path / str(most), lambda: lot_seats(spec))
        assert timeless(lines) == whole, most


async def test_decisions_are_numbered_on_and_none_is_asked_for_twice(tmp_path: Path) -> None:
    asked: list[tuple[int, int, int]] = []

    def noting(view: View) -> Action:
        asked.append((view.deal, view.seat, view.decision))
        return by_lot(view)

    spec = spec_of("hearts")
    await killed_at(spec, 20, tmp_path / "journal", lambda: [ScriptedSeat(noting) for _ in spec.bots])
    (twice,) = {each for each in asked if asked.count(each) > 1}  # its answer was on the way
    assert twice[0] == 0
    for seat in range(4):
        numbers = [number for _, each, number in asked if each == seat and (_, each, number) != twice]
        assert sorted(set(numbers)) == numbers


async def test_faults_before_it_was_killed_count_after_it(tmp_path: Path) -> None:
    spec = spec_of("hearts")

    def seats() -> list[Seat]:
        return [ScriptedSeat(fails(Verdict.MALFORMED, "it cannot be read")), *lot_seats(spec)[1:]]

    with JournalFile(tmp_path / "whole") as file:
        whole = await journal_play(spec, seats(), file)
    lines = await killed_at(spec, 20, tmp_path / "journal", seats)
    assert timeless(lines) == timeless(whole)
    assert "cannot be read" in to_json(lines[1])
    assert '"takeover"' in to_json(lines[1])


def test_C_9_a_sleep_over_a_sealed_question_costs_the_share_of_all_seats_after_it_was_killed() -> None:
    """Half a second for each of the four seats, beyond what is free, though only one was asked."""
    deal = Deal(PRESETS["gongzhu"], deal_hands(PRESETS["gongzhu"], SEED, 0))
    players = [Player(ScriptedSeat(by_lot), PATIENT) for _ in range(4)]
    players[1].begin_deal()
    step = Step(seat=1, expose="", by="bot")
    restore(JournalLine(deal=0, steps=(step,), took_ms=(2500.0,), cpu_ms=(0.0,)), players)
    assert players[1].view(deal, 1, (0,) * 4, seed=1).bank == pytest.approx(60 + 0.1 - 0.5)


async def test_a_line_that_was_cut_off_is_as_good_as_none(tmp_path: Path) -> None:
    path, spec = tmp_path / "journal", spec_of("hearts-short")
    with DyingJournal(path, 12) as file:
        await journal_play(spec, lot_seats(spec), file)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with JournalFile(path) as file:
        assert len(file.lines) == 11
        assert path.read_bytes() == whole[: whole[:-9].rfind(b"\n") + 1]
        assert (await journal_play(spec, lot_seats(spec), file))[-1].type == "result"


async def test_a_journal_of_another_match_is_refused(tmp_path: Path) -> None:
    path, spec = tmp_path / "journal", spec_of("hearts-short")
    with DyingJournal(path, 12) as file:
        await journal_play(spec, lot_seats(spec), file)
    other = MatchSpec(spec.rules, spec.bots, spec.format, PATIENT, bytes(32))
    with JournalFile(path) as file, pytest.raises(CannotResume, match="journal does not fit"):
        await journal_play(other, lot_seats(other), file)


async def test_what_is_kept_of_the_journal_is_played_again_from_there(tmp_path: Path) -> None:
    path, spec = tmp_path / "journal", spec_of("gongzhu")
    with DyingJournal(path, 12) as file:
        await journal_play(spec, lot_seats(spec), file)
    with JournalFile(path) as file:
        file.keep(file.lines[:5])
    with JournalFile(path) as file:
        assert len(file.lines) == 5
        assert (await journal_play(spec, lot_seats(spec), file))[-1].type == "result"
