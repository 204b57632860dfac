"""Public events of a match: enough to follow it, bounded while they are not taken, and nothing hidden (C-9)."""

from __future__ import annotations

import asyncio
import json
import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from ladder.values.live_events import (
    LiveDeal,
    LiveExposed,
    LiveFault,
    LiveMatch,
    LiveMoon,
    LiveOpened,
    LivePassed,
    LivePlayed,
    LiveResult,
    LiveScored,
    to_line,
)
from ladder.worker.live_observer import BUFFER_CHARACTERS, LiveObserver, LiveSender
from pigpen.rules import PRESETS, Phase
from pigpen.rules.cards import parse_cards
from referee.match.formats import Format
from referee.match.table import bot_seed
from referee.records.lines import DealLine, MatchLine, ResultLine
from tests.ladder.worker.live_events import read, unexpected, watched
from tests.referee.match.test_leaks import every_preset as every_preset_and_sealed_phase
from tests.referee.wires import Sent, Tap, found, played, spec_of
from tests.referee.worlds import at, careless, other_world, replay, world_of
from tests.rules.players import lumpy_hands
from tests.rules.table import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.live_events import AnyLive
    from pigpen.rules import MoonChoice, Rules
    from referee.records.lines import AnyLine
    from tests.rules.perft import World

SEED = bytes(range(100, 132))
CARD = re.compile(r"[2-9TJQKA][CDHS]\b")
every_preset = pytest.mark.parametrize("rules", PRESETS.values(), ids=named)


def deals_of(lines: list[AnyLine]) -> dict[tuple[int, int], DealLine]:
    return {(line.rotation or 0, line.deal): line for line in lines if isinstance(line, DealLine)}


@every_preset
@pytest.mark.parametrize("public", ["played", "open"])
def test_an_event_reads_as_it_was_meant(rules: Rules, public: str) -> None:
    sent, _ = watched(rules, "boards:1", public)  # type: ignore[arg-type]
    for line, event in zip(sent, read(sent), strict=True):
        if isinstance(event, LiveOpened):
            assert json.loads(to_line(event)) == json.loads(line)
        else:
            assert to_line(event) == line


def test_the_first_event_tells_what_is_played_and_the_last_one_how_it_ended() -> None:
    sent, lines = watched(PRESETS["gongzhu"], "boards:2")
    first, *_, last = read(sent)
    assert isinstance(lines[0], MatchLine)
    assert first == LiveMatch(
        id=1, variant="gongzhu", format="boards:2", bots=("bot0", "bot1", "bot2", "bot3"), tables=4, deals=8,
        commitment=lines[0].commitment, started=lines[0].started, public="played",
    )  # fmt: skip
    assert isinstance(lines[-1], ResultLine)
    assert isinstance(last, LiveResult)
    assert last.places == tuple(each.place for each in lines[-1].results)
    assert last.totals == tuple(each.total for each in lines[-1].results)


@every_preset
def test_every_card_is_told_in_order_and_every_score(rules: Rules) -> None:
    sent, lines = watched(rules, "boards:2", concurrency=3)
    events = read(sent)
    for (table, deal), line in deals_of(lines).items():
        of_deal = [
            each for each in events if (getattr(each, "table", None), getattr(each, "deal", None)) == (table, deal)
        ]
        begun, scored = of_deal[0], next(each for each in of_deal if isinstance(each, LiveScored))
        assert isinstance(begun, LiveDeal)
        assert begun.seats == line.seats
        assert [a + b for a, b in zip(begun.totals, line.scores, strict=True)] == list(line.totals)
        plays = [(each.seat, each.card) for each in of_deal if isinstance(each, LivePlayed)]
        assert plays == [(step.seat, step.play) for step in line.steps if step.play is not None]
        down = {word[:-1] for step in line.steps for word in (step.expose or "").split() if word.endswith("*")}
        assert {each.card for each in of_deal if isinstance(each, LivePlayed) and each.down} == down
        assert (scored.scores, scored.totals) == (line.scores, line.totals)
        assert [type(each) for each in of_deal].count(LivePassed) == any(step.passed is not None for step in line.steps)
        assert [each.choice for each in of_deal if isinstance(each, LiveMoon)] == [
            step.moon for step in line.steps if step.moon is not None
        ]


@every_preset
def test_a_deal_is_opened_with_its_record_once_every_table_has_played_it(rules: Rules) -> None:
    for concurrency in (1, rules.players):
        sent, lines = watched(rules, "boards:2", concurrency=concurrency)
        deals = deals_of(lines)
        scored: list[int] = []
        opened: dict[tuple[int, int], DealLine] = {}
        for event in read(sent):
            if isinstance(event, LiveScored):
                scored.append(event.deal)
            elif isinstance(event, LiveOpened):
                assert scored.count(event.deal) == rules.players
                opened[event.table, event.deal] = event.line
        assert opened == deals


