"""Whole matches with a person at the table: over the wire, recorded, verified and replayed."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from ladder.errors import SandboxError
from ladder.matches.bots import InlineBots
from ladder.matches.sandboxed_bots import SandboxedBots
from ladder.people.playing.play_with_people import people_table, play_with_people
from ladder.results.summary import summarise
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS, Phase, Rules
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec, person_clock
from referee.records.file import RecordWriter, read_record
from referee.records.recorded import BadRecord, Recorded
from referee.replay.deal_replay import DealReplay
from referee.replay.verify import verify
from referee.seats.person_seat import PersonSeat
from tests.ladder.people.seat.listeners import BotListener, sitting

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ladder.matches.bots import Bots
    from ladder.matches.inline_match import Played

every_preset = pytest.mark.parametrize("rules", [*PRESETS.values()], ids=lambda rules: rules.name)


def spec_of(rules: Rules, form: Format, person: int = 0) -> MatchSpec:
    names = ["cautious", "b", "c", "d", "e"][: rules.players]
    names[person] = "human"
    return MatchSpec(rules, tuple(names), form, DEFAULT_CLOCK, bytes(32), {person: person_clock(600.0)})


def recorded(path: Path, spec: MatchSpec, listeners: list[BotListener], bots: Bots | None = None) -> Played:
    """Play a match into a record; each table has a listener of its own."""

    def listener() -> BotListener:
        listeners.append(BotListener())
        return listeners[-1]

    source = find_bot("cautious")
    others = bots or InlineBots([source] * (len(spec.bots) - 1))
    (person,) = spec.people
    with RecordWriter.create(path) as writer:
        return asyncio.run(play_with_people(spec, others, {person: sitting(listener)}, writer.write))


@every_preset
def test_a_person_plays_every_variant_and_the_record_holds(rules: Rules, tmp_path: Path) -> None:
    path, listeners = tmp_path / "match.jsonl", list[BotListener]()
    played = recorded(path, spec_of(rules, Format(2), person=1), listeners)
    found = verify(path)
    assert found.holds, found.difference
    assert found.finished
    (listener,) = listeners
    assert listener.questions
    assert [each.deal for each in listener.results] == [0, 1]
    assert listener.sights[-1].view.phase is Phase.OVER
    assert len(listener.sights[-1].view.plays) == len(rules.deck)
    assert played.result.results[1].timed == "wall"
    assert played.result.results[1].faults == 0
    match = Recorded.of(read_record(path))
    assert match.first.people_numbers == {1}
    for line in match.deals:
        assert DealReplay(match.rules, match.first, line).moments


def test_every_board_is_played_from_every_seat_at_one_table_after_the_other(tmp_path: Path) -> None:
    path, listeners = tmp_path / "match.jsonl", list[BotListener]()
    recorded(path, spec_of(PRESETS["hearts-short"], Format(boards=2)), listeners)
    assert verify(path).holds
    assert len(listeners) == 4
    seats = [{(seen.view.deal, seen.view.seat) for seen in listener.sights} for listener in listeners]
    assert sorted(set().union(*seats)) == [(deal, seat) for deal in range(2) for seat in range(4)]
    for listener in listeners:
        assert {seen.names[seen.view.seat] for seen in listener.sights} == {"human"}


def test_a_person_sits_beside_bots_in_processes(tmp_path: Path) -> None:
    async def loaded() -> SandboxedBots:
        programs = [await ProcessSandbox(instances="fresh").load(find_bot("random")) for _ in range(3)]
        return SandboxedBots(programs, ["random", "random#2", "random#3"])

    path, listeners = tmp_path / "match.jsonl", list[BotListener]()
    played = recorded(path, spec_of(PRESETS["hearts"], Format(1)), listeners, asyncio.run(loaded()))
    assert verify(path).holds
    assert len(played.logs[0]) == 4
    assert played.logs[0][0] == ""


def test_nothing_with_a_person_in_it_is_ever_rated(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    recorded(path, spec_of(PRESETS["hearts"], Format(1)), [])
    with pytest.raises(BadRecord, match="nothing of such a"):
        summarise(read_record(path))


def test_a_listener_that_fails_ends_the_match_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def sit(table: int, address: str, token: str):  # type: ignore[no-untyped-def]
        raise SandboxError("The terminal is gone.")
        yield

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    spec = spec_of(PRESETS["hearts"], Format(1))
    with pytest.raises(SandboxError, match="The terminal is gone"):
        asyncio.run(play_with_people(spec, InlineBots([find_bot("random")] * 3), {0: sit}, lambda line: None))
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda first: first.pop("people"), "by away"),
        (lambda first: first["people"][0].update(bot=1), "by away"),
        (lambda first: first["people"].append(first["people"][0]), "people: they are not numbers of seats"),
    ],
    ids=["a bot", "another seat", "twice"],
)
def test_a_record_that_says_otherwise_of_its_people_does_not_hold(
    change: object, difference: str, tmp_path: Path
) -> None:
    path, listeners = tmp_path / "match.jsonl", list[BotListener]()

    class Leaves(BotListener):
        def asked(self, question: object) -> None:
            assert self.client is not None
            self.client.leave()

    def listener() -> BotListener:
        listeners.append(Leaves())
        return listeners[-1]

    spec = spec_of(PRESETS["hearts"], Format(1))

    def seated(persons: Mapping[int, PersonSeat]) -> None:
        persons[0].presence.wait = 0.0

    with RecordWriter.create(path) as writer:
        others = InlineBots([find_bot("cautious")] * 3)
        asyncio.run(play_with_people(spec, others, {0: sitting(listener)}, writer.write, seated=seated))
    assert verify(path).holds
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    change(lines[0])  # type: ignore[operator]
    again = tmp_path / "changed.jsonl"
    write_chained(again, lines)
    found = verify(again)
    assert not found.holds
    assert difference in str(found.difference)


def write_chained(path: Path, lines: list[dict[str, object]]) -> None:
    """Write lines with a chain that fits."""
    from referee.records.framing import START, chained

    before, texts = START, []
    for line in lines:
        line.pop("chain")
        text, before = chained(json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode(), before)
        texts.append(text + b"\n")
    path.write_bytes(b"".join(texts))


def test_two_people_sit_at_one_table_and_each_sees_its_own_cards_alone(tmp_path: Path) -> None:
    path, listeners = tmp_path / "match.jsonl", [BotListener(), BotListener()]
    names = ("ann", "cautious", "bob", "cautious#2")
    people = {0: person_clock(), 2: person_clock()}
    spec = MatchSpec(PRESETS["gongzhu-partners"], names, Format(2), DEFAULT_CLOCK, bytes(32), people)
    sits = {0: sitting(lambda: listeners[0]), 2: sitting(lambda: listeners[1])}
    with RecordWriter.create(path) as writer:
        bots = InlineBots([find_bot("cautious")] * 2)
        asyncio.run(play_with_people(spec, bots, sits, writer.write))
    assert verify(path).holds
    for seat, listener in zip((0, 2), listeners, strict=True):
        assert {seen.view.seat for seen in listener.sights} == {seat}
        assert {seen.names for seen in listener.sights} == {names}
        assert {question.view.seat for question in listener.questions} == {seat}


async def test_a_table_that_is_cancelled_while_a_seat_opens_leaves_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = asyncio.get_running_loop().create_future()
    listen = PersonSeat.listen

    async def listen_for_ever(seat: PersonSeat) -> None:
        await listen(seat)
        opened.set_result(seat)
        await asyncio.Event().wait()

    monkeypatch.setattr(PersonSeat, "listen", listen_for_ever)

    async def sit_down() -> None:
        async with people_table(0, {0: sitting(BotListener)}, practice=False):
            raise AssertionError

    table = asyncio.ensure_future(sit_down())
    server = (await opened)._server._server
    assert server._server.is_running()
    table.cancel()
    with pytest.raises(asyncio.CancelledError):
        await table
    assert not server._server.is_running()
