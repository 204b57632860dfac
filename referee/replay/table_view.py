"""
One description of a table at a moment, for all who look at it: pages, programs and terminals.

`TableDeal` is the part that stays for a whole deal, `TableMoment` the table after something has happened. What may be
known of it is decided here, when the moment is made, and nowhere where it is drawn: from the engine's own views of some
seats, or of all, and from what the referee announces to all. Made from one seat's view it holds what that seat knew at
that moment, and nothing else (C-9). Of a table that is being played it is made from the view of one seat, or from what
all can see.

In JSON, cards are named as in the record, with a space between.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, GetPydanticSchema
from pydantic_core import core_schema

from pigpen.rules import Card, Face, Phase, Play, Suit, cards_in, mask_of
from pigpen.rules.scoring import card_points, shooter_of
from referee.records.lines import Described
from referee.records.steps import NAMES, kind_and_words, names_of, parse_action

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from pigpen.rules import Rules, SeatView
    from pigpen.values.notices import DealResult
    from pigpen.values.view import View
    from referee.replay.deal_replay import DealReplay, Moment


def card_names(cards: Iterable[Card]) -> str:
    """Name cards in their order, with a space between."""
    return " ".join([NAMES[card] for card in cards])


def exposed_names(exposed: Mapping[Card, Face]) -> str:
    """Name exposed cards, with `*` behind one that lies face down."""
    return " ".join([NAMES[card] + "*" * (face is Face.DOWN) for card, face in exposed.items()])


def _as_text(kind: type, read: Callable[[str], Any], write: Callable[[Any], str]) -> GetPydanticSchema:
    """Make a schema for values of that kind, which are a text in JSON."""
    text = core_schema.str_schema()
    schema = core_schema.union_schema(
        [core_schema.is_instance_schema(kind), core_schema.no_info_after_validator_function(read, text)],
        mode="left_to_right",
        serialization=core_schema.plain_serializer_function_ser_schema(write, return_schema=text),
    )
    return GetPydanticSchema(lambda source, handler: schema, lambda core, handler: {"type": "string"})


Cards = Annotated[tuple[Card, ...], _as_text(tuple, lambda text: tuple(map(Card.parse, text.split())), card_names)]
Exposed = Annotated[Mapping[Card, Face], _as_text(dict, partial(parse_action, "expose"), exposed_names)]
Suits = Annotated[
    frozenset[Suit],
    _as_text(
        frozenset,
        lambda text: frozenset(suit for suit in Suit if suit.name[0] in text),
        lambda suits: "".join([suit.name[0] for suit in sorted(suits)]),
    ),
]


_PHASES: Mapping[Phase, Literal["pass", "expose", "play", "moon", "over"]] = {
    Phase.PASS: "pass",
    Phase.EXPOSE: "expose",
    Phase.PLAY: "play",
    Phase.MOON: "moon",
    Phase.OVER: "over",
}


class _Shown(Described):
    """A value that is never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_serialization_defaults_required=True)


class TableDeal(_Shown):
    """The part that stays as it is for a whole deal."""

    number: int
    """Of the deal in its game, or of the board in its match, from 0."""
    variant: str
    title: str
    """The variant's, as people call it."""
    players: int
    hand_size: int
    """Cards dealt to each seat, and tricks in a deal."""
    low_is_better: bool
    partners: bool
    """True if seats 0 and 2 play against 1 and 3."""
    pass_offset: int
    """Number of seats clockwise that the passed cards travel; 0 where none are passed."""
    pass_count: int
    """Number of cards that each seat passes in this variant."""
    face_up: int
    """By what a card exposed face up multiplies; 0 where none can be exposed."""
    face_down: int
    """The same of one that lies face down."""
    moon_others: int
    """Points of all others where a seat has shot the moon."""
    moon_instead: int | None
    """Points that the shooter may choose instead, for itself; None where there is nothing to choose."""
    seat: int | None
    """The seat whose knowledge is shown; None: all hands are open, or none is."""
    bots: tuple[str, ...]
    """The name of the player in each seat, people too."""
    kinds: tuple[Literal["person", "house", "bot"], ...]
    """Kind of the player in each seat."""

    def receiver(self, seat: int) -> int:
        """Give the seat that gets the cards which *seat* passes; itself where none are passed."""
        return (seat + self.pass_offset) % self.players

    def is_open(self, seat: int) -> bool:
        """Tell whether all cards of a seat are known, in a replay or at a table at which one sits."""
        return self.seat in (None, seat)