def test_where_there_is_one_table_a_deal_is_opened_when_it_is_over() -> None:
    types = [event.type for event in read(watched(PRESETS["hearts"], "deals:3")[0])]
    assert [types[place + 1] for place, each in enumerate(types) if each == "scored"] == ["opened"] * 3


def test_more_deals_than_find_room_are_not_opened() -> None:
    sent, lines = watched(PRESETS["gongzhu"], "boards:8", max_held=50_000)
    opened = {(each.table, each.deal): each.line for each in read(sent) if isinstance(each, LiveOpened)}
    assert 8 < len(opened) < 32
    assert opened.items() <= deals_of(lines).items()


@every_preset
def test_before_that_no_card_is_named_but_those_that_lie_face_up(rules: Rules) -> None:
    sent, lines = watched(rules, "boards:2", seed=SEED)
    deals = deals_of(lines)
    for line, event in zip(sent, read(sent), strict=True):
        named_cards = CARD.findall(line)
        if isinstance(event, LiveOpened):
            continue
        if isinstance(event, LivePlayed):
            assert named_cards == [event.card]
            assert set(type(event).model_fields) - event.model_fields_set - {"down"} == {"by", "ms"}
        elif isinstance(event, LiveExposed):
            steps = deals[event.table, event.deal].steps
            shown = " ".join(step.expose or "" for step in steps).split()
            assert sorted(named_cards) == sorted(word for word in shown if not word.endswith("*"))
            assert sum(event.hidden) == sum(word.endswith("*") for word in shown)
        else:
            assert named_cards == []
            assert not isinstance(event, LiveFault)


@every_preset
def test_no_hand_is_there_in_another_form_and_no_seed(rules: Rules) -> None:
    sent, lines = watched(rules, "boards:2", seed=SEED)
    sent_bytes = "\n".join(sent).encode()
    assert not found(SEED, sent_bytes)
    for (table, deal), line in deals_of(lines).items():
        for seat in range(rules.players):
            own = bot_seed(SEED, deal, seat, table)
            assert str(own).encode() not in sent_bytes
            assert not found(own.to_bytes(8, "big"), sent_bytes)
        for hand in line.hands:
            mask = parse_cards(hand.split())
            assert str(mask).encode() not in sent_bytes
            assert not found(mask.to_bytes(7, "big"), sent_bytes)


def test_with_open_hands_everything_is_told_at_once() -> None:
    rules = PRESETS["gongzhu-sale"]
    sent, lines = watched(rules, "boards:1", "open")
    events = read(sent)
    for (table, deal), line in deals_of(lines).items():
        of_deal = [
            each for each in events if (getattr(each, "table", None), getattr(each, "deal", None)) == (table, deal)
        ]
        assert isinstance(of_deal[0], LiveDeal)
        assert of_deal[0].hands == line.hands
        exposed = next(each for each in of_deal if isinstance(each, LiveExposed))
        assert sum(card.endswith("*") for cards in exposed.cards for card in cards.split()) == sum(exposed.hidden)
        plays = [(each.by, each.ms) for each in of_deal if isinstance(each, LivePlayed)]
        times = zip(line.steps, line.took_ms, strict=True)
        assert plays == [(step.by, took) for step, took in times if step.play is not None]
        faults = [(each.seat, f"default:{each.verdict}", each.why) for each in of_deal if isinstance(each, LiveFault)]
        assert faults == [(step.seat, step.by, step.why) for step in line.steps if step.by.startswith("default:")]


def test_with_open_hands_passed_cards_are_told() -> None:
    sent, lines = watched(PRESETS["hearts"], "deals:1", "open")
    passed = next(each for each in read(sent) if isinstance(each, LivePassed))
    assert passed.cards == tuple(step.passed for step in deals_of(lines)[0, 0].steps[:4])


def test_the_matches_here_hold_faults_and_face_down_cards() -> None:
    sale = deals_of(watched(PRESETS["gongzhu-sale"], "boards:2")[1]).values()
    assert any("*" in (step.expose or "") for line in sale for step in line.steps)
    events = [event for rules in PRESETS.values() for event in read(watched(rules, "boards:2", "open")[0])]
    assert any(isinstance(event, LiveFault) for event in events)


