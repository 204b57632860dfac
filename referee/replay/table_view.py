"""
Table view of one moment of a deal, recorded or being played, for a terminal or a page to draw.

A `TableView` is made from the engine's own views of some seats, or of all, and from what the referee announces to all.
Made from one seat's view it holds what that seat knew at that moment, and nothing else (C-9). Of a table that is being
played it is always made from one seat's view.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pigpen.rules import Phase, cards_in
from pigpen.rules.scoring import card_points, shooter_of
from referee.records.steps import action_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pigpen.rules import Action, Card, Deal, Face, Play, SeatView, Suit
    from pigpen.values.notices import DealResult
    from pigpen.values.view import View
    from referee.replay.deal_replay import DealReplay, Moment


@dataclass(frozen=True, slots=True)
class ViewedSeat:
    """A seat, and what is known of it from where the table is looked at."""

    seat: int
    bot: str
    asked: bool
    """True if it must decide now."""
    open: bool
    """True if it is looked at from this seat, so that all its cards are known."""
    hand: tuple[Card, ...]
    """Cards it is known to hold, in canonical order."""
    legal: tuple[Card, ...]
    """The cards among which it is to choose now, if it is looked at from this seat."""
    unknown: int
    """Number of further cards that it holds."""
    exposed: Mapping[Card, Face]
    """Cards it has exposed, played since or not, as far as they are known."""
    hidden: int
    """Number of cards it has put face down that are not known."""
    voids: frozenset[Suit]
    """Suits that it has shown to be out of."""
    passed: tuple[Card, ...]
    """Cards it passed on, if known."""
    received: tuple[Card, ...]
    """Cards it was passed, if known."""
    pass_to: int
    """The seat that gets the cards it passes; itself where none are passed."""
    taken: tuple[Card, ...]
    """The cards it took that count, or that change what others count."""
    points: int
    """Points of those cards for it so far, a partner's left out."""


@dataclass(frozen=True, slots=True)
class LastAction:
    """The latest action of a seat; its decider is shown only in that seat's own view."""

    seat: int
    action: Action
    by: str = ""
    """As in the record; empty where that is not known from here."""
    why: str | None = None
    """The fault of the bot, in words."""
    took: float | None = None
    """Seconds; None where that is not known from here."""
    unasked: float | None = None
    """Seconds of CPU time that the bot had used before it was asked; None where that is not known."""


@dataclass(frozen=True, slots=True)
class TableView:
    """One moment, as seen from one seat or from all."""

    phase: Phase
    """The kind of the next decision."""
    trick: tuple[Play, ...]
    """The trick on the table; between two tricks the one just completed."""
    number: int
    """Number of this trick, from 1; 0 before the first card."""
    winner: int | None
    """The seat that took it, when it is complete."""
    winning: Play | None
    """The play that wins it, so far or for good."""
    seats: tuple[ViewedSeat, ...]
    last_actions: tuple[LastAction, ...]
    scores: tuple[int, ...] | None
    """The score of each seat, with its partner's, when the deal is over and this is the last moment."""
    totals: tuple[int, ...]
    """Total of the bot in each seat: before the deal, and at the last moment after it."""


