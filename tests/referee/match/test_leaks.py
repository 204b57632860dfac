"""
C-9 on the wire: what a bot's or a person's seat is sent holds nothing that it may not know.

Tokens and seeds stand on no wire, in no record, no log, no text of an error and no list of arguments.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING

import grpc
import pytest

from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS, Phase, Rules
from pigpen.rules.presets import GONGZHU, GONGZHU_SALE, HEARTS
from pigpen.v1.referee_pb2 import RefereeMessage
from pigpen.wire.messages import answer_message, view_of
from referee.match.formats import Format, person_clock
from referee.match.observer import PeopleShown
from referee.records.lines import DealLine, ResultLine, to_json
from referee.seats import seat_server
from referee.seats.seat_server import new_token
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import SeatFailure, Verdict
from tests.referee.scripted_seats import FakeTime, honest
from tests.referee.wires import PersonTap, Sent, Tap, found, open_seat, played, raw_bot, spec_of
from tests.referee.worlds import again, any_answer, at, careless, other_world, replay, world_of
from tests.rules.players import lumpy_hands
from tests.rules.table import dealt, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen import Welcome
    from pigpen.rules import Action, MoonChoice
    from pigpen.values.view import View
    from referee.records.lines import AnyLine
    from referee.seats.clock import Stopwatch
    from referee.seats.seat import Seat
    from tests.referee.scripted_seats import Script
    from tests.rules.perft import World

MATCHES = 10
DEALS = 4
"""In every match: the whole cycle of passing."""
PASS_AND_EXPOSE = replace(HEARTS, name="pass-and-expose", exposing=GONGZHU_SALE.exposing)
"""No preset has both sealed phases; a rules file may."""
LATER = ("hearts-jack", "hearts-short", "gongzhu-partners")
"""Presets with the messages of another one."""
every_preset = pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, marks=[pytest.mark.long] if rules.name in LATER else [])
        for rules in (*PRESETS.values(), PASS_AND_EXPOSE)
    ],
    ids=named,
)


@dataclass
class Match:
    """A match that has been played, with every byte that each seat was sent."""

    rules: Rules
    seed: bytes
    taps: list[Tap]
    worlds: list[World]
    moons: list[MoonChoice]


@functools.cache
def matches(rules_name: str) -> list[Match]:
    """Matches of careless play."""
    rules, rng = PRESETS.get(rules_name, PASS_AND_EXPOSE), Random(f"leaks of {rules_name}")
    return [some_match(rules, rng) for _ in range(MATCHES)]


def some_match(rules: Rules, rng: Random) -> Match:
    seed, taps = rng.randbytes(32), napping([careless(rng) for _ in range(rules.players)])
    hands = [lumpy_hands(rules, rng) for _ in range(DEALS)]
    lines = asyncio.run(played(spec_of(rules, Format(DEALS), seed), hands, taps))
    deals = [world_of(rules, line) for line in lines if isinstance(line, DealLine)]
    return Match(rules, seed, taps, [world for world, _ in deals], [moon for _, moon in deals])


def napping(scripts: Sequence[Script], nap: float = 0.9) -> list[Tap]:
    """Seats as in containers, whose bots sleep before they expose: what that costs is in the next message."""
    time = FakeTime()
    time.cpu = 0.0
    return [Tap(script, time=time, nap=nap) for script in scripts]


def lived_in_another_world(match: Match, seat: int, moment: Sent, rng: Random) -> tuple[Tap, list[World]]:
    """The match up to *moment*, in worlds that *seat* cannot tell from the real ones."""
    known = [*match.worlds[: moment.deal], at(match.worlds[moment.deal], moment)]
    worlds = [other_world(world, seat, rng) for world in known]
    scripts = [replay(worlds, match.moons, other, rng) for other in range(match.rules.players)]
    scripts[seat] = again(match.taps[seat].answers, rng)
    taps = napping(scripts)
    hands = [world.hands for world in worlds]
    asyncio.run(played(spec_of(match.rules, Format(DEALS), match.seed), hands, taps, deals=len(worlds)))
    return taps[seat], worlds


@every_preset
def test_C_9_re_dealing_what_a_seat_cannot_know_changes_no_byte_it_is_sent(rules: Rules) -> None:
    """A random seat and message in each deal: every byte up to it is compared."""
    rng = Random(f"other worlds of {rules.name}")
    hands = passes = faces = 0
    for match in matches(rules.name):
        for deal, seat in enumerate(rng.sample(range(rules.players), DEALS)):
            sent = match.taps[seat].sent
            place = rng.choice([place for place, message in enumerate(sent) if message.deal == deal])
            tap, worlds = lived_in_another_world(match, seat, sent[place], rng)
            where = f"seat {seat}, message {place}, in deal {deal} of the match with seed {match.seed.hex()}"
            assert tap.first(place + 1) == match.taps[seat].first(place + 1), where
            real = at(match.worlds[deal], sent[place])
            hands += worlds[-1].deal().hands != real.deal().hands
            passes += worlds[-1].passes != real.passes
            faces += worlds[-1].shown != real.shown
    assert hands > MATCHES * DEALS / 2, "the worlds differ"
    assert passes > MATCHES or not rules.passing
    assert faces > MATCHES / 5 or not rules.exposing or not rules.exposing.face_down


@pytest.mark.parametrize("nap", [0.9, 99.0], ids=["in time", "too late"])
def test_C_9_no_time_that_a_seat_is_sent_depends_on_how_many_seats_are_asked_to_expose(nap: float) -> None:
    """The first seat holds TC, and leads; AH, QS and JD are with one, two or three of the others."""
    worlds = [dealt(GONGZHU, "TC 2S", *others) for others in [("AH QS JD",), ("AH QS", "JD"), ("AH", "QS", "JD")]]
    assert [len(world.to_act) for world in worlds] == [2, 3, 4]
    received = []
    for world in worlds:
        taps = napping([honest] * 4, nap)
        asyncio.run(played(spec_of(GONGZHU, Format(1), bytes(32)), [world.dealt], taps))
        sent = [message.data for message in taps[0].sent if message.phase is not Phase.OVER and not message.plays]
        received.append(sent)
    bodies = [RefereeMessage.FromString(data).WhichOneof("body") for data in received[0]]
    assert bodies == ["request", *(["fault"] if nap > 1 else []), "request"]
    assert received[0] == received[1] == received[2]


@every_preset
def test_C_6_no_byte_depends_on_what_others_choose_before_all_have_chosen(rules: Rules) -> None:
    """The same hands and another choice, or a fault, of every other seat: the same bytes until it has answered last."""
    rng = Random(f"seals of {rules.name}")
    sealed = 0
    for match in matches(rules.name)[::5]:
        for seat, tap in enumerate(match.taps):
            for place, asked in enumerate(tap.sent):
                if asked.deal == 0 and asked.is_sealed:
                    sealed += 1
                    received = with_other_choices(match, seat, asked, rng)
                    assert received == tap.first(place + 1), f"seat {seat}, match seed {match.seed.hex()}"
    assert sealed > MATCHES / 5


def with_other_choices(match: Match, seat: int, asked: Sent, rng: Random) -> list[bytes]:
    """Collect the messages that *seat* receives until it answers *asked* as the last of all."""
    world = at(match.worlds[0], asked)
    scripts = [replay([world], [], other, rng) for other in range(match.rules.players)]
    taps = napping([sulking(script, asked.phase, rng) for script in scripts], nap=0.0)
    taps[seat].script, taps[seat].patience = again(match.taps[seat].answers, rng), 8
    asyncio.run(played(spec_of(match.rules, Format(DEALS), match.seed), [world.hands], taps, deals=1))
    return taps[seat].received[asked.phase]


def sulking(script: Script, phase: Phase, rng: Random) -> Script:
    """Sometimes gives no answer in that phase."""
    silence = SeatFailure(Verdict.TIMEOUT, "no answer")
    return lambda view: silence if view.phase is phase and rng.random() < 0.2 else script(view)


@pytest.mark.parametrize(
    ("rules", "phase"), [(HEARTS, Phase.PASS), (GONGZHU_SALE, Phase.EXPOSE)], ids=["pass", "expose"]
)
def test_C_6_every_seat_is_asked_before_any_answer_counts(rules: Rules, phase: Phase) -> None:
    asked: set[int] = set()

    def script(view: View) -> Action:
        assert view.phase is not phase or asked == {0, 1, 2, 3}
        return any_answer(view, Random(0))

    class Late(Tap):
        async def ask(self, view: View, watch: Stopwatch) -> Action:
            asked.add(view.seat)
            return await super().ask(view, watch)

    hands = dealt(rules, "AH", "QS", "JD", "TC").dealt
    taps = [Late(script, patience=8) for _ in range(4)]
    lines = asyncio.run(played(spec_of(rules, Format(1), bytes(32)), [hands], taps))
    assert len(taps[0].answers) == sum(step.seat == 0 and step.by != "forced" for step in lines[1].steps)  # type: ignore[union-attr]


@every_preset
def test_C_9_no_message_holds_the_match_seed_or_what_another_seat_draws_from(rules: Rules) -> None:
    for match in matches(rules.name):
        for tap in match.taps:
            received = b"".join(tap.first(len(tap.sent)))
            others = {
                seed for other in match.taps if other is not tap for seeds in other.seeds.values() for seed in seeds
            }
            assert not found(match.seed, received)
            assert not any(found(seed.to_bytes(8, "big"), received) for seed in others)
            assert all(found(seed.to_bytes(8, "big"), received) for seed in tap.seeds[0]), "the search works"


@every_preset
def test_every_bot_draws_from_a_number_of_its_own_in_every_deal(rules: Rules) -> None:
    drawn = [seeds for match in matches(rules.name) for tap in match.taps for seeds in tap.seeds.values()]
    assert {len(seeds) for seeds in drawn} == {1}
    assert len(set().union(*drawn)) == len(drawn) > MATCHES * DEALS


PEOPLE_MATCHES = 3


def play(rules: Rules, seed: bytes, hands: Sequence[Sequence[int]], taps: Sequence[Seat], person: int) -> list[AnyLine]:
    """A match in which seat *person* is a person's."""
    spec = replace(spec_of(rules, Format(DEALS), seed), people={person: person_clock()})
    shown = PeopleShown(spec.bots)
    tap = taps[person]
    assert isinstance(tap, PersonTap)
    shown.seat(0, {person: tap})
    return asyncio.run(played(spec, hands, taps, deals=len(hands), observer=shown))