class TableStep(_Shown):
    """One action, and its decider; what is not known from where one looks is empty or None."""

    number: int | None = None
    """
    Its place among the steps of the deal, from 1.

    None as seen from one seat: the number of answers to a sealed question would show how many seats had a choice.
    """
    seat: int
    kind: Literal["pass", "expose", "play", "moon"]
    action: str
    """As in the record: `QS`, several cards with a space between, `JD*` for one face down, `subtract` or `add`."""
    by: str = ""
    """As in the record: `bot`, `forced`, `default:` and a verdict, `takeover`, or `away`."""
    why: str = ""
    """The fault of the bot, in words; empty if there was none."""
    took_ms: float | None = None
    """By the referee's clock."""
    cpu_ms: float | None = None
    """CPU time of the bot's program; None also where it was not read."""
    unasked_ms: float | None = None
    """CPU time that it had used before it was asked; None also where it was not read."""
    decision: int | None = None
    """Number of the bot's decision in its rotation, from 1, as its output names it; None where it was not asked."""
    printed: str = ""
    """Output of the bot at this decision; empty unless the organiser shows that to all visitors."""


class TableSeat(_Shown):
    """One seat at one moment, as far as it is known from where one looks."""

    asked: bool
    """True if it must decide now."""
    hand: Cards
    """Cards that it is known to hold, in canonical order."""
    unknown: int
    """Number of further cards that it holds."""
    legal: Cards
    """The cards among which it chooses now; empty where that is not known."""
    exposed: Exposed
    """Cards that it has exposed, played since or not, as far as they are known; `*` behind one that lies face down."""
    hidden: int
    """Number of cards that it has put face down and that are not known."""
    voids: Suits
    """Suits that it has shown to be out of, as letters."""
    passed: Cards
    received: Cards
    taken: Cards
    """The cards it took that count, or that change what others count."""
    points: int
    """Points of these cards to it so far, a partner's left out."""


class TableMoment(_Shown):
    """The table after something has happened."""

    after: int | None
    """Number of steps done; None as seen from one seat, for the reason that `TableStep.number` gives."""
    steps: tuple[TableStep, ...]
    """The steps just done: a card, a moon choice, or all answers to a sealed question."""
    phase: Literal["pass", "expose", "play", "moon", "over"]
    """Kind of the next decision."""
    trick: int
    """Number of the trick on the table, from 1; between two of them the one just completed; 0 before the first card."""
    leader: int | None
    """Seat that led to it; its cards went round from there."""
    cards: Cards
    """The cards of this trick, in the order in which they were played."""
    winning: int | None
    """The seat whose card wins it, so far or for good."""
    complete: bool
    """True if all its cards are there."""
    seats: tuple[TableSeat, ...]
    """By seat."""
    scores: tuple[int, ...] | None
    """The score of each seat, with its partner's, once the deal is over; None before."""
    totals: tuple[int, ...]
    """Total of the player in each seat: before the deal, and after it once its scores are known."""

    @property
    def plays(self) -> tuple[Play, ...]:
        """The cards of the trick, each with the seat that played it."""
        players, leader = len(self.seats), self.leader or 0
        return tuple(Play((leader + place) % players, card) for place, card in enumerate(self.cards))

    @property
    def winner(self) -> int | None:
        """The seat that took the trick; None while it is not complete."""
        return self.winning if self.complete else None


class TableTrick(_Shown):
    """One whole trick."""

    number: int
    """From 1."""
    leader: int
    cards: Cards
    """In the order in which they were played."""
    winner: int
    points: int
    """By how much the winner's points moved."""


