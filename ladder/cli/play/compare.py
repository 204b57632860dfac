"""`pigpen compare`: is the new version of a bot better than the old one?"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from ladder.errors import SandboxError
from ladder.ratings.sprt import ELO, MIN_DIFFERING, SprtDecision
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
    from collections.abc import Callable, Iterator

    from ladder.values.local_results import CompareResult
    from pigpen.rules import Rules

ACCEPTS_1, ACCEPTS_0 = (
    "elo1 = {elo1:g} is accepted against elo0 = {elo0:g}",
    "elo0 = {elo0:g} is accepted against elo1 = {elo1:g}",
)
VERDICTS = {
    SprtDecision.BETTER: "{new} is better than {old}: " + ACCEPTS_1 + ".",
    SprtDecision.NOT_BETTER: "{new} is not better than {old} by as much as asked for: " + ACCEPTS_0 + ".",
    SprtDecision.NOT_WORSE: (
        "{new} is not worse than {old} by as much as {by:g} of normalised Elo: " + ACCEPTS_1 + ". "
        "That does not show that it is better: ask with --elo0 0 --elo1 50."
    ),
    SprtDecision.WORSE: "{new} is worse than {old}: " + ACCEPTS_0 + ".",
    SprtDecision.OPEN: (
        "Not decided after {boards} boards between elo0 = {elo0:g} and elo1 = {elo1:g}: "
        "play more of them (--boards), or ask for a larger --elo1."
    ),
}
"""The test's results in words, with its bounds."""
LIKELIER = (
    "{new} is more likely better than {old} by {elo1:g} than worse by {by:g} of normalised Elo: " + ACCEPTS_1 + "."
)
"""The same as `SprtDecision.BETTER` where elo0 is below 0: a bot that is as good may come to that, too."""


def compare_bots(
    old: Annotated[str, typer.Argument(help="The old bot: a sample bot's name, a folder or an image.")],
    new: Annotated[str, typer.Argument(help="The new bot, named in the same way.")],
    field: Annotated[
        str, typer.Option(help="The opponents, separated by commas; repeated if they are fewer than the seats.")
    ] = "counting",
    rules: RulesOption = "gongzhu",
    boards: Annotated[int, typer.Option(min=2, help="Maximum number of boards to play.")] = 2000,
    elo0: Annotated[float, typer.Option(help="Hypothesis H0: the new bot is better by this normalised Elo.")] = 0.0,
    elo1: Annotated[
        float,
        typer.Option(help="Hypothesis H1, in the same way. At or below 0 the test asks whether the new bot is worse."),
    ] = 50.0,
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 although H0 is true.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 although H1 is true.")] = 0.05,
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
    Find out whether a new version of a bot is better than the old one.

    Both play the same boards from every seat against the same opponents, until a sequential test (SPRT) decides. The
    test stays valid although it looks at the result again and again. Strength is measured in normalised Elo: 347.4
    are one standard deviation of the difference in a board.

    The exit code is 0 only if the new bot is better: H1 is accepted, and --elo1 is above 0. It is 1 if H0 is
    accepted, or nothing is decided. It is also 1 after each test of non-regression (--elo1 at or below 0): such a
    test can only show that the new bot is not worse by as much as --elo0. `decision` and `accepted` in --json tell
    these results apart. It is 2 after a mistake in the command, and 3 if the platform failed.

    Examples:
        pigpen compare ./mybot-old ./mybot

        pigpen compare ./mybot-old ./mybot --field random,cautious,counting --rules hearts --elo1 30

        pigpen compare counting ./mybot --sandbox inline --boards 400 --json

        pigpen compare ./mybot-old ./mybot-simpler --elo0=-50 --elo1 0
    """
    from ladder.app.local.compare import ComparisonRequest, plan_comparison, play_comparison

    asked = ComparisonRequest(
        old=old, new=new, field=field, rules=rules, boards=boards,
        elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, seed=seed, clock=clock, limit=limit,
    )  # fmt: skip
    plan, sources = plan_comparison(asked)
    seen: list[CompareResult] = []
    with shown_meanwhile() as show:

        def look(found: CompareResult) -> None:
            seen[:] = [found]
            show(_so_far(found))

        opened = opened_sandbox(setup_of(sandbox, runtime, fresh=fresh))
        work = play_comparison(plan, sources, opened, look, concurrency)
        try:
            found = run(work, blocks=sandbox is SandboxKind.INLINE)
        except (Stopped, SandboxError):
            for so_far in seen:
                _show(plan.rules, so_far, as_json)
            raise
    _show(plan.rules, found, as_json)
    raise typer.Exit(0 if SprtDecision(found.decision) is SprtDecision.BETTER else 1)


@contextlib.contextmanager
def shown_meanwhile() -> Iterator[Callable[[str], None]]:
    """Give a function that shows how far the work has come; it shows on a terminal only."""
    console = Console(stderr=True)
    with console.status("0 boards") if console.is_terminal else contextlib.nullcontext() as status:
        yield lambda text: status.update(text) if status else None


def _so_far(found: CompareResult) -> str:
    low, high = found.bounds
    difference = f"{found.difference:+.2f} ± {found.standard_error:.2f}"
    return f"{counted(found.boards, 'board')}: {difference} a deal, LLR {found.llr:.2f} ({low:.2f} … {high:.2f})"


def _show(rules: Rules, found: CompareResult, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        _print(rules, found)


def interval_text(interval: tuple[float, float] | None) -> str:
    """Write the interval of a difference."""
    if interval is None:
        return f"not known before {MIN_DIFFERING} boards differ"
    low, high = interval
    return f"{low:+.2f} … {high:+.2f}"


def _print(rules: Rules, found: CompareResult) -> None:
    console = Console()
    old, new, *field = (in_markup(name) for name in (found.old, found.new, *found.field))
    low, high = found.bounds
    table = Table(title=f"{new} against {old}: {in_markup(rules.title)}", title_justify="left", show_header=False)
    faults = found.faults
    differ = counted(found.differing_boards, "board differs", "boards differ")
    rows = {
        "opponents": ", ".join(field),
        "boards": f"{found.boards} ({counted(found.deals, 'deal')}; {differ})",
        "points per deal": f"{found.difference:+.2f} ± {found.standard_error:.2f} (more is better)",
        "95 % at any time": interval_text(found.interval),
        "likelihood of superiority": f"{found.superiority:.1%}",
        "normalised Elo": f"{found.normalised_elo:+.0f} ± {ELO / found.boards**0.5:.0f}",
        "LLR": f"{found.llr:.2f} ({low:.2f} … {high:.2f}) for {found.elo0:g} against {found.elo1:g}",
        "faults": f"{old} {faults['old']}, {new} {faults['new']}, opponents {faults['field']}",
    }
    for name, text in rows.items():
        table.add_row(name, text)
    console.print(table)
    console.print(verdict(found))
    console.print(f"seed {found.seed}", style="dim", soft_wrap=True)


def verdict(found: CompareResult) -> str:
    """Give the test's result, in a sentence or two for a console."""
    decision = SprtDecision(found.decision)
    words = LIKELIER if decision is SprtDecision.BETTER and found.elo0 < 0 else VERDICTS[decision]
    old, new = in_markup(found.old), in_markup(found.new)
    return words.format(old=old, new=new, elo0=found.elo0, elo1=found.elo1, by=-found.elo0, boards=found.boards)