@every_preset
def test_C_9_re_dealing_what_a_person_cannot_know_changes_no_byte_it_is_sent(rules: Rules) -> None:
    rng, moved = Random(f"people of {rules.name}"), 0
    for number in range(PEOPLE_MATCHES):
        seed, hands = rng.randbytes(32), [lumpy_hands(rules, rng) for _ in range(DEALS)]
        seat = number % rules.players
        taps: list[Tap] = [Tap(careless(rng)) for _ in range(rules.players)]
        taps[seat] = tap = PersonTap(careless(rng))
        lines = play(rules, seed, hands, taps, seat)
        worlds, moons = zip(*[world_of(rules, line) for line in lines if isinstance(line, DealLine)], strict=True)
        for deal in range(DEALS):
            place = rng.choice([place for place, message in enumerate(tap.sent) if message.deal == deal])
            moment = tap.sent[place]
            known = [other_world(each, seat, rng) for each in (*worlds[:deal], at(worlds[deal], moment))]
            others: list[Tap] = [Tap(replay(known, moons, other, rng)) for other in range(rules.players)]
            others[seat] = there = PersonTap(again(tap.answers, rng))
            play(rules, seed, [world.hands for world in known], others, seat)
            where = f"seat {seat}, message {place}, in deal {deal} of the match with seed {seed.hex()}"
            assert there.first(place + 1) == tap.first(place + 1), where
            moved += known[-1].hands != worlds[deal].hands
        everything = b"".join(tap.first(len(tap.sent)))
        assert not found(seed, everything)
    assert moved > PEOPLE_MATCHES * DEALS / 2, "the worlds differ"