def deal_fields(
    rules: Rules, number: int, bots: Iterable[str], kinds: Iterable[str], seat: int | None
) -> dict[str, Any]:
    """
    Give the fields of a `TableDeal`.

    Args:
        rules: The variant.
        number: Of the deal, from 0.
        bots: The name of the player in each seat.
        kinds: What each of them is.
        seat: The seat whose knowledge is shown; None: that of no single one.
    """
    exposing, moon = rules.exposing, rules.moon
    return {
        "number": number,
        "variant": rules.name,
        "title": rules.title,
        "players": rules.players,
        "hand_size": rules.hand_size,
        "low_is_better": rules.low_is_better,
        "partners": rules.partners,
        "pass_offset": rules.pass_offset(number),
        "pass_count": rules.plan.pass_count,
        "face_up": exposing.face_up if exposing else 0,
        "face_down": exposing.face_down if exposing else 0,
        "moon_others": moon.others if moon else 0,
        "moon_instead": moon.instead if moon else None,
        "seat": seat,
        "bots": tuple(bots),
        "kinds": tuple(kinds),
    }


def replayed_deal(replay: DealReplay, seat: int | None = None) -> TableDeal:
    """Make the part that stays of a recorded deal, as seen from a seat; None: from all."""
    kinds = ("bot" for _ in replay.bots)
    return TableDeal(**deal_fields(replay.rules, replay.line.deal, replay.bots, kinds, seat))


def view_table(replay: DealReplay, place: int, seen_from: Collection[int] | None = None) -> TableMoment:
    """
    Make a moment of a recorded deal.

    Args:
        replay: The deal.
        place: The place of the moment in `DealReplay.moments`.
        seen_from: The seats from which to look; None: all of them.
    """
    moment, seats, is_over = replay.moments[place], range(replay.rules.players), replay.is_result(place)
    views = [moment.deal.view(seat) for seat in (seats if seen_from is None else seen_from)]
    done = sum(len(each.done) for each in replay.moments[: place + 1]) if len(views) == len(seats) else None
    return table_moment(
        views,
        tuple(_recorded_steps(moment, {view.seat for view in views}, done)),
        after=done,
        points=moment.deal.points() if moment.deal.is_over else None,
        scores=replay.line.scores if is_over else None,
        totals=replay.line.totals if is_over else replay.totals_before,
    )


def seat_table(view: View, result: DealResult | None = None, by: str = "") -> TableMoment:
    """
    Make the moment that one seat of a table sees.

    Args:
        view: What it sees.
        result: How the deal ended, if that is to be shown.
        by: Who decided for the seat, as in a record (`default:timeout`, `away`), if it has just done something.
    """
    return table_moment(
        [view],
        tuple(_newest_step(view, by)),
        scores=result.scores if result else None,
        totals=result.totals if result else view.totals,
    )


def public_table(view: View, result: DealResult | None = None) -> TableMoment:
    """
    Make the moment that all can see, spectators too.

    Args:
        view: What everybody sees; it holds no hand.
        result: How the deal ended, if that is to be shown.
    """
    return table_moment(
        [view],
        tuple(_newest_step(view)),
        is_public=True,
        scores=result.scores if result else None,
        totals=result.totals if result else view.totals,
    )


