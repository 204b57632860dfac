"""Text of a person's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.people.commands.screen_state import Page
from ladder.people.seat.points_explained import Reason
from ladder.terminal import card_text as words
from ladder.values.text import counted
from pigpen.rules import MoonChoice, Phase
from referee.replay.table_view import turn_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.people.commands.card_choice import CardChoice
    from ladder.people.commands.screen_state import ScreenState
    from ladder.people.seat.points_explained import PointsPart
    from pigpen.rules import Rules
    from pigpen.values.view import Seen

KEYS = "←→↑↓ card   Enter play   l last trick   t scores   a away   ? help   q leave"
HELP = """\
←  →  ↑  ↓         go through your hand; c d h s jump to a suit
Enter              play the card, or answer; Space and Enter also skip a pause
Space              choose a card to pass or to expose, or take it back
n                  expose none
l                  the last trick
t                  the score sheet
a                  away: the default policy plays for you until b (back)
q  Esc             leave the match; you are asked once

▶ must decide now      › led the trick      * wins it
› before a card of yours: the keys are on it    + it is chosen
[Q] exposed face up, (Q) face down; underlined: just passed to you
dim: may not be played now; go there, and you are told why
Below a hand: the cards taken that count; beside the name: what they are
worth so far.

The only card that you may play is played for you. When your time is up, the
default is played, and you are told; after three times in a row you are away.

Any key goes back to the table."""


def prompt(state: ScreenState) -> str:
    """Say what is wanted now."""
    if state.page is Page.LEAVING:
        return "Leave the match? y: leave it; any other key: stay."
    if not state.is_connected:
        return "The connection is lost; trying again …"
    if state.seen is None:
        return "The cards are being dealt …"
    if state.seen.away:
        return "You are away, and the default policy plays for you.  b: I'm back"
    if state.choice is not None:
        return _question(state.choice, state.seen)
    turn = turn_of(state.seen.view)
    if turn is None or turn == state.seen.view.seat:
        return "…"
    return f"{turn} {state.seen.names[turn]} is to decide …"


def _question(choice: CardChoice, seen: Seen) -> str:
    view = choice.view
    if view.phase is Phase.PASS:
        if len(choice.cards) == view.pass_count:
            return f"Enter passes {words.cards(choice.cards)}. Space takes a card back."
        receiver = f"{view.pass_to} {seen.names[view.pass_to]}"
        return f"Choose {counted(view.pass_count, 'card')} for {receiver}: Enter or Space on each."
    if view.phase is Phase.EXPOSE:
        return "Expose? Space: choose a card; Enter: expose what is chosen; n: expose none."
    if view.phase is Phase.MOON:
        return "You have shot the moon. ←→ and Enter choose what it is worth."
    return "You lead." if not view.trick else "Your turn."


def moon_options(rules: Rules) -> dict[MoonChoice, str]:
    """Describe the two ways to count a shot moon."""
    assert rules.moon is not None
    return {
        MoonChoice.SUBTRACT: f"{words.points(rules.moon.instead or 0)} for you",
        MoonChoice.ADD: f"{words.points(rules.moon.others)} for everybody else",
    }


def part_text(rules: Rules, part: PointsPart) -> str:
    """Put a part of a seat's points into words; an empty text where it is worth no word."""
    score = words.points(part.points)
    name = words.card(part.card) if part.card is not None else ""
    times = f" (×{part.factor})" if part.factor != 1 else ""
    moon = " and ".join(words.spelled(each) for each in rules.moon.cards) if rules.moon else ""
    texts = {
        Reason.CARD: f"{name} {score}{times}" if part.points else "",
        Reason.ALONE: f"{name} alone {score}{times}" if part.points else "",
        Reason.DOUBLER: f"{name} ×{part.factor}: {score}",
        Reason.MOON_CARDS: f"moon: all {moon}, {score}",
        Reason.MOON_PIG: f"{name} with the moon {score}",
        Reason.MOON_INSTEAD: f"for the moon {score}",
        Reason.MOON_OTHERS: f"another's moon {score}{times}",
        Reason.PARTNER: f"partner {score}",
    }
    return texts[part.reason]


def place_text(place: int, names: Sequence[str], *, has_tables: bool) -> str:
    """Say how the match, or one of its tables, ended for the person."""
    ordinal = {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")
    return f"The {'table' if has_tables else 'match'} is over: you are {ordinal} of {len(names)}."
