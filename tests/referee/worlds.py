"""The same match with other cards where one seat cannot look (C-9), and damage of editors and transfers to a record."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from pigpen.rules import Card, Face, IllegalAction, MoonChoice, Phase, cards_in, mask_of
from referee.seats.verdict import SeatFailure, Verdict
from tests.rules.perft import World, parallel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from pigpen.rules import Action, Rules
    from pigpen.values.view import View
    from referee.records.lines import DealLine, Step
    from tests.referee.scripted_seats import Script
    from tests.referee.wires import Sent


def any_answer(view: View, rng: Random) -> Action:
    """Any of the things that are legal."""
    if view.phase is Phase.PASS:
        return tuple(rng.sample(view.legal, view.pass_count))
    if view.phase is Phase.EXPOSE:
        faces = [Face.UP, Face.DOWN] if view.rules.exposing and view.rules.exposing.face_down else [Face.UP]
        return {card: rng.choice(faces) for card in view.legal if rng.random() < 0.6}
    return rng.choice(view.legal) if view.phase is Phase.PLAY else rng.choice(list(MoonChoice))


def careless(rng: Random) -> Script:
    """Plays anything legal; now and then breaks a rule or says nothing."""

    def script(view: View) -> Action | SeatFailure:
        if rng.random() < 0.995:
            return any_answer(view, rng)
        if rng.random() < 0.5:
            return SeatFailure(Verdict.MALFORMED, "the answer holds no action")
        return Card(rng.randrange(52))

    return script


def replay(worlds: Sequence[World], moons: Sequence[MoonChoice], seat: int, rng: Random) -> Script:
    """Does for *seat* what was done in *worlds*, and anything legal where they say nothing."""

    def script(view: View) -> Action:
        world = worlds[view.deal] if view.deal < len(worlds) else None
        if world and view.phase is Phase.PASS and seat in world.passes:
            return world.passes[seat]
        if world and view.phase is Phase.EXPOSE and seat in world.shown:
            return world.shown[seat]
        if world and view.phase is Phase.PLAY and len(view.plays) < len(world.plays):
            return world.plays[len(view.plays)]
        return moons[view.deal] if view.phase is Phase.MOON and view.deal < len(moons) else any_answer(view, rng)

    return script


def again(answers: Sequence[Action | SeatFailure], rng: Random) -> Script:
    """Gives the same answers once more, mistakes and all, then anything legal."""
    return lambda view: answers[view.decision - 1] if view.decision <= len(answers) else any_answer(view, rng)


def world_of(rules: Rules, line: DealLine) -> tuple[World, MoonChoice]:
    """A deal as its record tells it."""
    hands = [sum(card.mask for card in _cards(text)) for text in line.hands]
    world, moon = World(rules, hands, line.deal), MoonChoice.SUBTRACT
    for step in line.steps:
        if step.passed is not None:
            world.passes[step.seat] = tuple(_cards(step.passed))
        elif step.expose is not None:
            world.shown[step.seat] = _shown(step.expose)
        elif step.play is not None:
            world.plays.append(Card.parse(step.play))
        else:
            moon = _moon(step)
    return world, moon


def at(world: World, moment: Sent) -> World:
    """Give the part of *world* that had happened by then; nothing of a sealed choice that is still open."""
    passes = {} if moment.phase is Phase.PASS else world.passes
    everyone = range(world.rules.players)
    shown = {seat: world.shown.get(seat, {}) for seat in everyone} if moment.phase > Phase.EXPOSE else {}
    return World(world.rules, world.hands, world.number, passes, shown, world.plays[: moment.plays])


def other_world(world: World, seat: int, rng: Random) -> World:
    """A world that *seat* cannot tell from this one."""
    world = parallel(world, seat, rng, tries=6)
    for _ in range(3):
        world = _with_sales_swapped(world, seat, rng)
    return _with_other_passes(world, seat, rng)


def _with_sales_swapped(world: World, seat: int, rng: Random) -> World:
    """Two exposable cards that *seat* knows nothing of change places, face down or not."""
    deal = world.deal()
    face_up = mask_of(shown.card for shown in deal.exposures if shown.face is Face.UP)
    known = deal.dealt[seat] | deal.received[seat] | mask_of(deal.plays) | face_up
    secret = cards_in(world.rules.plan.exposable & ~known)
    if len(secret) < 2:
        return world
    one, other = rng.sample(secret, 2)
    turned = {one: other, other: one}
    passes: dict[int, Action] = {}
    shown: dict[int, Action] = {}
    for who, cards in world.passes.items():
        passes[who] = tuple(turned.get(card, card) for card in cards)  # type: ignore[union-attr]
    for who, faces in world.shown.items():
        shown[who] = {turned.get(card, card): face for card, face in faces.items()}  # type: ignore[union-attr]
    hands = [mask_of(turned.get(card, card) for card in cards_in(hand)) for hand in world.hands]
    swapped = World(world.rules, hands, world.number, passes, shown, world.plays)
    return swapped if _is_legal(swapped) else world


def _is_legal(world: World) -> bool:
    try:
        world.deal()
    except IllegalAction:
        return False
    return True


def _with_other_passes(world: World, seat: int, rng: Random) -> World:
    """Let the cards that went between two other seats be any others of those that the taker then held."""
    if not world.passes:
        return world
    players, offset = world.rules.players, world.rules.pass_offset(world.number)
    after = World(world.rules, world.hands, world.number, world.passes).deal().hands
    passes: dict[int, Action] = {}
    for giver, cards in world.passes.items():
        taker = (giver + offset) % players
        assert isinstance(cards, tuple)
        passes[giver] = cards if seat in (giver, taker) else tuple(rng.sample(cards_in(after[taker]), len(cards)))
    sent = [mask_of(cards) for _, cards in sorted(passes.items())]  # type: ignore[arg-type]
    hands = [hand & ~sent[who - offset] | sent[who] for who, hand in enumerate(after)]
    return World(world.rules, hands, world.number, passes, world.shown, world.plays)


def _cards(text: str) -> list[Card]:
    return [Card.parse(name) for name in text.split()]


def _shown(text: str) -> dict[Card, Face]:
    return {Card.parse(name[:2]): Face.DOWN if name.endswith("*") else Face.UP for name in text.split()}


def _moon(step: Step) -> MoonChoice:
    assert step.moon is not None
    return MoonChoice[step.moon.upper()]


Change = tuple["Callable[[bytes], bytes]", int, str]


def with_windows_line_ends(record: bytes) -> bytes:
    return record.replace(b"\n", b"\r\n")


def with_windows_line_ends_from_the_second_line_on(record: bytes) -> bytes:
    first, _, rest = record.partition(b"\n")
    return first + b"\n" + with_windows_line_ends(rest)


ALTERED: dict[str, Change] = {
    "Windows line ends": (with_windows_line_ends, 1, "the file has Windows line ends (CR LF), and a record has LF; "),
    "mixed line ends": (with_windows_line_ends_from_the_second_line_on, 2, "the file has Windows line ends (CR LF)"),
    "a byte order mark": (lambda record: codecs.BOM_UTF8 + record, 1, "the file begins with a byte order mark (BOM)"),
    "UTF-16": (
        lambda record: record.decode().encode("utf-16"),
        1,
        "the file has been saved as UTF-16, and a record is",
    ),
    "a blank first line": (lambda record: b"\n" + record, 1, "it is blank, and a record has no blank lines; remove it"),
}
