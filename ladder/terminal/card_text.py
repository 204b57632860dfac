"""The words of a replay, on the screen and in plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ladder.values.text import counted
from pigpen.rules import Card, Face, MoonChoice, Suit
from pigpen.rules.cards import RANKS
from referee.records.steps import BY_AWAY, BY_FORCED, BY_TAKEOVER, DEFAULT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pigpen.rules import Rules
    from referee.replay.table_view import LastAction, TableView, ViewedSeat

WORTH_A_WORD = 0.005
"""Seconds of work before a bot was asked; less is what a library's own threads may use."""
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


def points(number: int) -> str:
    """Give a number of points with its sign."""
    return f"{number:+d}" if number else "0"


def who(viewed: ViewedSeat) -> str:
    """Name a seat and the bot in it."""
    return f"{viewed.seat} {viewed.bot}"


def exposures(rules: Rules, viewed: ViewedSeat) -> Iterator[str]:
    """Name what a seat has exposed, with what it does to the points."""
    if rules.exposing is None:
        return
    for shown, face in viewed.exposed.items():
        if face is Face.UP:
            yield f"{card(shown)} ×{rules.exposing.face_up}"
        else:
            yield f"{card(shown)} ×{rules.exposing.face_down} (face down)"
    if viewed.hidden:
        yield f"{viewed.hidden} face down"


def happened(rules: Rules, now: TableView, before: TableView | None) -> str:
    """Say what has just happened; *before* is the moment before."""
    if before is None:
        return "The cards are dealt."
    if now.scores is not None:
        return "The deal is over."
    if not now.number:
        return _sealed(rules, now, before)
    if now.last_actions and isinstance(now.last_actions[0].action, MoonChoice):
        return _moon(rules, now, now.last_actions[0])
    if not now.last_actions:
        return "The moon has been shot, and its worth chosen."
    return _played(now, before)


def fault_texts(now: TableView) -> Iterator[str]:
    """Say where the default action stands for a bot's own, and why."""
    for last in now.last_actions:
        name = who(now.seats[last.seat])
        if last.by == BY_TAKEOVER:
            yield f"The default policy plays for {name}."
        elif last.by == BY_AWAY:
            yield f"{name} is away: the default policy plays."
        elif last.by.startswith(DEFAULT):
            yield f"✗ {name}: {last.by}: {last.why}"


def _sealed(rules: Rules, now: TableView, before: TableView) -> str:
    if any(viewed.passed for viewed in now.seats) and not any(viewed.passed for viewed in before.seats):
        return f"All have passed {counted(rules.plan.pass_count, 'card')}."
    shown = [f"{who(viewed)} {', '.join(made)}" for viewed in now.seats if (made := [*exposures(rules, viewed)])]
    return f"Exposed: {'; '.join(shown)}." if shown else "No one exposes a card."


def _time(last: LastAction) -> str:
    """Give the time of a play, and the CPU time that the bot used before it was asked, if it is worth a word."""
    if last.took is None:
        return ""
    if last.by == BY_FORCED:
        return " (forced)"
    unasked = last.unasked or 0.0
    before = f", {unasked * 1000:.1f} ms before it was asked" if unasked > WORTH_A_WORD else ""
    return f" ({last.took * 1000:.1f} ms{before})"


def _played(now: TableView, before: TableView) -> str:
    last = now.trick[-1]
    text = f"{who(now.seats[last.seat])} {'plays' if len(now.trick) > 1 else 'leads'} {card(last.card)}"
    text += _time(now.last_actions[0])
    if now.winner is None:
        return f"{text}."
    gain = now.seats[now.winner].points - before.seats[now.winner].points
    return f"{text}. {who(now.seats[now.winner])} takes the trick: {points(gain)}."


def _moon(rules: Rules, now: TableView, last: LastAction) -> str:
    assert rules.moon is not None
    shooter = who(now.seats[last.seat])
    if last.action is MoonChoice.ADD:
        return f"{shooter} has shot the moon: {points(rules.moon.others)} for everybody else."
    return f"{shooter} has shot the moon: {points(rules.moon.instead or 0)} for itself."
