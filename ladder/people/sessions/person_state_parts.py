"""The parts of a `PersonState`, each made from what the person's seat sees, and from nothing else (C-9)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ladder.people.seat.illegal_cards import why_barred
from ladder.people.seat.points_explained import no_points_remain, points_explained
from ladder.values.person_state import PersonBar, PersonQuestion, PersonResult
from ladder.values.text import sanitize
from pigpen.rules import Phase
from pigpen.rules.scoring import shooter_of
from referee.records.steps import NAMES, names_of
from referee.replay.table_view import TableDeal, deal_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ladder.people.seat.client import Question
    from pigpen.rules import Rules
    from pigpen.values.notices import DealResult
    from pigpen.values.view import View


def shown_deal(
    rules: Rules, number: int, names: Sequence[str], kinds: Mapping[str, str], seat: int | None
) -> TableDeal:
    """
    Make what stays for a deal of a table with people.

    Args:
        rules: The variant.
        number: Of the deal, from 0.
        names: Of the players, by seat.
        kinds: What sits behind these names; a house bot if it is not there.
        seat: The seat from which the table is looked at; None: a spectator's view.
    """
    kind_of = (kinds.get(name, "house") for name in names)
    return TableDeal(**deal_fields(rules, number, map(sanitize, names), kind_of, seat))


def shown_question(question: Question, left: float) -> PersonQuestion:
    """Make what is asked, with *left* seconds to answer it; infinite: as long as the person likes."""
    view, phase = question.view, question.view.phase
    return PersonQuestion.model_validate(
        {
            "decision": view.decision,
            "kind": phase.name.lower(),
            "limit": view.limit,
            "left": None if math.isinf(left) else round(max(0.0, left), 1),
            "legal": view.legal if phase is not Phase.MOON else (),
            "count": view.pass_count if phase is Phase.PASS else 0,
            "pass_to": view.pass_to if phase is Phase.PASS else None,
            "faces": tuple(_faces(view)) if phase is Phase.EXPOSE else (),
            "why": _why(view) if phase is Phase.PLAY else {},
            "claim": phase is Phase.PLAY and no_points_remain(view),
        }
    )


def shown_result(view: View, result: DealResult) -> PersonResult:
    """Make the end of a deal from the view that a seat has of it then."""
    taken = [view.taken_mask(seat) for seat in range(view.rules.players)]
    return PersonResult(
        deal=result.deal,
        scores=result.scores,
        totals=result.totals,
        parts=points_explained(view, result.scores),
        shooter=shooter_of(view.rules, taken),
    )


def done_between(view: View, after: View) -> str:
    """Say what the seat has answered to the question of *view*, as *after* shows it; empty if it shows nothing."""
    if view.phase is Phase.PASS:
        return names_of(after.passed_mask)
    if view.phase is Phase.EXPOSE:
        own = sorted(each for each in after.exposures if each.seat == view.seat)
        return " ".join(f"{NAMES[each.card]}{'*' * (each.face.name == 'DOWN')}" for each in own)
    if view.phase is Phase.PLAY:
        plays = [play for trick in (*after.tricks, after.trick) for play in trick if play.seat == view.seat]
        done = view.rules.hand_size - view.hand_mask.bit_count()
        return NAMES[plays[done].card] if done < len(plays) else ""
    return ""


def _faces(view: View) -> Iterator[str]:
    yield "up"
    if view.rules.exposing and view.rules.exposing.face_down:
        yield "down"


def _why(view: View) -> dict[str, PersonBar]:
    barred = {card: why_barred(view, card) for card in view.hand}
    return {NAMES[card]: found for card, found in barred.items() if found}