@every_preset
def test_a_person_sees_every_card_of_a_deal_and_nothing_before_all_have_chosen(rules: Rules) -> None:
    rng = Random(f"sights of {rules.name}")
    taps: list[Tap] = [Tap(careless(rng)) for _ in range(rules.players)]
    taps[1] = tap = PersonTap(careless(rng))
    play(rules, bytes(32), [lumpy_hands(rules, rng)], taps, 1)
    kinds = [(RefereeMessage.FromString(each.data).WhichOneof("body"), each.phase, each.plays) for each in tap.sent]
    plays = [plays for kind, phase, plays in kinds if kind == "seen" and phase >= Phase.PLAY and plays]
    assert plays[: len(rules.deck)] == list(range(1, len(rules.deck) + 1))
    for phase in (Phase.PASS, Phase.EXPOSE):
        assert [kind for kind, then, _ in kinds if then is phase] in ([], ["seen"], ["seen", "request"])


async def listen(socket: Path, token: str, rules: Rules, rng: Random) -> tuple[list[bytes], str]:
    """Play a match over a bare stream; every message as it came, and every other output."""
    messages: list[bytes] = []
    async with raw_bot(socket.parent, token) as bot:
        while True:
            messages.append(await bot.receive_bytes())
            message = RefereeMessage.FromString(messages[-1])
            if message.HasField("request"):
                view = view_of(message.request, rules)
                await bot.send(answer_message(view, any_answer(view, rng)))
            elif message.HasField("match_over"):
                return messages, await bot.part()