def view_table(replay: DealReplay, place: int, seen_from: Collection[int] | None = None) -> TableView:
    """
    Make the table view of a moment.

    Args:
        replay: The deal.
        place: The place of the moment in `DealReplay.moments`.
        seen_from: The seats from which to look; None: all of them.
    """
    moment, seats = replay.moments[place], range(replay.rules.players)
    views = {seat: moment.deal.view(seat) for seat in (seats if seen_from is None else seen_from)}
    view, over = next(iter(views.values())), replay.is_result(place)
    trick = view.trick or (view.tricks[-1] if view.tricks else ())
    winner = view.winner(len(view.tricks) - 1) if len(trick) == len(seats) else None
    return TableView(
        phase=view.phase,
        trick=trick,
        number=-(-len(view.plays) // len(seats)),
        winner=winner,
        winning=view.winning or next((play for play in trick if play.seat == winner), None),
        seats=tuple(_viewed_seats(replay, moment, views)),
        last_actions=tuple(_last_actions(moment, views)),
        scores=replay.line.scores if over else None,
        totals=replay.line.totals if over else replay.totals_before,
    )


def _viewed_seats(replay: DealReplay, moment: Moment, views: Mapping[int, SeatView]) -> Iterator[ViewedSeat]:
    deal, rules = moment.deal, replay.rules
    exposed = {shown for view in views.values() for shown in view.exposures}
    view = next(iter(views.values()))
    taken = [view.taken_mask(seat) for seat in range(rules.players)]
    known = card_points(rules, taken, {shown.card: shown.face for shown in exposed})
    points = deal.points() if deal.is_over else known
    for seat in range(rules.players):
        pass_to, pass_from = (
            (seat + direction * rules.pass_offset(deal.number)) % rules.players for direction in (1, -1)
        )
        own = views.get(seat)
        known_hand = own.hand_mask if own else reduce(or_, (each.held_by(seat) for each in views.values()))
        yield ViewedSeat(
            seat=seat,
            bot=replay.bots[seat],
            asked=_is_asked(seat, deal, own),
            open=own is not None,
            hand=cards_in(known_hand),
            legal=own.legal if own else (),
            unknown=(deal.hands[seat] & ~known_hand).bit_count(),  # all can see how many cards a seat holds
            exposed={shown.card: shown.face for shown in sorted(exposed) if shown.seat == seat},
            hidden=0 if own else view.hidden[seat],
            voids=view.voids(seat),
            passed=own.passed if own else views[pass_to].received if pass_to in views else (),
            received=own.received if own else views[pass_from].passed if pass_from in views else (),
            pass_to=pass_to,
            taken=cards_in(taken[seat] & (rules.plan.scoring | rules.plan.doubler)),
            points=points[seat],
        )


def _is_asked(seat: int, deal: Deal, own: SeatView | None) -> bool:
    """Tell whether *seat* must decide now; to whom else a sealed question is put is not known from another seat."""
    if deal.phase in (Phase.PLAY, Phase.MOON):
        return seat == deal.turn
    return own is not None and own.legal_mask != 0


def _last_actions(moment: Moment, views: Mapping[int, SeatView]) -> Iterator[LastAction]:
    for (step, took, _), unasked in zip(moment.done, moment.unasked, strict=True):
        if step.seat in views:
            yield LastAction(step.seat, action_of(step), step.by, step.why, took, unasked)
        elif step.play is not None:
            yield LastAction(step.seat, action_of(step))


def seat_table(view: View, names: Sequence[str], result: DealResult | None = None) -> TableView:
    """
    Make the table view of what one seat sees.

    Args:
        view: What it sees.
        names: The name of the bot or person in each seat.
        result: How the deal ended, if that is to be shown.
    """
    trick = view.trick or (view.tricks[-1] if view.tricks else ())
    winner = view.winner(len(view.tricks) - 1) if len(trick) == view.rules.players else None
    return TableView(
        phase=view.phase,
        trick=trick,
        number=-(-len(view.plays) // view.rules.players),
        winner=winner,
        winning=view.winning or next((play for play in trick if play.seat == winner), None),
        seats=tuple(_seats_of_view(view, names)),
        last_actions=(LastAction(trick[-1].seat, trick[-1].card),) if trick else (),
        scores=result.scores if result else None,
        totals=result.totals if result else view.totals,
    )


def turn_of(view: View) -> int | None:
    """Give the seat whose turn it is, which all can see; None where no seat or every seat is asked."""
    if view.phase is Phase.PLAY:
        return (view.leaders[-1] + len(view.trick)) % view.rules.players
    if view.phase is Phase.MOON:
        return shooter_of(view.rules, [view.taken_mask(seat) for seat in range(view.rules.players)])
    return None


def _seats_of_view(view: View, names: Sequence[str]) -> Iterator[ViewedSeat]:
    rules, turn = view.rules, turn_of(view)
    seats = range(rules.players)
    taken = [view.taken_mask(seat) for seat in seats]
    points = card_points(rules, taken, {shown.card: shown.face for shown in view.exposures})
    for seat in seats:
        own = seat == view.seat
        known = view.hand_mask if own else view.held_by(seat)
        pass_to = (seat + rules.pass_offset(view.deal)) % rules.players
        yield ViewedSeat(
            seat=seat,
            bot=names[seat],
            asked=seat == turn or (turn is None and own and bool(view.legal_mask)),
            open=own,
            hand=cards_in(known),
            legal=view.legal if own else (),
            unknown=rules.hand_size - _played_by(view, seat) - known.bit_count(),
            exposed={shown.card: shown.face for shown in sorted(view.exposures) if shown.seat == seat},
            hidden=view.hidden[seat],
            voids=view.voids(seat),
            passed=view.passed if own else view.received if pass_to == view.seat else (),
            received=view.received if own else view.passed if view.pass_to == seat else (),
            pass_to=pass_to,
            taken=cards_in(taken[seat] & (rules.plan.scoring | rules.plan.doubler)),
            points=points[seat],
        )


def _played_by(view: View, seat: int) -> int:
    """Count the cards a seat has played: one in every full trick, and perhaps one in the trick on the table."""
    return len(view.plays) // view.rules.players + any(play.seat == seat for play in view.trick)
