"""`pigpen event`: what an organiser can do with an event before it is held; the rest is in `holding`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.event import holding
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from ladder.events.advice import Pace

event = typer.Typer(
    name="event",
    help="Describe an event in a file, check and simulate it; hold it on a ladder; verify how it was held.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
FileArgument = Annotated[Path, typer.Argument(help="The event's file.")]
EntrantsOption = Annotated[
    Path | None,
    typer.Option("--entrants", help="CSV with the columns name, owner and, if known, rating, in order of entry."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", min=1, max=10_000, help="Tables that play at once. By default one for each core for bots."
    ),
]
SecondsOption = Annotated[
    float,
    typer.Option("--deal-seconds", min=0.001, max=100_000, help="Seconds of one deal. Bots that answer at once: 0.12."),
]
StartOption = Annotated[
    float | None,
    typer.Option(
        "--start-seconds", min=0, max=100_000, help="Seconds in which a table starts and ends. By default 0.11 a bot."
    ),
]
DEALS = 2560
"""Of a new event, by default."""


@event.callback()
def _event() -> None:
    """Describe an event in a file, check and simulate it; hold it on a ladder; verify how it was held."""


@event.command()
def new(
    file: FileArgument,
    variant: Annotated[str, typer.Option(help="A preset (see: pigpen rules), or a TOML file beside FILE.")] = "gongzhu",
    entrants: Annotated[int, typer.Option(min=2, help="The most bots that may enter.")] = 16,
    deals: Annotated[int, typer.Option(min=8, max=10_000_000, help="Deals of the whole event, about.")] = DEALS,
) -> None:
    """
    Write the file of an event, in the format that is recommended for its size.

    Examples:
        pigpen event new cup.toml --variant hearts-jack --entrants 16
    """
    from ladder.app.event.organising import new_event

    new_event(file, variant, entrants, deals)
    typer.echo(sanitize(f"Wrote {file}. Change it, then check it with: pigpen event check {file}"))


@event.command()
def check(
    file: FileArgument,
    workers: WorkersOption = None,
    deal_seconds: SecondsOption = 0.12,
    start_seconds: StartOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Say what is wrong or unwise about an event's file, and what the event is with few and with many entrants.

    The exit code is 2 if something is wrong; what is unwise is only a remark. Notes name the numbers of entrants with
    which a stage is not what it is with others: where some meet twice, or fewer play than the file says.

    Examples:
        pigpen event check cup.toml

        pigpen event check cup.toml --workers 16 --deal-seconds 0.5 --start-seconds 1
    """
    from ladder.app.event.organising import check_event

    found = check_event(file, _pace(workers, deal_seconds, start_seconds))
    if as_json:
        print_json(found)
    else:
        from ladder.cli.event.event_tables import print_check

        print_check(found)
    if found.wrong:
        raise typer.Exit(2)


@event.command()
def draw(
    file: Annotated[str, typer.Argument(metavar="EVENT|FILE", help="An event of the ladder; or a file, with --seed.")],
    entrants: EntrantsOption = None,
    seed: Annotated[str, typer.Option(help="The seed of the event of FILE: any text, or 64 hex digits.")] = "",
    results: Annotated[Path | None, typer.Option(help="The rounds so far, as JSON (docs/events.md).")] = None,
    left: Annotated[
        list[str] | None,
        typer.Option(help="NAME:N: this bot left after N rounds of the event; a stand-in replaces it."),
    ] = None,
    corrected: Annotated[
        bool,
        typer.Option(
            "--corrected", help="A result was corrected later: take tables that were drawn from what it was before."
        ),
    ] = False,
    beacon: Annotated[
        str,
        typer.Option(
            help="Text that no one knew before the list of entrants was final, such as the value of a beacon."
        ),
    ] = "",
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Draw the next round of an event of the ladder now; or that of a file, without a ladder.

    On the ladder, rounds are drawn by themselves while the event runs. This draws one while it is paused, or before
    its time. Without a ladder, the same file, list of entrants, seed and results always give the same tables; with
    the results of all rounds, the places are shown.

    Examples:
        pigpen event draw cup

        pigpen event draw cup.toml --entrants entrants.csv --seed "tonight"

        pigpen event draw cup.toml --entrants entrants.csv --seed "tonight" --results rounds.json
    """
    if entrants is None:
        from ladder.cli.event.holding import draw_on_ladder

        if seed or results or left or corrected or beacon:
            raise UserError("A draw from a file needs the list of its entrants, too: --entrants FILE")
        draw_on_ladder(file, as_json, local)
        return
    if not seed:
        raise UserError("A draw from a file needs the event's seed: --seed TEXT")
    if corrected and results is None:
        raise UserError("--corrected is about results; give them with --results FILE")
    from ladder.app.event.organising import draw_round

    found = draw_round(Path(file), entrants, seed, results, left or (), corrected=corrected, beacon=beacon)
    if as_json:
        print_json(found)
    else:
        from ladder.cli.event.event_tables import print_draw

        print_draw(found)


@event.command()
def simulate(
    file: FileArgument,
    compare: Annotated[
        list[Path] | None, typer.Option(help="Another event's file; may be given several times.")
    ] = None,
    entrants: Annotated[
        str | None, typer.Option(help="How many, or CSV with name, owner and rating. By default: the most allowed.")
    ] = None,
    events: Annotated[int, typer.Option(min=10, max=1_000_000, help="Number of events to simulate.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same figures.")] = 1,
    workers: WorkersOption = None,
    deal_seconds: SecondsOption = 0.12,
    start_seconds: StartOption = None,
    as_json: JsonOption = False,
) -> None:
    """
    Simulate an event: how likely the best bot wins, and how many hours it takes.

    Strengths are drawn (normal, with a standard deviation of 200 Elo), or are the ratings of a list of entrants; then
    the chances of each are shown, too. The recommended format with as many deals is simulated with the same strengths.

    Examples:
        pigpen event simulate cup.toml --entrants 16

        pigpen event simulate cup.toml --compare other.toml --events 10000

        pigpen event simulate cup.toml --entrants entrants.csv --workers 8 --deal-seconds 0.5
    """
    from ladder.app.event.organising import simulate_events

    count = int(entrants) if entrants and entrants.isascii() and entrants.isdigit() and len(entrants) < 7 else None
    listed = Path(entrants) if entrants and count is None else None
    found = simulate_events(
        [file, *(compare or ())], count or listed, events, seed, _pace(workers, deal_seconds, start_seconds)
    )
    if as_json:
        print_json(found)
    else:
        from ladder.cli.event.event_tables import print_simulation

        print_simulation(found)


def _pace(workers: int | None, seconds: float, start: float | None) -> Pace:
    from ladder.events.advice import Pace
    from ladder.sandbox.host.machine import bot_cores

    return Pace(workers or len(bot_cores()), seconds, start)


for name, each in holding.COMMANDS.items():
    event.command(name)(each)
