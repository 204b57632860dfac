"""What a bot does otherwise than a recorded one: the table a person reads, and the same as JSON."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladder.cli.replay_words import cards, compact, folded, points, spelled
from ladder.cli.result_table import print_log
from ladder.cli.sanitize import json_line
from pigpen.rules import Phase
from referee.match.player import BY_BOT, DEFAULT

if TYPE_CHECKING:
    from ladder.matches.rerun import Rerun
    from referee.replay.rerun import Answer

HEADINGS = ("deal", "at", "on the table", "may choose", "then", "now", "points", "ms")
RIGHT = ("points", "ms")
WRAPPED = ("deal", "on the table", "may choose")
_PHASES = {Phase.PASS: "pass", Phase.EXPOSE: "expose", Phase.MOON: "moon"}


def print_rerun(name: str, bot: str, done: Rerun, most: int, console: Console | None = None) -> None:
    """Print a row for each decision that differs, at *most* so many, then what went wrong, then how many there are."""
    console = console or Console()
    shown = done.different[:most]
    if shown:
        title = folded(f"What {bot} does otherwise than {name}", console.encoding)
        console.print(_table(title, shown, console.encoding))
        console.print("points: what the trick brought then; ms: what the decision takes now", style="dim")
    if len(shown) < len(done.different):
        console.print(f"… and {len(done.different) - len(shown)} more: see them with a higher --limit-list.")
    for answer in shown:
        if answer.verdict:
            reason = f"✗ {answer.line.name}, {_at(answer)}: {answer.verdict}: {answer.why}"
            console.print(folded(reason, console.encoding), markup=False, highlight=False, soft_wrap=True)
    print_log(console, done.output)
    console.print(_summary(done), highlight=False, soft_wrap=True)


def print_json(name: str, bot: str, done: Rerun, most: int) -> None:
    """Print everything as one JSON object; times in milliseconds."""
    found = {
        "recorded": name,
        "bot": bot,
        "decisions": len(done.answers),
        "differ": len(done.different),
        "at_fault": _faults(done),
        "untried": done.untried,
        "differences": [_plain(answer) for answer in done.different[:most]],
        "output": done.output,
    }
    typer.echo(json_line(found))


def _table(title: str, answers: tuple[Answer, ...], encoding: str) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for heading in HEADINGS:
        table.add_column(
            heading,
            justify="right" if heading in RIGHT else "left",
            min_width=8 if heading == "deal" else None,
            no_wrap=heading not in WRAPPED,
        )
    for line, group in groupby(answers, key=lambda answer: answer.line):
        for place, answer in enumerate(group):
            cells = ("" if place else line.name, *_cells(answer))
            table.add_row(*(Text(folded(cell, encoding)) for cell in cells))
        table.add_section()
    return table


def _cells(answer: Answer) -> tuple[str, ...]:
    by = "" if answer.step.by == BY_BOT else f" ({answer.step.by.removeprefix(DEFAULT)})"
    return (
        _at(answer),
        cards(play.card for play in answer.view.trick),
        compact(answer.view.legal),
        f"{spelled(answer.then)}{by}",
        f"{spelled(answer.now)} ({answer.verdict})" if answer.verdict else spelled(answer.now),
        "" if answer.trick_points is None else points(answer.trick_points),
        f"{answer.took_now * 1000:.2f}",
    )


def _at(answer: Answer) -> str:
    return _PHASES.get(answer.view.phase) or f"trick {len(answer.view.tricks) + 1}"


def _faults(done: Rerun) -> int:
    return sum(bool(answer.verdict) for answer in done.answers)


def _summary(done: Rerun) -> str:
    faults = f", {_faults(done)} of them at fault" if _faults(done) else ""
    untried = f" {done.untried} were not put: the bot had ended too often." if done.untried else ""
    return f"{len(done.answers)} decisions, {len(done.different)} differ{faults}.{untried}"


def _plain(answer: Answer) -> dict[str, object]:
    line, view = answer.line, answer.view
    return {
        "deal": line.deal,
        "board": line.board,
        "rotation": line.rotation,
        "seat": view.seat,
        "decision": view.decision,
        "at": _at(answer),
        "hand": list(map(str, view.hand)),
        "on_the_table": [str(play.card) for play in view.trick],
        "may_choose": list(map(str, view.legal)),
        "then": answer.then,
        "by": answer.step.by,
        "now": answer.now,
        "verdict": answer.verdict,
        "why": answer.why,
        "trick_points": answer.trick_points,
        "then_ms": round(answer.took * 1000, 3),
        "now_ms": round(answer.took_now * 1000, 3),
    }
