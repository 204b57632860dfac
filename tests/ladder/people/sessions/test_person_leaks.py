"""C-9 for browsers: what people and spectators are given holds nothing that they may not know; phrases at a table."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from ladder.people.seat.seat_client import Question
from ladder.people.sessions.person_state_tracker import PersonStateTracker
from ladder.people.sessions.table_info import MAX_BYTES, PHRASES, TableInfo, TablePhrases
from pigpen.rules import PRESETS, Rules
from pigpen.v1.referee_pb2 import RefereeMessage
from pigpen.values.notices import DealResult
from pigpen.wire.messages import notice_of, seen_of, view_of
from referee.match.formats import Format, person_clock
from referee.match.observer import PeopleShown
from referee.records.lines import DealLine, Step
from referee.records.recorded import Recorded
from referee.records.steps import kind_and_words
from referee.replay.deal_replay import DealReplay
from referee.replay.public_deal import PublicDeal
from referee.replay.table_view import view_table
from tests.referee.bots import showy_seats
from tests.referee.match.test_leaks import every_preset
from tests.referee.recorded import match_lines
from tests.referee.wires import PersonTap, Tap, played, spec_of
from tests.referee.worlds import again, at, careless, other_world, replay, world_of
from tests.rules.players import lumpy_hands
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ladder.values.person_state import PersonState
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat

MATCHES, DEALS = 2, 2


def play(rules: Rules, seed: bytes, hands: Sequence[Sequence[int]], taps: Sequence[Seat]) -> list[AnyLine]:
    """A match in which seat 0 is a person's."""
    spec = replace(spec_of(rules, Format(DEALS), seed), people={0: person_clock()})
    shown = PeopleShown(spec.bots)
    tap = taps[0]
    assert isinstance(tap, PersonTap)
    shown.seat(0, {0: tap})
    return asyncio.run(played(spec, hands, taps, deals=len(hands), observer=shown))


def bytes_of(rules: Rules, messages: Sequence[bytes]) -> list[bytes]:
    """Give the bytes that a browser is sent of these messages; its person continues at the end of each deal."""
    states: list[PersonState] = []
    tracker = PersonStateTracker(states.append, TableInfo({}), now=lambda: 0.0, clock=lambda: 0.0)
    tracker.connected(is_there=True)
    for data in messages:
        message = RefereeMessage.FromString(data)
        kind = message.WhichOneof("body")
        if kind == "seen":
            tracker.saw(seen_of(message.seen, rules))
        elif kind == "request":
            view = view_of(message.request, rules)
            tracker.asked(Question(view, view.limit))
        elif notice := notice_of(message):
            tracker.notified(notice)
            if isinstance(notice, DealResult):
                tracker.go_on(notice.deal)
    return [state.model_dump_json().encode() for state in states]


@every_preset
def test_C_9_re_dealing_what_a_person_cannot_know_changes_no_byte_of_its_page(rules: Rules) -> None:
    rng, moved = Random(f"pages of {rules.name}"), 0
    for _ in range(MATCHES):
        if moved:
            break
        seed, hands = rng.randbytes(32), [lumpy_hands(rules, rng) for _ in range(DEALS)]
        taps: list[Tap] = [PersonTap(careless(rng)), *(Tap(careless(rng)) for _ in range(rules.players - 1))]
        lines = play(rules, seed, hands, taps)
        worlds, moons = zip(*[world_of(rules, line) for line in lines if isinstance(line, DealLine)], strict=True)
        for deal in range(DEALS):
            place = rng.choice([place for place, message in enumerate(taps[0].sent) if message.deal == deal])
            known = [other_world(each, 0, rng) for each in (*worlds[:deal], at(worlds[deal], taps[0].sent[place]))]
            others: list[Tap] = [PersonTap(again(taps[0].answers, rng))]
            others += [Tap(replay(known, moons, other, rng)) for other in range(1, rules.players)]
            play(rules, seed, [world.hands for world in known], others)
            one, other = (bytes_of(rules, each.first(place + 1)) for each in (taps[0], others[0]))
            assert one == other
            moved += known[-1].hands != worlds[deal].hands
        assert seed.hex().encode() not in b"".join(bytes_of(rules, taps[0].first(len(taps[0].sent))))
    assert moved