def table_moment(
    views: Sequence[SeatView],
    steps: tuple[TableStep, ...],
    *,
    is_public: bool = False,
    after: int | None = None,
    points: Sequence[int] | None = None,
    scores: tuple[int, ...] | None = None,
    totals: tuple[int, ...],
) -> TableMoment:
    """
    Make a moment of what some seats see; what none of them sees is not in it.

    Args:
        views: What they see, one or more.
        steps: What has just been done.
        is_public: Whether the only view is no seat's, but what all can see.
        after: How many steps have been done; None where that is not to be known.
        points: Points of each seat; None: those of the cards that it took, as far as exposures are known.
        scores: The scores, if the deal is over and they are to be shown.
        totals: What `TableMoment.totals` says.
    """
    view = views[0]
    tricks = view.tricks
    trick = view.trick or (tricks[-1] if tricks else ())
    is_complete = len(trick) == view.rules.players
    winning = view.winner(len(tricks) - 1) if is_complete else view.winning.seat if view.winning else None
    return TableMoment(
        after=after,
        steps=steps,
        phase=_PHASES[view.phase],
        trick=-(-len(view.plays) // view.rules.players),
        leader=trick[0].seat if trick else None,
        cards=tuple(play.card for play in trick),
        winning=winning,
        complete=is_complete,
        seats=tuple(_seats(views, points, is_public=is_public)),
        scores=scores,
        totals=totals,
    )


def turn_of(view: SeatView) -> int | None:
    """Give the seat whose turn it is, as far as all can see that; None where no seat or every seat is asked."""
    if view.phase is Phase.PLAY:
        return (view.leaders[-1] + len(view.trick)) % view.rules.players if view.leaders else None
    if view.phase is Phase.MOON:
        return shooter_of(view.rules, [view.taken_mask(seat) for seat in range(view.rules.players)])
    return None


def last_trick(view: SeatView) -> TableTrick | None:
    """Make the last whole trick, if there is one."""
    tricks = view.tricks
    if not tricks:
        return None
    plays, winner = tricks[-1], view.winner(len(tricks) - 1)
    taken = [view.taken_mask(seat) for seat in range(view.rules.players)]
    exposed = {shown.card: shown.face for shown in view.exposures}
    after = card_points(view.rules, taken, exposed)[winner]
    taken[winner] &= ~mask_of(play.card for play in plays)
    before = card_points(view.rules, taken, exposed)[winner]
    cards = tuple(play.card for play in plays)
    return TableTrick(number=len(tricks), leader=plays[0].seat, cards=cards, winner=winner, points=after - before)


def _seats(views: Sequence[SeatView], points: Sequence[int] | None, *, is_public: bool) -> Iterator[TableSeat]:
    """Yield the seats; a sealed question is known to those alone to whom it is put."""
    view, rules = views[0], views[0].rules
    own_views = {} if is_public else {each.seat: each for each in views}
    exposures = sorted({shown for each in views for shown in each.exposures})
    taken = [view.taken_mask(seat) for seat in range(rules.players)]
    points = points or card_points(rules, taken, {shown.card: shown.face for shown in exposures})
    turn, offset = turn_of(view), rules.pass_offset(view.deal)
    whole, begun = len(view.plays) // rules.players, {play.seat for play in view.trick}
    for seat in range(rules.players):
        own = own_views.get(seat)
        receiver, giver = (own_views.get((seat + way * offset) % rules.players) for way in (1, -1))
        known = own.hand_mask if own else reduce(or_, (each.held_by(seat) for each in views))
        yield TableSeat(
            asked=seat == turn if turn is not None else own is not None and own.legal_mask != 0,
            hand=cards_in(known),
            unknown=rules.hand_size - whole - (seat in begun) - known.bit_count(),
            legal=own.legal if own else (),
            exposed={shown.card: shown.face for shown in exposures if shown.seat == seat},
            hidden=0 if own else view.hidden[seat],
            voids=view.voids(seat),
            passed=own.passed if own else receiver.received if receiver else (),
            received=own.received if own else giver.passed if giver else (),
            taken=cards_in(taken[seat] & (rules.plan.scoring | rules.plan.doubler)),
            points=points[seat],
        )


def _recorded_steps(moment: Moment, seen_from: Collection[int], done: int | None) -> Iterator[TableStep]:
    """Yield the steps of a moment: all of those of the seats from which one looks, of the others only cards played."""
    for place, ((step, took, cpu), unasked) in enumerate(zip(moment.done, moment.unasked, strict=True), 1):
        kind, words = kind_and_words(step)
        shown: dict[str, Any] = {
            "number": None if done is None else done - len(moment.done) + place,
            "seat": step.seat,
            "kind": kind,
            "action": words,
        }
        if step.seat in seen_from:
            shown |= {"took_ms": _ms(took), "cpu_ms": _ms(cpu), "unasked_ms": _ms(unasked)}
            yield TableStep(**shown, by=step.by, why=step.why or "")
        elif step.play is not None:
            yield TableStep(**shown)


def _newest_step(view: SeatView, by: str = "") -> Iterator[TableStep]:
    """Yield what has just been done: the newest card; before the first one what this seat has passed."""
    trick = view.trick or (view.tricks[-1] if view.tricks else ())
    if trick:
        seat, card = trick[-1]
        yield TableStep(seat=seat, kind="play", action=NAMES[card], by=by if seat == view.seat else "")
    elif view.passed_mask:
        yield TableStep(seat=view.seat, kind="pass", action=names_of(view.passed_mask), by=by)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else round(1000 * seconds, 3)
