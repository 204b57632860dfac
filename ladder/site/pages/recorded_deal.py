"""Contents of a recorded deal's page that need no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.records.steps import BY_AWAY, BY_FORCED, BY_TAKEOVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.replay import DealReplayed, ReplayStep, ReplayTrick

SUITS = "SHDC"
RANKS = "AKQJT98765432"
STAND_INS = (BY_TAKEOVER, BY_AWAY)


def deal(shown: DealReplayed) -> dict[str, object]:
    """Prepare a deal for its page."""
    place = shown.place
    return {
        "deal": shown,
        "heading": f"{shown.match} / {place.board} / {place.rotation}",
        "source": f"/api/v1/matches/{shown.match}/boards/{place.board}/rotations/{place.rotation}",
        "back": f"/m/{shown.match}",
        "seats": [_seat(shown, seat) for seat in range(shown.players)],
        "tricks": [_trick(shown, trick) for trick in shown.tricks],
        "notes": list(_notes(shown)),
    }


def _seat(shown: DealReplayed, seat: int) -> dict[str, object]:
    """Give the cards dealt to a seat suit by suit, spades and aces first, and what became of it."""
    last = shown.moments[-1].seats[seat]
    dealt = sorted(shown.hands[seat].split(), key=lambda card: RANKS.index(card[0]))
    return {
        "bot": shown.bots[seat],
        "suits": [[card for card in dealt if card[1] == suit] for suit in SUITS],
        "passed": last.passed,
        "pass_to": shown.bots[(seat + shown.pass_offset) % shown.players],
        "exposed": last.exposed,
        "score": shown.scores[seat],
        "total": shown.totals[seat],
    }


def _trick(shown: DealReplayed, trick: ReplayTrick) -> dict[str, object]:
    """Give the cards of a trick by seat, each with the step after which it lies on the table."""
    cards, end = trick.cards.split(), shown.moments[trick.ends].after or 0
    plays = []
    for seat in range(shown.players):
        place = (seat - trick.leader) % shown.players
        step = end - shown.players + 1 + place
        plays.append({"card": cards[place], "step": step, "led": not place, "wins": seat == trick.winner})
    return {"number": trick.number, "plays": plays, "winner": shown.bots[trick.winner], "points": trick.points}


def _notes(shown: DealReplayed) -> Iterator[dict[str, object]]:
    """Yield faults, moon choices, who was taken over, and each time that a person is away."""
    decided: dict[int, str] = {}
    for step in (step for moment in shown.moments for step in moment.steps):
        if step.why or step.kind == "moon" or (step.by in STAND_INS and step.by != decided.get(step.seat)):
            yield _note(shown, step)
        if step.by != BY_FORCED:
            decided[step.seat] = step.by


def _note(shown: DealReplayed, step: ReplayStep) -> dict[str, object]:
    return {
        "step": step.number,
        "bot": shown.bots[step.seat],
        **step.model_dump(include={"kind", "action", "by", "why"}),
    }
