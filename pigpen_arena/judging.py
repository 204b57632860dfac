"""Comparing two bots, and checking one."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.app.local.check import check_bot
from ladder.app.local.compare import ComparisonRequest, plan_comparison, play_comparison
from ladder.terminal.options import DEFAULT_CLOCK_TEXT, opened_sandbox, setup_of
from ladder.values.text import counted
from pigpen.rules import PRESETS
from pigpen_arena.bots import NamedBots
from pigpen_arena.options import naming_arguments, requested
from pigpen_arena.running import blocking, shown
from pigpen_arena.tables import Result
from referee.match.formats import DEFAULT_CLOCK
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

    from ladder.values.local_results import CheckResult, CompareResult
    from pigpen_arena.bots import AnyBot, Sandbox
    from pigpen_arena.running import Progress
    from pigpen_arena.tables import Row


@naming_arguments
async def compare_async(
    old: AnyBot,
    new: AnyBot,
    field: Iterable[AnyBot] = ("counting",),
    rules: str | PathLike[str] = "gongzhu",
    *,
    boards: int = 2000,
    elo0: float = 0.0,
    elo1: float = 50.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    seed: str = "",
    sandbox: Sandbox = "inline",
    clock: str = DEFAULT_CLOCK_TEXT,
    limit: float = DEFAULT_CLOCK.limit,
    concurrency: int | None = None,
    runtime: str = "runc",
    progress: Callable[[CompareResult], object] | None = None,
) -> Result[CompareResult]:
    """
    Find out whether a new version of a bot is better than the old one, by a sequential test (SPRT).

    >>> compare("random", "counting", elo1=400, seed="7").value.decision
    'better'

    Args:
        old: The old bot.
        new: The new one.
        field: The opponents; repeated if they are fewer than the seats.
        rules: A preset, or the path of a TOML file.
        boards: The most boards to play.
        elo0: Normalised Elo of the new bot by the one hypothesis.
        elo1: The same by the other one.
        alpha: How often `elo1` may be accepted of a bot of `elo0`.
        beta: How often `elo0` may be accepted of a bot of `elo1`.
        seed: Any text, or 64 hex digits. Empty: a new one each time.
        sandbox: As in `play`.
        clock: As in `play`.
        limit: As in `play`.
        concurrency: As in `play`.
        runtime: As in `play`.
        progress: Called with what has come out so far, after each batch of boards.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the sandbox failed.
        UserError: If something that was asked for is not there, or makes no sense.
    """
    named = NamedBots(sandbox)
    asked = requested(
        ComparisonRequest, old=named.word(old), new=named.word(new), field=",".join(named.words(field)),
        rules=str(rules), boards=boards, elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, seed=seed,
        clock=clock, limit=limit,
    )  # fmt: skip
    plan, sources = plan_comparison(asked, named.find)
    opened = opened_sandbox(setup_of(named.sandbox, runtime, fresh=False))
    with shown(False, "boards", None) as step:

        def look(found: CompareResult) -> None:
            step()
            if progress:
                progress(found)

        found = await play_comparison(plan, sources, opened, look, concurrency)
    row: Row = {
        "old": found.old, "new": found.new, "decision": found.decision, "boards": found.boards,
        "difference": found.difference, "standard_error": found.standard_error, "superiority": found.superiority,
        "normalised_elo": found.normalised_elo, "llr": found.llr,
    }  # fmt: skip
    return Result(
        found, (row,), f"{found.new} against {found.old}: {found.decision} after {counted(found.boards, 'board')}"
    )


@naming_arguments
async def check_async(
    bot: AnyBot,
    rules: Iterable[str | PathLike[str]] = tuple(PRESETS),
    *,
    case: str | Iterable[str] = (),
    sandbox: Sandbox = "inline",
    limit: float = DEFAULT_CLOCK.limit,
    runtime: str = "runc",
    progress: Progress = True,
) -> Result[CheckResult]:
    """
    Try a bot on all cases that a submission must pass.

    >>> check("counting", ["hearts"]).value.passed
    True

    Args:
        bot: The bot.
        rules: Presets, or paths of TOML files.
        case: Name of the case to try, or several; all if empty.
        sandbox: As in `play`; ``inline`` tries only the cases about cards, not those about the connection.
        limit: Most seconds for one decision.
        runtime: As in `play`.
        progress: As in `play`.

    Raises:
        BotRejected: If the bot cannot be made.
        SandboxError: If the sandbox failed; that says nothing about the bot.
        UserError: If there is no such bot, variant or case.
    """
    named = NamedBots(sandbox)
    source = named.find(named.word(bot))
    variants = [load_rules(str(name)) for name in ([rules] if isinstance(rules, str) else rules)]
    clock = replace(DEFAULT_CLOCK, limit=limit)
    cases = (case,) if isinstance(case, str) else tuple(case)

    @contextmanager
    def steps(what: str, total: int) -> Iterator[Callable[[str], None]]:
        with shown(progress, what, total) as step:
            yield lambda _: step()

    async with opened_sandbox(setup_of(named.sandbox, runtime, fresh=False)) as opened:
        found = await check_bot(source, variants, clock, opened, steps, cases)
    rows = tuple(each.model_dump(exclude={"output"}) for each in found.cases)
    words = "passes all" if found.passed else f"fails {sum(not each.passed for each in found.cases)}"
    return Result(found, rows, f"{found.bot} {words} of {counted(len(found.cases), 'case')}")


compare = blocking(compare_async)
check = blocking(check_async)
