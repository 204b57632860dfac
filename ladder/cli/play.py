"""`pigpen play`: a match on this machine, with the referee and the sandbox of the ladder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.json_output import print_json
from ladder.cli.options import (
    DEFAULT_CLOCK_TEXT,
    ClockOption,
    ConcurrencyOption,
    LimitOption,
    RulesOption,
    RuntimeOption,
    SandboxOption,
    SeedOption,
    clock_of,
)
from ladder.cli.progress import progress
from ladder.cli.result_table import print_result
from ladder.cli.running import run
from ladder.cli.sandboxes import opened_sandbox, say
from ladder.errors import UserError
from ladder.matches.kinds import SandboxKind
from ladder.sandbox.bots.bot_source import find_bot, seat_names
from ladder.sandbox.host.cores import bot_cores
from pigpen.rules import Rules, new_seed, seed_from
from referee.match.formats import Format
from referee.match.spec import DEFAULT_CLOCK, MatchSpec
from referee.records.limits import MOST_DEALS
from referee.records.lines import DealLine
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.play import PlayedMatch
    from referee.match.resume import Unfinished
    from referee.records.lines import AnyLine


DEFAULT_BOARDS = 16


def play(
    context: typer.Context,
    bots: Annotated[list[str], typer.Argument(help="A sample bot's name, a folder or an image, one for each seat.")],
    rules: RulesOption = "gongzhu",
    boards: Annotated[
        int | None, typer.Option(min=1, help="Play N boards, each from every seat (the default, with 16).")
    ] = None,
    deals: Annotated[int | None, typer.Option(min=1, help="Play N independent deals, each from one seat.")] = None,
    game: Annotated[bool, typer.Option("--game", help="Play to the variant's own end.")] = False,
    seed: SeedOption = "",
    sandbox: SandboxOption = SandboxKind.DOCKER,
    clock: ClockOption = DEFAULT_CLOCK_TEXT,
    limit: LimitOption = DEFAULT_CLOCK.limit,
    record: Annotated[
        Path | None, typer.Option(help="Write the match to this file: JSON Lines, packed if it ends in .gz.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with the interrupted match in this record, with the same bots.")
    ] = None,
    concurrency: ConcurrencyOption = None,
    runtime: RuntimeOption = "runc",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """
    Let bots play a match on this machine, and show how they did.

    Each board is played once in every rotation of the bots, so that every bot holds every hand of it; fresh
    instances of the bots play each rotation.

    Examples:
        pigpen play random cautious counting ./mybot

        pigpen play random cautious counting ./mybot --rules hearts --boards 64 --seed 7

        pigpen play ./mybot counting --rules gongzhu-partners --game --record match.jsonl

        pigpen play ./mybot counting --resume match.jsonl
    """
    from ladder.app.local import recording

    if resume:
        _leave_to_the_record(context)
        begun, spec, sources = _interrupted(resume, bots, seed)
        _check_room(spec)
        recorded, writing = begun.deals, recording.going_on(resume, begun, spec.seed, say)
    else:
        variant = load_rules(rules)
        sources = _seat(bots, variant)
        spec = MatchSpec(
            variant,
            _names(sources),
            _format(boards, deals, game),
            clock_of(clock, limit),
            seed_from(seed) if seed else new_seed(),
        )
        if record:
            _check_room(spec)
        recorded, writing = None, recording.recording(record, spec.seed, say)
    bar = progress("deals", spec.format.count(spec.rules), len(recorded or ()))
    with writing as write, bar as advance, recording.resumable(resume):

        def take(line: AnyLine) -> None:
            write(line)
            if isinstance(line, DealLine):
                advance()

        work = _play(spec, sources, take, recorded, sandbox, runtime, concurrency or len(bot_cores()))
        found = run(work, blocks=sandbox is SandboxKind.INLINE)
    if as_json:
        print_json(found)
    else:
        print_result(spec, found)


def _interrupted(path: Path, bots: list[str], seed: str) -> tuple[Unfinished, MatchSpec, list[BotSource]]:
    """What the record in *path* says, what is to be played, and by whom: the same bots as before."""
    from ladder.app.local import recording

    begun = recording.unfinished(path)
    with recording.resumable(path):
        spec = begun.spec(seed_from(seed) if seed else recording.seed_beside(path))
    sources = _seat(bots, spec.rules)
    if _names(sources) != spec.bots:
        raise UserError(f"{str(path)!r} is a match of {', '.join(spec.bots)}: name these bots, in this order.")
    return begun, spec, sources


def _check_room(spec: MatchSpec) -> None:
    """Refuse a match of which a record could not be read again."""
    deals = spec.format.count(spec.rules)
    if deals and deals > MOST_DEALS:
        raise UserError(f"{spec.format} are {deals:,} deals, and a record has room for {MOST_DEALS:,}. Play fewer.")


def _leave_to_the_record(context: typer.Context) -> None:
    """Refuse what the record of an interrupted match says itself."""
    for name in ("rules", "boards", "deals", "game", "clock", "limit", "record"):
        source = context.get_parameter_source(name)
        if source and source.name != "DEFAULT":
            raise UserError(f"--resume and --{name} exclude each other: the record says what is played. Leave it out.")


def _format(boards: int | None, deals: int | None, game: bool) -> Format:
    chosen = [name for name, given in {"--boards": boards, "--deals": deals, "--game": game or None}.items() if given]
    if len(chosen) > 1:
        raise UserError(f"{' and '.join(chosen)} exclude each other: choose one.")
    if game or deals:
        return Format(deals=deals)
    return Format(boards=boards or DEFAULT_BOARDS)


def _seat(words: list[str], rules: Rules) -> list[BotSource]:
    """The bot of each seat; with partners two words are enough, each bot in both chairs of its team."""
    sources = [find_bot(word) for word in words]
    if rules.partners and len(sources) == 2:
        sources *= 2
    if len(sources) != rules.players:
        wanted = "2 bots, one for each team, or 4" if rules.partners else f"{rules.players} bots"
        raise UserError(f"{rules.name} takes {wanted}; {len(sources)} named. The same bot may be named several times.")
    return sources


def _names(sources: list[BotSource]) -> tuple[str, ...]:
    return seat_names(source.name for source in sources)


async def _play(
    spec: MatchSpec,
    sources: list[BotSource],
    write: Callable[[AnyLine], None],
    recorded: Sequence[DealLine] | None,
    kind: SandboxKind,
    runtime: str,
    concurrency: int,
) -> PlayedMatch:
    from ladder.app.local.play import play_match

    async with opened_sandbox(kind, runtime) as sandbox:
        return await play_match(spec, sources, sandbox, write, recorded, concurrency)
