"""`pigpen duel`: how good is a bot against another one, and both of them against anchors?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ladder.cli.play.compare import interval_text, shown_meanwhile
from ladder.errors import SandboxError
from ladder.terminal.interrupts import Stopped
from ladder.terminal.json_output import print_json
from ladder.terminal.options import (
    DEFAULT_CLOCK_TEXT,
    ClockOption,
    ConcurrencyOption,
    FreshOption,
    LimitOption,
    RulesOption,
    RuntimeOption,
    SandboxOption,
    SeedOption,
    opened_sandbox,
    setup_of,
)
from ladder.terminal.running import run
from ladder.terminal.sanitize import in_markup
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.text import counted
from referee.match.formats import DEFAULT_CLOCK

if TYPE_CHECKING:
    from ladder.values.local_results import DuelResult, DuelRow
    from pigpen.rules import Rules


def duel(
    one: Annotated[
        str, typer.Argument(help="The bot: a sample bot's name, a folder, an image, or cmd: and a command.")
    ],
    other: Annotated[str, typer.Argument(help="The other bot, named in the same way.")],
    anchors: Annotated[
        str, typer.Option(help="Bots of known strength that both play against, too, separated by commas.")
    ] = "",
    rules: RulesOption = "gongzhu",
    boards: Annotated[
        int, typer.Option(min=2, help="Number of boards of each duel; the maximum, if it may end early.")
    ] = 100,
    alone: Annotated[
        bool, typer.Option("--alone", help="One seat for the first bot, all others for the second.")
    ] = False,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="End a duel as soon as one bot is shown to be better.")
    ] = False,
    seed: SeedOption = "",
    sandbox: SandboxOption = SandboxKind.DOCKER,
    clock: ClockOption = DEFAULT_CLOCK_TEXT,
    limit: LimitOption = DEFAULT_CLOCK.limit,
    concurrency: ConcurrencyOption = None,
    runtime: RuntimeOption = "runc",
    fresh: FreshOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """
    Measure by how many points a deal a bot is better than another one.

    Only these two sit at the table, each in every other seat. Every board is played from every seat, so both hold the
    same cards, and the mean of a board is one observation. With --anchors each of them also plays against each anchor,
    on the same boards. With --until-decided a duel ends when the 95 % interval, which holds at any time, excludes 0.

    The part of the boards won counts seat against seat, a tie as half. Elo is the difference for which a ladder expects
    that part. The ± are one standard error.
    The exit code is 0, also if the first bot is worse.

    Examples:
        pigpen duel ./mybot ./mybot-old

        pigpen duel ./mybot counting --anchors random,uct,tree --rules hearts --boards 200

        pigpen duel ./mybot counting --alone --until-decided --boards 2000 --sandbox inline --json
    """
    from ladder.app.local.duel import DuelRequest, plan_duels, play_duels

    asked = DuelRequest(
        one=one, other=other, anchors=anchors, rules=rules, boards=boards, alone=alone, until_decided=until_decided,
        seed=seed, clock=clock, limit=limit,
    )  # fmt: skip
    plan, sources = plan_duels(asked)
    seen: list[DuelResult] = []
    with shown_meanwhile() as show:

        def look(found: DuelResult) -> None:
            seen[:] = [found]
            show(_so_far(found.duels[-1]))

        opened = opened_sandbox(setup_of(sandbox, runtime, fresh=fresh))
        try:
            found = run(play_duels(plan, sources, opened, look, concurrency), blocks=sandbox is SandboxKind.INLINE)
        except (Stopped, SandboxError):
            for so_far in seen:
                _show(plan.rules, so_far, as_json)
            raise
    _show(plan.rules, found, as_json)


def _so_far(row: DuelRow) -> str:
    return f"{row.one} against {row.other}, {counted(row.boards, 'board')}: {_points(row)} a deal"


def _points(row: DuelRow) -> str:
    return f"{row.difference:+.2f} ± {row.standard_error:.2f}"


def _show(rules: Rules, found: DuelResult, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        _print(rules, found)


def _print(rules: Rules, found: DuelResult) -> None:
    console = Console()
    seats = "one seat against all others" if found.alone else "every other seat each"
    title = f"{in_markup(rules.title)}, {seats}; more points are better"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for heading in ("bot", "against"):
        table.add_column(heading)
    for heading in ("boards", "points per deal", "95 %", "won", "Elo"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in found.duels:
        elo = "–" if row.elo is None or row.elo_error is None else f"{row.elo:+.0f} ± {row.elo_error:.0f}"
        interval = interval_text(row.interval) if row.interval else "–"
        table.add_row(
            in_markup(row.one), in_markup(row.other), str(row.boards), _points(row), interval, f"{row.won:.0%}", elo
        )
    console.print(table)
    if any(row.interval is None for row in found.duels):
        console.print(f"An interval is {interval_text(None)}.")
    for row in found.duels:
        for name, faults in ((row.one, row.faults["one"]), (row.other, row.faults["other"])):
            if faults:
                pair = f"{in_markup(row.one)} and {in_markup(row.other)}"
                console.print(f"{in_markup(name)}: {counted(faults, 'fault')} in the duel of {pair}.")
    console.print(f"seed {found.seed}", style="dim", soft_wrap=True)
