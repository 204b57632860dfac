"""`pigpen play`: a match on this machine, with the referee and the sandbox of the ladder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.play.result_table import print_result
from ladder.errors import EngineApart, UserError
from ladder.people.commands.person_here import person_here
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
    setup_of,
)
from ladder.terminal.progress import progress
from ladder.terminal.running import run
from ladder.terminal.sandboxes import opened_sandbox, say, say_what_is_not_read
from ladder.values.sandbox_kind import SandboxKind
from referee.match.formats import DEFAULT_CLOCK, PERSON_SECONDS


def play(
    context: typer.Context,
    bots: Annotated[
        list[str], typer.Argument(help="A sample bot's name, a folder or an image, one for each seat; or: human.")
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
    human_limit: Annotated[
        float, typer.Option(min=1.0, max=MAX_LIMIT, help="Maximum seconds for one decision of a person.")
    ] = PERSON_SECONDS,
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

    Examples:
        pigpen play random cautious counting ./mybot

        pigpen play random cautious counting ./mybot --rules hearts --boards 64 --seed 7

        pigpen play ./mybot random cautious counting --deals 1 --output

        pigpen play ./mybot counting --rules gongzhu-partners --game --record match.jsonl

        pigpen play ./mybot counting --resume match.jsonl

        pigpen play human random cautious counting --rules hearts
    """
    from ladder.app.local.match_plan import MatchRequest, new_match, resumed_match
    from ladder.app.local.play import play_match
    from ladder.app.local.play_apart import play_apart

    if resume:
        _leave_to_the_record(context)
        plan = resumed_match(resume, bots, seed)
    else:
        asked = MatchRequest(
            bots=tuple(bots), rules=rules, boards=boards, deals=deals, game=game,
            seed=seed, clock=clock, limit=limit, record=record, human_limit=human_limit,
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
    for name in ("boards", "deals", "game", "clock", "limit", "concurrency", "runtime", "fresh"):
        match context.params[name]:
            case None | False:
                pass
            case True:
                words.append(f"--{name}")
            case value:
                words += [f"--{name}", str(value)]
    return tuple(words)


def _leave_to_the_record(context: typer.Context) -> None:
    """Refuse what the record of an interrupted match says itself."""
    for name in ("rules", "boards", "deals", "game", "clock", "limit", "record", "human_limit"):
        source = context.get_parameter_source(name)
        if source and source.name != "DEFAULT":
            option = name.replace("_", "-")
            raise UserError(
                f"--resume and --{option} exclude each other: the record says what is played. Leave it out."
            )
