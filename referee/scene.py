"""
What there is to see at one moment of a recorded deal, for a terminal or a page to draw.

A scene is made from the views of those seats from whose chairs it is looked at, and from what the referee announces to
all: seen from one chair it holds what that seat knew then, and nothing else (C-9).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pigpen.rules import Phase, cards_in
from pigpen.rules.scoring import card_points
from referee.steps import action_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pigpen.rules import Action, Card, Deal, Face, Play, Suit, View
    from referee.replay import Moment, Replay


@dataclass(frozen=True, slots=True)
class Chair:
    """One seat and what is known of it."""

    seat: int
    bot: str
    asked: bool
    """Whether it must decide now."""
    open: bool
    """Whether it is looked at from this chair, so that all its cards are known."""
    hand: tuple[Card, ...]
    """Cards it is known to hold, in canonical order."""
    unknown: int
    """How many more it holds."""
    exposed: Mapping[Card, Face]
    """Cards it has exposed, played since or not, as far as they are known."""
    hidden: int
    """How many cards it has put face down that are not known."""
    voids: frozenset[Suit]
    """Suits that it has shown to be out of."""
    passed: tuple[Card, ...]
    """Cards it passed on, if known."""
    pass_to: int
    """The seat that got them; itself where none are passed."""
    taken: tuple[Card, ...]
    """The cards it took that count, or that change what others count."""
    points: int
    """What they are worth to it so far, a partner's left out."""


@dataclass(frozen=True, slots=True)
class News:
    """What a seat has just done; who decided it is known only from its own chair."""

    seat: int
    action: Action
    by: str = ""
    """As in the record; empty where that is not known from here."""
    why: str | None = None
    """What was held against the bot."""
    took: float | None = None
    """Seconds; None where that is not known from here."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One moment, from the chairs of one seat or of all."""

    phase: Phase
    """What is decided next."""
    trick: tuple[Play, ...]
    """The trick on the table; between two tricks the one just completed."""
    number: int
    """Number of this trick, from 1; 0 before the first card."""
    winner: int | None
    """Who took it, when it is complete."""
    winning: Play | None
    """The play that wins it, so far or for good."""
    chairs: tuple[Chair, ...]
    news: tuple[News, ...]
    scores: tuple[int, ...] | None
    """The score of each seat, with its partner's, when the deal is over and this is the last moment."""
    totals: tuple[int, ...]
    """Totals of whoever sits in each seat: before the deal, and at the last moment after it."""


def scene(replay: Replay, place: int, chairs: Collection[int] | None = None) -> Scene:
    """
    Look at a moment.

    Args:
        replay: The deal.
        place: The place of the moment in `Replay.moments`.
        chairs: The seats from which to look; None: all of them.
    """
    moment, seats = replay.moments[place], range(replay.rules.players)
    views = {seat: moment.deal.view(seat) for seat in (seats if chairs is None else chairs)}
    view, over = next(iter(views.values())), replay.is_result(place)
    trick = view.trick or (view.tricks[-1] if view.tricks else ())
    winner = view.winner(len(view.tricks) - 1) if len(trick) == len(seats) else None
    return Scene(
        phase=view.phase,
        trick=trick,
        number=-(-len(view.plays) // len(seats)),
        winner=winner,
        winning=view.winning or next((play for play in trick if play.seat == winner), None),
        chairs=_chairs(replay, moment, views),
        news=tuple(_news(moment, views)),
        scores=replay.line.scores if over else None,
        totals=replay.line.totals if over else replay.totals_before,
    )


def _chairs(replay: Replay, moment: Moment, views: Mapping[int, View]) -> tuple[Chair, ...]:
    deal, rules = moment.deal, replay.rules
    exposed = {shown for view in views.values() for shown in view.exposures}
    faces = {shown.card: shown.face for shown in exposed}
    view = next(iter(views.values()))
    taken = [view.taken_mask(seat) for seat in range(rules.players)]
    points = deal.points() if deal.is_over else card_points(rules, taken, faces)
    counting = rules.plan.scoring | rules.plan.doubler
    return tuple(
        Chair(
            seat=seat,
            bot=replay.bots[seat],
            asked=_is_asked(seat, deal, views),
            open=seat in views,
            hand=cards_in(held := _held(seat, views)),
            unknown=(deal.hands[seat] & ~held).bit_count(),  # how many cards somebody holds is plain to see
            exposed={shown.card: shown.face for shown in sorted(exposed) if shown.seat == seat},
            hidden=0 if seat in views else view.hidden[seat],
            voids=view.voids(seat),
            passed=_passed(seat, deal, views),
            pass_to=_pass_to(seat, deal),
            taken=cards_in(taken[seat] & counting),
            points=points[seat],
        )
        for seat in range(rules.players)
    )


def _held(seat: int, views: Mapping[int, View]) -> int:
    """The cards that *seat* is known to hold."""
    if seat in views:
        return views[seat].hand_mask
    return reduce(or_, (view.held_by(seat) for view in views.values()))


def _passed(seat: int, deal: Deal, views: Mapping[int, View]) -> tuple[Card, ...]:
    """The cards that *seat* passed on, if it or who got them is looked from."""
    if seat in views:
        return views[seat].passed
    heir = _pass_to(seat, deal)
    return views[heir].received if heir in views else ()


def _pass_to(seat: int, deal: Deal) -> int:
    return (seat + deal.rules.pass_offset(deal.number)) % deal.rules.players


def _is_asked(seat: int, deal: Deal, views: Mapping[int, View]) -> bool:
    """Whether *seat* must decide now; of a sealed question nobody knows to whom it is put besides himself."""
    if deal.phase in (Phase.PLAY, Phase.MOON):
        return seat == deal.turn
    return seat in views and bool(views[seat].legal_mask)


def _news(moment: Moment, views: Mapping[int, View]) -> Iterator[News]:
    for step, took in zip(moment.steps, moment.took, strict=True):
        if step.seat in views:
            yield News(step.seat, action_of(step), step.by, step.why, took)
        elif step.play is not None:
            yield News(step.seat, action_of(step))
