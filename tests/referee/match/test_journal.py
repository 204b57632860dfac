"""A match that was interrupted in mid-deal resumes at the very step, by its journal, as if nothing had happened."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from pigpen.rules import PRESETS, Deal, deal_hands
from referee.match.formats import Format, MatchSpec
from referee.match.journal import Journal, restore
from referee.match.match import CannotResume, Match
from referee.match.player import Player
from referee.records.journal import JournalFile, JournalLine
from referee.records.lines import DealLine, Step, to_json, without_times
from referee.seats.verdict import Verdict
from tests.referee.match.test_resume import PATIENT, SEED, by_lot
from tests.referee.scripted_seats import ScriptedSeat, fails

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from pigpen.rules import Action
    from pigpen.values.view import View
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat


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


async def play(
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
        lines = await play(spec, make(), file)
    recorded = [line for line in lines if isinstance(line, DealLine)]
    with JournalFile(path) as file:
        return lines + await play(spec, make(), file, recorded)


def timeless(lines: Sequence[AnyLine]) -> list[str]:
    return without_times([to_json(line) for line in lines])


@pytest.mark.parametrize("variant", PRESETS)
async def test_wherever_it_is_killed_the_record_is_the_same(variant: str, tmp_path: Path) -> None:
    spec = spec_of(variant)
    with JournalFile(tmp_path / "whole") as file:
        whole = timeless(await play(spec, lot_seats(spec), file))
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
        whole = await play(spec, seats(), file)
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
        await play(spec, lot_seats(spec), file)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with JournalFile(path) as file:
        assert len(file.lines) == 11
        assert path.read_bytes() == whole[: whole[:-9].rfind(b"\n") + 1]
        assert (await play(spec, lot_seats(spec), file))[-1].type == "result"


async def test_a_journal_of_another_match_is_refused(tmp_path: Path) -> None:
    path, spec = tmp_path / "journal", spec_of("hearts-short")
    with DyingJournal(path, 12) as file:
        await play(spec, lot_seats(spec), file)
    other = MatchSpec(spec.rules, spec.bots, spec.format, PATIENT, bytes(32))
    with JournalFile(path) as file, pytest.raises(CannotResume, match="the journal does not fit"):
        await play(other, lot_seats(other), file)


async def test_what_is_kept_of_the_journal_is_played_again_from_there(tmp_path: Path) -> None:
    path, spec = tmp_path / "journal", spec_of("gongzhu")
    with DyingJournal(path, 12) as file:
        await play(spec, lot_seats(spec), file)
    with JournalFile(path) as file:
        file.keep(file.lines[:5])
    with JournalFile(path) as file:
        assert len(file.lines) == 5
        assert (await play(spec, lot_seats(spec), file))[-1].type == "result"
