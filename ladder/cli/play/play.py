"""`pigpen play`: a match on this machine, with the referee and the sandbox of the ladder, and its result as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from ladder.cli.results.logs_text import print_rotations
from ladder.errors import EngineApart, UserError
from ladder.people.commands.person_here import person_here
from ladder.sandbox.excerpt import advice, excerpt, likeness, without_changing
from ladder.terminal.json_output import print_json
from ladder.terminal.options import (
    DEFAULT_CLOCK_TEXT,
    MAX_LIMIT,
    PACE,
    ClockOption,
    ConcurrencyOption,
    FreshOption,
    LimitOption,
    RulesOption,
    RuntimeOption,
    SandboxOption,
    SeedOption,
    opened_sandbox,
    say,
    say_what_is_not_read,
    setup_of,
)
from ladder.terminal.progress_bar import progress
from ladder.terminal.running import run
from ladder.terminal.sanitize import in_markup, sanitize
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.text import counted
from referee.match.formats import DEFAULT_CLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.local_results import PlayedBot, PlayedMatch
    from referee.match.formats import MatchSpec

MAX_FAULTS = 10
"""Faults that are printed of one bot; the JSON has all."""


def print_result(spec: MatchSpec, found: PlayedMatch, console: Console | None = None, *, output: bool = False) -> None:
    """Print the table, best bot first, and the faults of each bot; with *output* all that bots printed, too."""
    console = console or Console()
    better = "low" if spec.rules.low_is_better else "high"
    title = f"{in_markup(spec.rules.title)}: {_length(spec, found.deals)} ({better} is better)"
    table = Table(title=title, title_justify="left")
    for heading in ("place", "bot", "points/deal", "total", "faults", "median ms", "worst ms"):
        table.add_column(heading, justify="left" if heading == "bot" else "right")
    for row in sorted(found.results, key=lambda row: (row.place, row.seat)):
        table.add_row(*_cells(row))
    console.print(table)
    console.print(f"seed {found.seed}", style="dim", soft_wrap=True)
    for row in found.results:
        if row.faults:
            _print_faults(console, row)
    for row in found.results if output else ():
        printed = "printed:" if row.rotations else "printed nothing."
        console.print(f"\n[bold]{in_markup(row.bot)}[/bold] (seat {row.seat}) {printed}")
        print_rotations(console, row.rotations)


def _length(spec: MatchSpec, deals: int) -> str:
    count = counted(deals, "deal")
    if spec.format.boards is None:
        return count
    return f"{counted(spec.format.boards, 'board')}, {count}"


def _points(row: PlayedBot) -> str:
    error = "" if row.standard_error is None else f" ± {row.standard_error:.2f}"
    return f"{row.points_per_deal:z.2f}{error}"


def _cells(row: PlayedBot) -> tuple[str, ...]:
    return (
        str(row.place),
        in_markup(row.bot),
        _points(row),
        f"{row.total}",
        f"{row.faults} (taken over)" if row.taken_over else str(row.faults),
        f"{row.think_ms['median']:.2f}",
        f"{row.think_ms['worst']:.2f}",
    )


def _print_faults(console: Console, row: PlayedBot) -> None:
    """Print the faults of one bot; of those that are alike the first one, and what the bot printed in that rotation."""
    console.print(f"\n[bold]{in_markup(row.bot)}[/bold] (seat {row.seat}) was at fault:")
    shown: set[tuple[str, str]] = set()
    logs: set[str] = set()
    for log in row.rotations:
        like = likeness(log.printed)
        before = len(shown)
        for fault in log.faults:
            key = (without_changing(f"{fault.verdict}: {fault.why}"), "" if fault.exit_code is None else like)
            if key not in shown and len(shown) < MAX_FAULTS:
                shown.add(key)
                console.print(sanitize(f"  {fault}"), markup=False, highlight=False)
        if len(shown) > before and like not in logs:
            logs.add(like)
            print_log(console, log.printed)
    if row.faults > len(shown):
        alike = "like these" if len(shown) < MAX_FAULTS else "of these and other kinds"
        console.print(f"  … and {row.faults - len(shown)} more {alike}; --json has all.", highlight=False)


def print_log(console: Console, log: str) -> None:
    """Print beginning and end of what a bot wrote, if it wrote anything, and what may help."""
    lines = excerpt(log)
    if lines:
        console.print("  Its output:")
        for text in lines:
            console.print(f"    {sanitize(text.expandtabs())}", markup=False, highlight=False, soft_wrap=True)
    if text := advice(log):
        console.print(f"  {sanitize(text)}", markup=False, highlight=False, soft_wrap=True)


def print_reasons(console: Console, reasons: Iterable[tuple[str, str]]) -> None:
    """
    Say what failed, with the bot's output where that is not the same as before.

    Args:
        console: Where to.
        reasons: For each failure a sentence, and the output.
    """
    shown = {""}
    for sentence, output in reasons:
        console.print(sanitize(f"✗ {sentence}"), markup=False, highlight=False, soft_wrap=True)
        if (like := likeness(output)) not in shown:
            shown.add(like)
            print_log(console, output)


def play(
    context: typer.Context,
    bots: Annotated[
        list[str],
        typer.Argument(
            help="For each seat a sample bot's name, a folder, an image, or cmd: and a command line (lines: for a "
            "program that reads and writes lines); human for yourself, listen for a program that you start yourself."
        ),
    ],
    rules: RulesOption = "gongzhu",
    boards: Annotated[
        int | None, typer.Option(min=1, help="Play N boards, each from every seat (the default, with 16).")
    ] = None,
    deals: Annotated[int | None, typer.Option(min=1, help="Play N deals, each once: no bot changes its seat.")] = None,
    game: Annotated[bool, typer.Option("--game", help="Play a whole game, to the end that the rules define.")] = False,
    seed: SeedOption = "",
    sandbox: SandboxOption = SandboxKind.DOCKER,
    clock: ClockOption = DEFAULT_CLOCK_TEXT,
    limit: LimitOption = DEFAULT_CLOCK.limit,
    no_clock: Annotated[
        bool, typer.Option("--no-clock", help="Let bots think as long as they want, for example in a debugger.")
    ] = False,
    human_limit: Annotated[
        float | None,
        typer.Option(
            min=1.0, max=MAX_LIMIT, help="Maximum seconds for one decision of a person. By default: no limit."
        ),
    ] = None,
    pace: Annotated[
        float, typer.Option(min=0.0, max=10.0, help="Seconds that a person sees each card before the next one.")
    ] = PACE,
    record: Annotated[
        Path | None, typer.Option(help="Write the match to this file: JSON Lines, compressed if its name ends in .gz.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Resume the interrupted match in this record, with the same bots.")
    ] = None,
    concurrency: ConcurrencyOption = None,
    runtime: RuntimeOption = "runc",
    fresh: FreshOption = False,
    output: Annotated[bool, typer.Option("--output", help="Show what each bot printed, rotation by rotation.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """
    Let bots play a match on this machine, and show the result.

    A board is a deal that is played several times, each time with the bots in other seats (a rotation), so that every
    bot plays every hand. New instances of the bots play each rotation. With a person (`human`) the default is --game.

    A program named by cmd: plays without a sandbox, in the current folder. For listen the referee writes the address
    and the token of a seat into the file seat.env, and waits without a clock until you have started your program with
    them.

    Examples:
        pigpen play random cautious counting ./mybot

        pigpen play random cautious counting ./mybot --rules hearts --boards 64 --seed 7

        pigpen play ./mybot random cautious counting --deals 1 --output

        pigpen play ./mybot counting --rules gongzhu-partners --game --record match.jsonl

        pigpen play ./mybot counting --resume match.jsonl

        pigpen play human random cautious counting --rules hearts

        pigpen play "cmd:./build/bot" random cautious counting --deals 4 --no-clock

        pigpen play listen random cautious counting
    """
    from ladder.app.local.match_plan import MatchRequest, new_match, resumed_match
    from ladder.app.local.play import play_apart, play_match

    if no_clock and (given := next((name for name in ("clock", "limit") if _is_given(context, name)), None)):
        raise UserError(f"--no-clock and --{given} exclude each other: choose one.")
    if resume:
        _leave_to_the_record(context)
        plan = resumed_match(resume, bots, seed)
    else:
        asked = MatchRequest(
            bots=tuple(bots), rules=rules, boards=boards, deals=deals, game=game,
            seed=seed, clock=clock, limit=limit, no_clock=no_clock, record=record, human_limit=human_limit,
        )  # fmt: skip
        plan = new_match(asked)
    say_what_is_not_read(plan.sources)
    person = person_here(pace) if plan.spec.people else None
    opened = opened_sandbox(setup_of(sandbox, runtime, fresh=fresh))
    if person:
        found = run(person.play(plan, opened))
    else:
        shown = progress("deals", plan.deals, plan.deals_done)
        is_apart = False
        try:
            found = run(play_match(plan, opened, shown, say, concurrency), blocks=sandbox is SandboxKind.INLINE)
        except EngineApart:
            is_apart = True
        if is_apart:
            found = run(play_apart(plan, rules, _words_of(context), say))
    if as_json:
        print_json(found)
    else:
        print_result(plan.spec, found, output=output and sandbox is not SandboxKind.INLINE)


def _words_of(context: typer.Context) -> tuple[str, ...]:
    """Give the options that say how a match is played, as they would be typed."""
    words = []
    for name in ("boards", "deals", "game", "clock", "limit", "no_clock", "concurrency", "runtime", "fresh"):
        option = f"--{name.replace('_', '-')}"
        match context.params[name]:
            case None | False:
                pass
            case True:
                words.append(option)
            case value:
                words += [option, str(value)]
    return tuple(words)


def _is_given(context: typer.Context, name: str) -> bool:
    """True if an option was typed."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _leave_to_the_record(context: typer.Context) -> None:
    """Refuse what the record of an interrupted match says itself."""
    for name in ("rules", "boards", "deals", "game", "clock", "limit", "no_clock", "record", "human_limit"):
        if _is_given(context, name):
            option = name.replace("_", "-")
            raise UserError(
                f"--resume and --{option} exclude each other: the record says what is played. Leave it out."
            )