class Taker:
    """Takes batches while it is open."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.is_open = True
        self.offered = asyncio.Event()

    def __call__(self, batch: str) -> bool:
        self.offered.set()
        if self.is_open:
            self.batches.append(batch.split("\n"))
        return self.is_open


@pytest.fixture
def taker() -> Taker:
    return Taker()


@pytest.fixture
def sender(taker: Taker) -> LiveSender:
    return LiveSender(taker, flush_seconds=0.001)


async def test_what_comes_within_a_moment_is_sent_together(sender: LiveSender, taker: Taker) -> None:
    for line in "abc":
        sender.send(line)
    assert taker.batches == []
    await taker.offered.wait()
    assert taker.batches == [["a", "b", "c"]]
    sender.send("d")
    sender.flush()
    assert taker.batches == [["a", "b", "c"], ["d"]]


async def test_nothing_is_sent_where_nothing_happened(sender: LiveSender, taker: Taker) -> None:
    sender.flush()
    assert taker.batches == []


async def test_what_is_not_taken_is_offered_again(sender: LiveSender, taker: Taker) -> None:
    taker.is_open = False
    sender.send("a")
    await taker.offered.wait()
    sender.send("b")
    taker.is_open = True
    taker.offered.clear()
    await taker.offered.wait()
    assert taker.batches == [["a", "b"]]


async def test_what_finds_no_room_is_a_gap(sender: LiveSender, taker: Taker) -> None:
    half = "a" * (BUFFER_CHARACTERS // 2)
    taker.is_open = False
    for line in (half, half, "c", "dd"):
        sender.send(line)
    taker.is_open = True
    sender.flush()
    (batch,) = taker.batches
    assert [len(line) for line in batch[:2]] == [len(half)] * 2
    assert [json.loads(line) for line in batch[2:]] == [{"type": "gap", "missed": 2}]


async def test_after_a_gap_there_is_room_again(sender: LiveSender, taker: Taker) -> None:
    sender.send("a" * BUFFER_CHARACTERS)
    sender.send("b")
    await taker.offered.wait()
    sender.send("c")
    sender.flush()
    gap, after = taker.batches
    assert (len(gap), after) == (2, ["c"])


MATCHES = 3
DEALS = 4
"""In every match: the whole cycle of passing."""
PHASES = {"deal": Phase.PASS, "passed": Phase.EXPOSE, "exposed": Phase.PLAY, "play": Phase.PLAY}


def watch(
    rules: Rules, seed: bytes, hands: Sequence[Sequence[int]], seats: Sequence[Tap]
) -> tuple[list[str], list[AnyLine]]:
    spec = spec_of(rules, Format(DEALS), seed)
    sent: list[str] = []
    observer = LiveObserver(spec, "played", sent.append, unexpected)
    lines = asyncio.run(played(spec, hands, seats, deals=len(hands), observer=observer))
    return sent, lines


def moment_of(events: Sequence[AnyLive], place: int, deal: int) -> Sent:
    """Give the moment at which the event was sent."""
    plays = sum(each.type == "play" and each.deal == deal for each in events[: place + 1])
    return Sent(b"", deal, PHASES[events[place].type], plays)


def shuffled(rules: Rules, world: World, rng: Random) -> World:
    """A world that looks the same to the public: the same to one seat, then the same to another."""
    for seat in rng.sample(range(rules.players), rules.players):
        world = other_world(world, seat, rng)
    return world


def closed(sent: Sequence[str]) -> list[str]:
    """Without the first event, which holds the time, and the deals that are open."""
    return [line for line in sent[1:] if not line.startswith('{"type":"opened"')]


@every_preset_and_sealed_phase
def test_C_9_re_dealing_what_is_hidden_from_spectators_changes_no_byte(rules: Rules) -> None:
    rng, moved = Random(f"spectators of {rules.name}"), 0
    for _ in range(MATCHES):
        seed, hands = rng.randbytes(32), [lumpy_hands(rules, rng) for _ in range(DEALS)]
        sent, lines = watch(rules, seed, hands, [Tap(careless(rng)) for _ in range(rules.players)])
        worlds: list[World] = []
        moons: list[MoonChoice] = []
        for line in lines:
            if isinstance(line, DealLine):
                world, moon = world_of(rules, line)
                worlds.append(world)
                moons.append(moon)
        events = read(sent)
        for deal in range(DEALS):
            places = [place for place, each in enumerate(events) if each.type in PHASES and each.deal == deal]  # type: ignore[union-attr]
            place = rng.choice(places)
            now = at(worlds[deal], moment_of(events, place, deal))
            known = [*worlds[:deal], shuffled(rules, now, rng)]
            taps = [Tap(replay(known, moons, seat, rng)) for seat in range(rules.players)]
            again, _ = watch(rules, seed, [world.hands for world in known], taps)
            until = len(closed(sent[: place + 1]))
            assert closed(again)[:until] == closed(sent[: place + 1]), f"event {place} of the match {seed.hex()}"
            moved += known[-1].hands != worlds[deal].hands
    assert moved > MATCHES * DEALS / 2
