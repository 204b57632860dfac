"""`pigpen why`: the worth of the choices of a decision, and the costliest decisions of a bot, as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.errors import UserError
from ladder.terminal.card_text import cards, spelled, suits
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import BoardOption, DealOption, LocalOption, RotationOption, source_of
from ladder.terminal.ladder_words import cell, plain_table, say
from ladder.terminal.progress_bar import progress
from ladder.values.text import counted
from ladder.values.why import compared
from pigpen.rules import Card
from referee.records.steps import BY_BOT, DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.why import Choice, Costliest, Reason, Why

LEGEND = (
    "points: mean score of the seat in the deal, ± standard error",
    "behind: points less than the best choice, all seats' scores taken into account, ± at 95 %",
    "reasons: parts of the difference, by counts over the deals in which both choices were tried",
    "as dealt: mean score with the cards as they really lay; this is hindsight, not part of the estimate",
)
HOW = {"tree": "by tree search", "playouts": "by playouts"}


def print_why(found: Why, console: Console) -> None:
    """Print what the seat knew, a row for each choice, and what the decision cost."""
    say(console, f"{found.place}, step {found.step}: {found.bot}, {found.at}", "bold")
    for what, value in _facts(found):
        say(console, f"  {what:<14}{value}")
    console.print()
    numbers = ("points", "behind", "as dealt")
    table = plain_table("", "choice", *numbers, "house bots", right=numbers, wrapped=("choice", "house bots"))
    for choice in found.choices:
        style = "bold" if choice.chosen else "dim" if choice.is_unsure else ""
        table.add_row(*(cell(console, text, style) for text in _row(choice)))
    console.print(table)
    if len(found.choices) < found.legal:
        say(console, f"… and {found.legal - len(found.choices)} more, which did worse in a first look.")
    say(console, _verdict(found))
    for text in _reasons(found):
        say(console, text)
    for line in (*LEGEND, found.opinion):
        say(console, line, "dim")


def print_costliest(found: Costliest, console: Console) -> None:
    """Print a row for each of the costliest decisions, and the command that shows more of it."""
    if found.costliest:
        say(console, f"The costliest decisions of {found.bot}", "bold")
        numbers = ("step", "cost")
        table = plain_table("deal", "step", "at", "did", "best", "cost", "house bots", right=numbers,
                            wrapped=("deal", "did", "best", "house bots"))  # fmt: skip
        for one in found.costliest:
            best = one.choices[0]
            texts = (
                one.place,
                str(one.step),
                one.at,
                _done(one),
                spelled(best.choice),
                _with_error(one.cost, one.cost_error),
                ", ".join(best.house),
            )
            table.add_row(*(cell(console, text) for text in texts))
        console.print(table)
        say(console, "cost: points, ± at 95 %. house bots: those that choose what is best here.", "dim")
        for one in found.costliest:
            say(console, f"{one.place}, step {one.step}: {one.rerun}", "dim")
    left_out = counted(found.not_estimated, "has", "have")
    left_out = f" {left_out} too many choices to estimate." if found.not_estimated else ""
    clean = "" if found.costliest else ", none of which cost more than its ±"
    say(console, f"{counted(found.decisions, 'decision')} with a choice{clean}.{left_out}")
    say(console, found.opinion, "dim")


def _facts(found: Why) -> Iterator[tuple[str, str]]:
    yield "variant", f"{found.rules}: {'low' if found.low_is_better else 'high'} scores are better"
    yield "hand", suits([Card.parse(name) for name in found.hand]) or "no card left"
    if found.on_the_table:
        yield "on the table", cards(map(Card.parse, found.on_the_table))
    yield (
        "tried",
        f"{found.legal} legal choices, in {found.deals:,} deals that fit what the seat knew, {HOW[found.search]}",
    )


def _row(choice: Choice) -> tuple[str, ...]:
    return (
        "→" if choice.chosen else "",
        spelled(choice.choice),
        f"{choice.points:z.2f} ± {choice.points_error:.2f}",
        _with_error(choice.behind, choice.behind_error) if choice.behind or choice.behind_error else "best",
        f"{choice.as_dealt:z.2f}",
        ", ".join(choice.house),
    )


def _verdict(found: Why) -> str:
    if not found.cost:
        text = f"→ {_done(found)} was the best choice by this estimate"
    else:
        sure = "" if found.cost > found.cost_error else ", which is less than the error"
        text = f"→ {_done(found)} cost {_with_error(found.cost, found.cost_error)} points{sure}"
    return f"{text}. The deal brought the seat {found.scored}."


def _reasons(found: Why) -> Iterator[str]:
    """Say why the choice that was made, or the next one that is clearly worse, is behind the best one."""
    best, other = found.choices[0], compared(found.choices, found.chosen)
    if other is None:
        return
    named = spelled(best.choice), spelled(other.choice)
    who = f"{found.bot}'s side" if found.partners else found.bot
    yield f"{named[0]} is {_with_error(other.behind, other.behind_error)} points better than {named[1]}:"
    for reason in other.reasons:
        points = "" if reason.points is None else f"{reason.points:+.2f}"
        yield f"  {points:>8}  {reason_text(reason, who, *named)}"


def reason_text(reason: Reason, who: str, best: str, other: str) -> str:
    """
    Put a reason into words.

    >>> from ladder.values.why import Reason
    >>> reason_text(Reason(kind="card", cards=("QS",), after=0.62, after_best=0.11, points=6.6), "Trotter", "4♥", "J♥")
    'Q♠ goes to Trotter in 62 % of the deals after J♥, in 11 % after 4♥'

    Args:
        reason: The reason.
        who: The seat, or its side.
        best: The best choice, as it is written.
        other: The other choice.
    """
    named = reason.suit or spelled(" ".join(reason.cards))
    if reason.without:
        named += f" without {spelled(reason.without)}"
    if reason.kind == "void":
        void, kept = (other, best) if reason.after else (best, other)
        return f"{void} leaves no {named} in the hand, {kept} does not"
    if reason.kind == "points":
        return f"points of {named} for {who}: {reason.after:z.1f} after {other}, {reason.after_best:z.1f} after {best}"
    text = {
        "card": f"{named} goes to {who}",
        "doubler": f"{named}, which multiplies, goes to {who}",
        "moon": f"{who} shoots the moon",
        "other_moon": "another seat shoots the moon",
        "trick": f"the trick goes to {who}",
    }[reason.kind]
    after, after_best = (f"{100 * share:.0f} %" for share in (reason.after, reason.after_best))
    # In the sampled deals the others seldom prevent a moon: see docs/why.md.
    unsure = ", if no other seat prevents it" if reason.kind == "moon" else ""
    return f"{text} in {after} of the deals after {other}, in {after_best} after {best}{unsure}"


def _done(found: Why) -> str:
    by = "" if found.by == BY_BOT else f" ({found.by.removeprefix(DEFAULT)})"
    return f"{spelled(found.chosen)}{by}"


def _with_error(value: float, error: float) -> str:
    return f"{value:.2f} ± {error:.2f}"


def why(
    record: Annotated[
        Path,
        typer.Argument(
            help="The record of a match, finished or not; the number of a match of the ladder; or - for stdin."
        ),
    ],
    bot: Annotated[str | None, typer.Argument(metavar="[BOT]", help="The bot in it, by its name or number.")] = None,
    deal: DealOption = None,
    board: BoardOption = None,
    rotation: RotationOption = None,
    step: Annotated[int | None, typer.Option(min=1, help="Step N of the deal, counted from 1.")] = None,
    worst: Annotated[
        int, typer.Option(min=1, max=50, help="Without --step: list the N costliest decisions of BOT.")
    ] = 5,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Estimate the value of each choice of a decision, or list the costliest decisions of a bot.

    The estimate is a model's opinion: it samples deals that fit what the seat knew. Cards are judged by a tree search,
    passes and exposures by playing the deals to their end with a simple policy. The same question gives the same
    answer. docs/why.md says how far you can trust it.

    Examples:
        pigpen why 17 Trotter

        pigpen why 17 --board 3 --rotation 1 --step 25

        pigpen why match.jsonl mybot --worst 10 --json
    """
    from ladder.app.local.why import Where, costliest_in_record, why_in_record  # what simulates takes time to import

    source, where = source_of(record, local), Where(deal, board, rotation)
    if step is not None:
        found = why_in_record(source, step, where, bot)
        if as_json:
            print_json(found)
        else:
            print_why(found, Console())
        return
    if bot is None:
        raise UserError("Name a bot to see its costliest decisions, or one decision with --step.")
    with progress("deals", None) as advance:
        costliest = costliest_in_record(source, bot, worst, where, advance)
    if as_json:
        print_json(costliest)
    else:
        print_costliest(costliest, Console())
