"""`pigpen compare`: is the new version of a bot better than the old one?"""

from __future__ import annotations

import contextlib
import copy
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

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
from ladder.cli.running import Stopped, run
from ladder.cli.sandboxes import SandboxName, open_sandbox
from ladder.cli.sanitize import in_markup, json_line
from ladder.errors import SandboxError, UserError
from ladder.matches.compare import Comparison, ComparisonPlan, compare
from ladder.matches.play import play_inline, play_sandboxed
from ladder.ratings.sprt import ELO, LEAST, Hypotheses, SprtDecision
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.host.cores import bot_cores
from pigpen.rules import new_seed, seed_from
from referee.match.spec import DEFAULT_CLOCK
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from ladder.matches.compare import PlayMatch
    from ladder.ratings.sprt import MeanEstimate
    from ladder.sandbox.bots.bot_source import BotSource
    from pigpen.rules import Rules
    from referee.match.spec import MatchSpec
    from referee.records.lines import AnyLine

MOST_ELO = 2000
"""Nearly six standard deviations: no two bots are further apart on a board."""
VERDICTS = {
    SprtDecision.BETTER: "{new} is better than {old}.",
    SprtDecision.NOT_BETTER: "{new} is not better than {old} by as much as asked for.",
    SprtDecision.OPEN: "Not decided after {boards} boards: play more of them (--boards), or ask for a larger --elo1.",
}