each_preset = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)


def answers(line: DealLine) -> list[list[Step]]:
    """The steps, those of a sealed question together."""
    found: list[list[Step]] = []
    for step in line.steps:
        kind, _ = kind_and_words(step)
        if found and kind in ("pass", "expose") and kind_and_words(found[-1][0])[0] == kind:
            found[-1].append(step)
        else:
            found.append([step])
    return found


@each_preset
def test_a_spectator_sees_the_trick_and_the_points_and_nobodys_hand(rules: Rules) -> None:
    match = Recorded.of(match_lines(rules.name, "deals:2", showy_seats))
    for line in match.deals:
        replay = DealReplay(match.rules, match.first, line)
        public = PublicDeal(match.rules, line.deal, replay.totals_before)
        played: set[str] = set()
        for place, steps in enumerate(answers(line), 1):
            public.take(steps)
            played |= {step.play for step in steps if step.play}
            moment = public.moment()
            views = [view_table(replay, place, (seat,)) for seat in range(rules.players)]
            assert moment.plays == views[0].plays
            assert moment.trick == views[0].trick
            for seat, viewed in enumerate(moment.seats):
                outside = [view.seats[seat] for view in views if view is not views[seat]]
                assert all(viewed.exposed == each.exposed for each in outside)
                shown = set(viewed.hand)
                assert shown <= set(viewed.exposed)
                assert all(shown <= set(each.hand) for each in outside)
                assert viewed.unknown + len(shown) == rules.hand_size - sum(
                    step.play is not None and step.seat == seat for group in answers(line)[:place] for step in group
                )
                assert (viewed.passed, viewed.received, viewed.legal) == ((), (), ())
        result = DealResult(line.deal, 0, line.scores, line.totals)
        assert public.moment(result).scores == line.scores


def test_a_phrase_is_received_once_by_each_and_no_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    one = TablePhrases(path)
    assert list(one.received()) == []
    one.send(0, "good-luck")
    other = TablePhrases(path)
    other.send(2, "thanks")
    assert list(one.received()) == [(0, "good-luck"), (2, "thanks")]
    assert list(one.received()) == []
    assert list(other.received()) == [(2, "thanks")]


def test_a_line_that_is_being_written_is_received_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    reader = TablePhrases(path)
    path.write_bytes(b'[1, "thanks"]\n[3, "good')
    assert list(reader.received()) == [(1, "thanks")]
    with path.open("ab") as file:
        file.write(b'bye"]\n')
    assert list(reader.received()) == [(3, "goodbye")]


def test_lines_of_many_who_speak_at_once_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    reader = TablePhrases(path)
    with ThreadPoolExecutor(8) as threads:
        for chair in range(8):
            for phrase in PHRASES:
                threads.submit(TablePhrases(path).send, chair, phrase)
    assert sorted(reader.received()) == sorted((chair, phrase) for chair in range(8) for phrase in PHRASES)


def test_no_phrase_is_taken_at_a_table_that_has_been_removed(tmp_path: Path) -> None:
    gone = TablePhrases(tmp_path / "gone" / "phrases.jsonl")
    gone.send(0, "goodbye")
    assert list(gone.received()) == []


def test_a_table_takes_a_limited_number_of_phrases(tmp_path: Path) -> None:
    path = tmp_path / "phrases.jsonl"
    path.write_bytes(b'[0, "thanks"]\n' * (MAX_BYTES // 14 + 1))
    size = path.stat().st_size
    TablePhrases(path).send(0, "goodbye")
    assert path.stat().st_size == size
