"""The words of a replay, on the screen and in plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.values.text import counted
from pigpen.rules import Card, Face, Suit
from pigpen.rules.cards import RANKS
from referee.records.steps import BY_AWAY, BY_FORCED, BY_TAKEOVER, DEFAULT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from referee.replay.table_view import TableDeal, TableMoment, TableSeat, TableStep

WORTH_A_WORD = 5.0
"""Milliseconds of work before a bot was asked; less is what a library's own threads may use."""
SIGNS = "♣♦♥♠"
"""The suits in canonical order."""


def card(which: Card) -> str:
    """Give the rank and the sign of the suit."""
    return f"{rank(which)}{SIGNS[which.suit]}"


def rank(which: Card) -> str:
    """Give the rank alone."""
    return RANKS[which.rank - 2]


def cards(which: Iterable[Card]) -> str:
    """Name each card."""
    return " ".join(map(card, which))


def spelled(text: str) -> str:
    """Write cards as they stand in a record with the signs of their suits."""
    return re.sub(r"\b([2-9TJQKA])([CDHS])\b", lambda found: card(Card.parse(found[0])), text) or "nothing"


def suits(which: Collection[Card]) -> str:
    """Name cards suit by suit as players hold them: spades first, aces first."""
    return "  ".join(f"{SIGNS[suit]} {ranks}" for suit in reversed(Suit) if (ranks := ranks_of(suit, which, " ")))


def compact(which: Collection[Card]) -> str:
    """Name cards suit by suit in little room."""
    return " ".join(f"{SIGNS[suit]}{ranks}" for suit in reversed(Suit) if (ranks := ranks_of(suit, which)))


def ranks_of(suit: Suit, which: Collection[Card], between: str = "") -> str:
    """Name the ranks of one suit, aces first."""
    return between.join(rank(each) for each in sorted(which, reverse=True) if each.suit is suit)


def scored(points: int, deal: TableDeal) -> str:
    """Write points that a player has scored: with a plus only where more of them are better."""
    return f"{points:+d}" if points and not deal.low_is_better else str(points)


def who(deal: TableDeal, seat: int) -> str:
    """Name a seat and the bot in it."""
    return f"{seat} {deal.bots[seat]}"


def exposures(deal: TableDeal, viewed: TableSeat) -> Iterator[str]:
    """Name what a seat has exposed, with what it does to the points."""
    for shown, face in viewed.exposed.items():
        if face is Face.UP:
            yield f"{card(shown)} ×{deal.face_up}"
        else:
            yield f"{card(shown)} ×{deal.face_down} (face down)"
    if viewed.hidden:
        yield f"{viewed.hidden} face down"


def happened(deal: TableDeal, now: TableMoment, before: TableMoment | None) -> str:
    """Say what has just happened; *before* is the moment before."""
    if before is None:
        return "The cards are dealt."
    if now.scores is not None:
        return "The deal is over."
    if not now.trick:
        return _sealed(deal, now, before)
    if now.steps and now.steps[0].kind == "moon":
        return _moon(deal, now.steps[0])
    if not now.steps:
        return "The moon has been shot, and its worth chosen."
    return _played(deal, now, before)


def fault_texts(deal: TableDeal, now: TableMoment) -> Iterator[str]:
    """Say where the default action stands for a bot's own, and why."""
    for last in now.steps:
        name = who(deal, last.seat)
        if last.by == BY_TAKEOVER:
            yield f"The default policy plays for {name}."
        elif last.by == BY_AWAY:
            yield f"{name} is away: the default policy plays."
        elif last.by.startswith(DEFAULT):
            yield f"✗ {name}: {last.by}: {last.why}"


def _sealed(deal: TableDeal, now: TableMoment, before: TableMoment) -> str:
    if any(viewed.passed for viewed in now.seats) and not any(viewed.passed for viewed in before.seats):
        return f"All have passed {counted(deal.pass_count, 'card')}."
    made = {seat: [*exposures(deal, viewed)] for seat, viewed in enumerate(now.seats)}
    shown = [f"{who(deal, seat)} {', '.join(texts)}" for seat, texts in made.items() if texts]
    return f"Exposed: {'; '.join(shown)}." if shown else "No one exposes a card."


def _time(last: TableStep) -> str:
    """Give the time of a play, and the CPU time that the bot used before it was asked, if it is worth a word."""
    if last.took_ms is None:
        return ""
    if last.by == BY_FORCED:
        return " (forced)"
    unasked = last.unasked_ms or 0.0
    before = f", {unasked:.1f} ms before it was asked" if unasked > WORTH_A_WORD else ""
    return f" ({last.took_ms:.1f} ms{before})"


def _played(deal: TableDeal, now: TableMoment, before: TableMoment) -> str:
    last = now.plays[-1]
    text = f"{who(deal, last.seat)} {'plays' if len(now.cards) > 1 else 'leads'} {card(last.card)}"
    text += _time(now.steps[0])
    if now.winner is None:
        return f"{text}."
    gain = now.seats[now.winner].points - before.seats[now.winner].points
    return f"{text}. {who(deal, now.winner)} takes the trick: {scored(gain, deal)}."


def _moon(deal: TableDeal, last: TableStep) -> str:
    shooter = who(deal, last.seat)
    if last.action == "add":
        return f"{shooter} has shot the moon: {scored(deal.moon_others, deal)} for everybody else."
    return f"{shooter} has shot the moon: {scored(deal.moon_instead or 0, deal)} for itself."
