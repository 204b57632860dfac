"""The parts of a `PersonState`, each made from what the person's seat sees, and from nothing else (C-9)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ladder.app.replay_moments import card_words, shown_moment
from ladder.people.seat.illegal_cards import why_barred
from ladder.people.seat.points_explained import no_points_remain, points_explained
from ladder.values.matches import ReplayMoment, ReplayStep
from ladder.values.person_state import (
    PersonBar,
    PersonDeal,
    PersonMoon,
    PersonPoints,
    PersonQuestion,
    PersonResult,
    PersonTrick,
)
from ladder.values.text import sanitize
from pigpen.rules import Phase, mask_of
from pigpen.rules.scoring import card_points, shooter_of
from referee.records.steps import NAMES, names_of
from referee.replay.table_view import seat_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ladder.people.seat.client import Question
    from pigpen.values.notices import DealResult
    from pigpen.values.view import Seen, View


def shown_deal(seen: Seen, kinds: Mapping[str, str]) -> PersonDeal:
    """Make what stays for a deal; *kinds* says of the names at the table what they are: a house bot if it does not."""
    view, rules = seen.view, seen.view.rules
    return PersonDeal.model_validate(
        {
            "number": view.deal,
            "variant": rules.name,
            "title": rules.title,
            "players": rules.players,
            "hand_size": rules.hand_size,
            "low_is_better": rules.low_is_better,
            "partners": rules.partners,
            "pass_offset": rules.pass_offset(view.deal),
            "pass_count": rules.plan.pass_count,
            "face_up": rules.exposing.face_up if rules.exposing else 0,
            "face_down": rules.exposing.face_down if rules.exposing else 0,
            "seat": view.seat,
            "bots": tuple(map(sanitize, seen.names)),
            "kinds": tuple(kinds.get(name, "house") for name in seen.names),
            "totals_before": view.totals,
        }
    )


def shown_table(seen: Seen, result: DealResult | None = None, by: str = "") -> ReplayMoment:
    """
    Make the moment that a table draws.

    Args:
        seen: What the seat sees.
        result: How the deal ended; None: it has not ended.
        by: Who decided for the seat, as in a record (`default:timeout`, `away`), if it has just done something.
    """
    return shown_moment(seat_table(seen.view, seen.names, result), tuple(_steps(seen.view, by)))


def shown_question(question: Question, left: float) -> PersonQuestion:
    """Make what is asked, with *left* seconds to answer it; infinite: as long as the person likes."""
    view, phase = question.view, question.view.phase
    return PersonQuestion.model_validate(
        {
            "decision": view.decision,
            "kind": phase.name.lower(),
            "limit": view.limit,
            "left": None if math.isinf(left) else round(max(0.0, left), 1),
            "legal": names_of(view.legal_mask) if phase is not Phase.MOON else "",
            "count": view.pass_count if phase is Phase.PASS else 0,
            "pass_to": view.pass_to if phase is Phase.PASS else None,
            "faces": tuple(_faces(view)) if phase is Phase.EXPOSE else (),
            "moon": tuple(_moon(view)) if phase is Phase.MOON else (),
            "why": _why(view) if phase is Phase.PLAY else {},
            "claim": phase is Phase.PLAY and no_points_remain(view),
        }
    )


def last_trick(view: View) -> PersonTrick | None:
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
    cards = card_words(play.card for play in plays)
    return PersonTrick(leader=plays[0].seat, cards=cards, winner=winner, points=after - before)


def shown_result(view: View, result: DealResult) -> PersonResult:
    """Make the end of a deal from the view that a seat has of it then."""
    taken = [view.taken_mask(seat) for seat in range(view.rules.players)]
    parts = tuple(
        tuple(
            PersonPoints(
                reason=part.reason,
                points=part.points,
                card="" if part.card is None else NAMES[part.card],
                factor=part.factor,
            )
            for part in each
        )
        for each in points_explained(view, result.scores)
    )
    return PersonResult(
        deal=result.deal,
        scores=result.scores,
        totals=result.totals,
        parts=parts,
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


def _steps(view: View, by: str) -> Iterator[ReplayStep]:
    """Yield what has just been done: the newest card; before the first one what this seat has passed."""
    trick = view.trick or (view.tricks[-1] if view.tricks else ())
    if trick:
        seat = trick[-1].seat
        yield _step(seat, "play", NAMES[trick[-1].card], by if seat == view.seat else "")
    elif view.passed_mask:
        yield _step(view.seat, "pass", names_of(view.passed_mask), by)


def _step(seat: int, kind: str, action: str, by: str) -> ReplayStep:
    unknown = dict.fromkeys(("number", "took_ms", "cpu_ms", "unasked_ms", "decision"))
    hidden = dict.fromkeys(("why", "printed"), "")
    return ReplayStep.model_validate({"seat": seat, "kind": kind, "action": action, "by": by, **unknown, **hidden})


def _faces(view: View) -> Iterator[str]:
    yield "up"
    if view.rules.exposing and view.rules.exposing.face_down:
        yield "down"


def _moon(view: View) -> Iterator[PersonMoon]:
    moon = view.rules.moon
    assert moon is not None
    yield PersonMoon(choice="subtract", points=moon.instead or 0, others=False)
    yield PersonMoon(choice="add", points=moon.others, others=True)


def _why(view: View) -> dict[str, PersonBar]:
    barred = {card: why_barred(view, card) for card in view.hand}
    return {NAMES[card]: PersonBar(bar=found.bar, names=found.names) for card, found in barred.items() if found}
