"""Table view of a table that is being played, from one seat's view: the same `TableView` as of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Phase, cards_in
from pigpen.rules.scoring import card_points, shooter_of
from referee.replay.table_view import LastAction, TableView, ViewedSeat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen.values.notices import DealResult
    from pigpen.values.view import View


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
        seats=tuple(_viewed_seats(view, names)),
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


def _viewed_seats(view: View, names: Sequence[str]) -> Iterator[ViewedSeat]:
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