@pytest.mark.parametrize("rules", list(PRESETS.values()), ids=named)
async def test_C_9_a_stream_carries_what_the_taps_hear_and_no_seed_or_token(rules: Rules, tmp_path: Path) -> None:
    """The leak tests tap seats; here the same match goes over real sockets, and the bytes are the same."""
    seats = range(rules.players)
    hands, seed = [lumpy_hands(rules, Random(deal)) for deal in range(DEALS)], Random(rules.name).randbytes(32)
    tokens, sockets = [new_token() for _ in seats], [tmp_path / str(seat) / "seat.sock" for seat in seats]
    streams = [StreamSeat(socket, token) for socket, token in zip(sockets, tokens, strict=True)]
    for socket, stream in zip(sockets, streams, strict=True):
        socket.parent.mkdir()
        await stream.listen()
    bots = [asyncio.create_task(listen(sockets[seat], tokens[seat], rules, Random(seat))) for seat in seats]
    lines = await played(spec_of(rules, Format(DEALS), seed), hands, streams)
    received = await asyncio.gather(*bots)
    taps = [tap_of(Random(seat)) for seat in seats]
    await played(spec_of(rules, Format(DEALS), seed), hands, taps)
    for tap, (messages, rest) in zip(taps, received, strict=True):
        assert messages == tap.first(len(tap.sent))
        everything = b"".join(messages) + rest.encode()
        assert not any(found(bytes.fromhex(token), everything) for token in tokens)
        assert not found(seed, everything)
    check_lines(lines, seed, tokens)


def tap_of(rng: Random) -> Tap:
    return Tap(lambda view: any_answer(view, rng))


def check_lines(lines: list[AnyLine], seed: bytes, tokens: list[str]) -> None:
    """No line holds a token, and none but the last the seed."""
    for line in lines:
        text = to_json(line).encode()
        assert not any(found(bytes.fromhex(token), text) for token in tokens)
        assert found(seed, text) is isinstance(line, ResultLine)


@pytest.mark.parametrize("verdict", [True, False])
async def test_a_token_is_judged_by_a_comparison_in_constant_time_and_by_nothing_else(
    tmp_path: Path, welcome: Welcome, monkeypatch: pytest.MonkeyPatch, verdict: bool
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare_digest(given: bytes, wanted: bytes) -> bool:
        compared.append((given, wanted))
        return verdict

    monkeypatch.setattr(seat_server, "hmac", SimpleNamespace(compare_digest=compare_digest))
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path) as bot:
        await bot.hello("wrong" if verdict else token)
        if verdict:
            await seat.welcome(welcome)
            assert (await bot.receive()).HasField("welcome")
        else:
            assert (await bot.status())[0] is grpc.StatusCode.UNAUTHENTICATED
        assert compared == [(b"wrong" if verdict else token.encode(), token.encode())]


async def test_no_token_is_logged_or_told(
    tmp_path: Path, welcome: Welcome, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    shown = ""
    async with open_seat(tmp_path) as (seat, token):
        for wrong in (token[:-1], token.upper() + "x", ""):
            async with raw_bot(tmp_path) as bot:
                await bot.hello(wrong)
                shown += str(await bot.status())
        async with raw_bot(tmp_path, token) as bot:
            await seat.welcome(welcome)
            await bot.receive()
            await bot.hello(token)
            bot.hang_up()
        shown += repr(seat)
    assert token not in shown + caplog.text + "".join(capfd.readouterr())


async def test_a_token_is_no_argument_of_any_process_and_in_no_text_of_its_place(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import time; print('here'); time.sleep(1000)")
    place, sandbox = SeatMount(tmp_path, new_token()), ProcessSandbox()
    try:
        instance = await (await sandbox.load(BotSource("bot", folder=tmp_path))).start(place)
        while "here" not in await instance.log_tail():
            await asyncio.sleep(0.01)
        assert not any(holds(path, place.token) for path in Path("/proc").glob("[0-9]*/cmdline"))
        assert any(holds(path, place.token) for path in Path("/proc").glob("[0-9]*/environ")), "the search finds it"
    finally:
        await sandbox.close()
    assert place.token not in repr(place)


def holds(path: Path, text: str) -> bool:
    try:
        return text.encode() in path.read_bytes()
    except OSError:
        return False