def compare_bots(
    old: Annotated[str, typer.Argument(help="The bot as it was: a sample bot's name, a folder or an image.")],
    new: Annotated[str, typer.Argument(help="The bot as it is now.")],
    field: Annotated[
        str, typer.Option(help="The opponents, with commas between them; fewer than there are seats are repeated.")
    ] = "counting",
    rules: RulesOption = "gongzhu",
    boards: Annotated[int, typer.Option(min=2, help="The most boards to play.")] = 2000,
    elo0: Annotated[float, typer.Option(help="Normalised Elo of a new bot that is not better.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Normalised Elo of one that is.")] = 50.0,
    alpha: Annotated[float, typer.Option(help="How often an elo0 may be taken for better.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often an elo1 may be taken for not better.")] = 0.05,
    seed: SeedOption = "",
    sandbox: SandboxOption = SandboxName.DOCKER,
    clock: ClockOption = DEFAULT_CLOCK_TEXT,
    limit: LimitOption = DEFAULT_CLOCK.limit,
    concurrency: ConcurrencyOption = None,
    runtime: RuntimeOption = "runc",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """
    Find out whether a new version of a bot is better than the old one.

    Both play the same boards from every seat against the same opponents, until a sequential test (SPRT) decides. It
    may look at the result at any time. The exit code is 0 if the new bot is better, and 1 if that is not shown.

    One standard deviation of a board's difference is 347.4 of normalised Elo.

    Examples:
        pigpen compare ./mybot-old ./mybot

        pigpen compare ./mybot-old ./mybot --field random,cautious,counting --rules hearts --elo1 30

        pigpen compare counting ./mybot --sandbox inline --boards 400 --json
    """
    variant = load_rules(rules)
    sources = [find_bot(old), find_bot(new), *_opponents(field, variant)]
    plan = ComparisonPlan(
        variant,
        tuple(source.name for source in sources),
        _hypotheses(elo0, elo1, alpha, beta),
        boards,
        seed_from(seed) if seed else new_seed(),
        clock_of(clock, limit),
    )
    console, seen = Console(stderr=True), list[Comparison]()
    with console.status("0 boards") if console.is_terminal else contextlib.nullcontext() as status:

        def look(found: Comparison) -> None:
            seen[:] = [copy.deepcopy(found)]  # as it stands between two batches
            if status:
                status.update(_so_far(found))

        work = _compare(plan, sources, look, sandbox, runtime, concurrency or len(bot_cores()))
        try:
            found = run(work, blocks=sandbox is SandboxName.INLINE)
        except (Stopped, SandboxError):
            for so_far in seen:
                _show(plan, so_far, as_json)
            raise
    _show(plan, found, as_json)
    raise typer.Exit(0 if found.decision is SprtDecision.BETTER else 1)


def _opponents(field: str, rules: Rules) -> list[BotSource]:
    words = [word for word in field.split(",") if word]
    seats = 2 if rules.partners else rules.players - 1
    if not words or len(words) > seats:
        raise UserError(f"--field {field!r}: name 1 to {seats} opponents for {rules.name}, with commas between them.")
    return [find_bot(words[seat % len(words)]) for seat in range(seats)]


def _hypotheses(elo0: float, elo1: float, alpha: float, beta: float) -> Hypotheses:
    for name, elo in (("elo0", elo0), ("elo1", elo1)):
        if not -MOST_ELO <= elo <= MOST_ELO:
            raise UserError(f"--{name} {elo:g} is out of range; write a number from -{MOST_ELO} to {MOST_ELO}.")
    if not elo0 < elo1:
        raise UserError(f"--elo0 {elo0:g} must be less than --elo1 {elo1:g}.")
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not 0 < value < 0.5:
            raise UserError(f"--{name} {value:g} is not an error rate; write a number between 0 and 0.5.")
    return Hypotheses(elo0, elo1, alpha, beta)


async def _compare(
    plan: ComparisonPlan,
    sources: Sequence[BotSource],
    look: Callable[[Comparison], None],
    sandbox: SandboxName,
    runtime: str,
    concurrency: int,
) -> Comparison:
    async with _tables(sources, sandbox, runtime, concurrency) as play:
        return await compare(plan, play, look)


@contextlib.asynccontextmanager
async def _tables(
    sources: Sequence[BotSource], sandbox: SandboxName, runtime: str, concurrency: int
) -> AsyncIterator[PlayMatch]:
    """Give a function that plays a match of some of *sources*, by their numbers."""
    if sandbox is SandboxName.INLINE:

        async def play_here(spec: MatchSpec, bots: Sequence[int], write: Callable[[AnyLine], None]) -> object:
            return await play_inline(spec, [sources[bot] for bot in bots], write)

        yield play_here
        return
    pens = open_sandbox(sandbox, runtime)
    try:
        programs = [await pens.load(source) for source in sources]

        async def play(spec: MatchSpec, bots: Sequence[int], write: Callable[[AnyLine], None]) -> object:
            return await play_sandboxed(spec, [programs[bot] for bot in bots], write, concurrency=concurrency)

        yield play
    finally:
        await pens.close()


def _so_far(found: Comparison) -> str:
    low, high = found.test.hypotheses.bounds
    difference = f"{found.estimate.mean:+.2f} ± {found.estimate.error:.2f}"
    return f"{found.boards} boards: {difference} a deal, LLR {found.test.llr:.2f} ({low:.2f} … {high:.2f})"


def _plain(plan: ComparisonPlan, found: Comparison) -> dict[str, object]:
    estimate, hypotheses = found.estimate, found.test.hypotheses
    return {
        "rules": plan.rules.name,
        "old": plan.names[0],
        "new": plan.names[1],
        "field": plan.names[2:],
        "decision": found.decision,
        "boards": found.boards,
        "deals": found.deals,
        "differing_boards": found.differing,
        "difference": estimate.mean,
        "standard_error": estimate.error,
        "interval": estimate.interval,
        "superiority": estimate.superiority,
        "normalised_elo": _elo(found),
        "llr": found.test.llr,
        "bounds": hypotheses.bounds,
        "elo0": hypotheses.elo0,
        "elo1": hypotheses.elo1,
        "alpha": hypotheses.alpha,
        "beta": hypotheses.beta,
        "faults": dict(zip(("old", "new", "field"), found.faults, strict=True)),
        "seed": plan.seed.hex(),
    }


def _elo(found: Comparison) -> float:
    """The effect that was seen, in normalised Elo."""
    deviation = found.estimate.error * found.boards**0.5
    return ELO * found.estimate.mean / deviation if deviation else 0.0


def _show(plan: ComparisonPlan, found: Comparison, as_json: bool) -> None:
    if as_json:
        typer.echo(json_line(_plain(plan, found)))
    else:
        _print(plan, found)


def _interval(estimate: MeanEstimate) -> str:
    if estimate.interval is None:
        return f"cannot be told before {LEAST} boards differ"
    low, high = estimate.interval
    return f"{low:+.2f} … {high:+.2f}"


def _print(plan: ComparisonPlan, found: Comparison) -> None:
    console = Console()
    old, new, *field = (in_markup(name) for name in plan.names)
    estimate, test = found.estimate, found.test
    low, high = test.hypotheses.bounds
    table = Table(title=f"{new} against {old}: {in_markup(plan.rules.title)}", title_justify="left", show_header=False)
    rows = {
        "opponents": ", ".join(field),
        "boards": f"{found.boards} ({found.deals} deals; {found.differing} boards differ)",
        "points per deal": f"{estimate.mean:+.2f} ± {estimate.error:.2f} (more is better)",
        "95 % at any time": _interval(estimate),
        "likelihood of superiority": f"{estimate.superiority:.1%}",
        "normalised Elo": f"{_elo(found):+.0f} ± {ELO / found.boards**0.5:.0f}",
        "LLR": f"{test.llr:.2f} ({low:.2f} … {high:.2f}) for {test.hypotheses.elo0:g} against {test.hypotheses.elo1:g}",
        "faults": f"{old} {found.faults[0]}, {new} {found.faults[1]}, opponents {found.faults[2]}",
    }
    for name, text in rows.items():
        table.add_row(name, text)
    console.print(table)
    console.print(VERDICTS[found.decision].format(old=old, new=new, boards=found.boards))
    console.print(f"seed {plan.seed.hex()}", style="dim", soft_wrap=True)
