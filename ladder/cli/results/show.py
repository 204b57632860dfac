"""
`pigpen show`: all there is to know of a bot, in words and tables.

Its think times are shown by phase, each as a histogram that fits in a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.app.standings_csv import ORDINALS
from ladder.cli.results.standings import VariantOption, margin
from ladder.pairing.missing import waits_for
from ladder.results.match_decisions import PHASES, end_of, quantile, used_bins
from ladder.sandbox.host.machine import MIB
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.ladder_words import (
    LEVELS,
    NOTHING,
    cell,
    head,
    label,
    moved,
    percent,
    plain_table,
    say,
    sparkline,
    when,
)
from ladder.values.standings import percents
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ladder.values.bots import BotPage, FaultRow, InVariant, Opponent, VersionRow
    from ladder.values.standings import StandingRow


def print_think_times(histogram: Mapping[str, Sequence[int]], console: Console) -> None:
    """Print a row for each phase; nothing if the bot has decided nothing yet."""
    phases = [phase for phase in PHASES if sum(histogram.get(phase, ()))]
    if not phases:
        return
    used = used_bins(histogram)
    bars = f"{end_of(used.start - 1)} to {end_of(used.stop - 1)}"
    numbers = ("times", "half below", "99 % below", "all below")
    table = plain_table("thinks to", *numbers, bars, right=numbers)
    for phase in phases:
        counts = histogram[phase]
        texts = (
            phase,
            str(sum(counts)),
            *(end_of(quantile(counts, part)) for part in (0.5, 0.99, 1.0)),
            _bars(counts[used.start : used.stop]),
        )
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def _bars(counts: Sequence[int]) -> str:
    """Draw one bar for each bin; an empty bin is a blank, and any other shows."""
    most = max(counts)
    return "".join(LEVELS[round(count / most * (len(LEVELS) - 1))] if count else " " for count in counts)


def print_page(page: BotPage, console: Console) -> None:
    """Print everything: the bot, its versions, each variant, faults, changes of state."""
    say(console, f"{page.bot} by {page.owner}, on the ladder since {when(page.added)}", "bold")
    _print_versions(page.versions, console)
    for there in page.variants:
        _print_variant(page, there, console)
    if page.faults:
        _print_faults(page, console)
    if page.changes:
        head(console, "What became of it")
        for change in page.changes:
            reason = f": {change.reason}" if change.reason else ""
            by = f"{change.by} itself" if change.by == "ladder" else change.by
            say(console, f"  {when(change.at)}  {change.variant}: {change.state} (by the {by}){reason}")


def _print_versions(versions: Sequence[VersionRow], console: Console) -> None:
    headings = ("version", "submitted", "as", "MiB", "identity", "start", "plays")
    table = plain_table(*headings, right=("version", "MiB"), wrapped=("plays", "as"))
    for version in versions:
        plays = ", ".join(f"{entry.variant}{'' if entry.state == 'active' else f' ({entry.state})'}"
                          for entry in version.entries)  # fmt: skip
        texts = (
            str(version.number),
            when(version.added),
            version.source,
            f"{version.size / MIB:.1f}",
            version.identity.removeprefix("sha256:")[:12],
            "warm" if version.can_fork else "fresh",
            plays or NOTHING,
        )
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)
    for version in versions:
        if version.lock:
            packages = ", ".join(line.partition(" ")[0].replace("==", " ") for line in version.lock.splitlines())
            say(console, f"packages of version {version.number}: {packages}")


def _print_variant(page: BotPage, there: InVariant, console: Console) -> None:
    head(console, f"{label(page.bot, page.version)} in {there.variant}")
    for line in _standing(there):
        say(console, f"  {line}")
    if there.opponents:
        console.print()
        _print_opponents(there.opponents, console)
    if there.think_times:
        console.print()
        print_think_times(there.think_times, console)


def _standing(there: InVariant) -> Iterable[str]:
    one = there.standing
    if one.rank is None:
        reason = f": {one.reason}" if one.reason else ""
        yield f"{one.state} since {when(one.since)}{reason}"
    else:
        between = "" if one.rank_low is None else f", true rank {one.rank_low} to {one.rank_high}"
        yield f"rank {one.rank} of {there.active}{between}"
        if there.missing_owners:
            yield f"{waits_for(there.missing_owners)} before it can play"
    error = f" ± {one.error:.0f}" if one.error is not None and one.matches else ""
    few = ", provisional" if one.provisional else ""
    yield f"Elo {one.elo:.0f}{error} after {counted(one.matches, 'match', 'matches')}{few}"
    if one.margin is not None:
        yield f"{margin(one)} points a deal against the field{_margin_rank(one)}"
    if one.outplaced_by:
        yield f"wins more points, fewer places than {one.outplaced_by}"
    if one.points_per_deal is not None:
        shares = ", ".join(f"{name} {part} %" for name, part in zip(ORDINALS, percents(one.shares), strict=False))
        yield f"{one.points_per_deal:z.2f} points per deal; {shares}"
        faults, overs = counted(one.faults, "fault"), counted(one.takeovers, "match", "matches")
        yield f"{faults} in {counted(one.decisions, 'decision')}; taken over in {overs}"
        yield f"trend {sparkline(one.history)} {moved(one.change)} over its {len(one.history)} newest ratings"


def _margin_rank(one: StandingRow) -> str:
    if one.margin_rank is None:
        return ""
    between = "" if one.margin_rank_low is None else f", true rank {one.margin_rank_low} to {one.margin_rank_high}"
    return f": rank {one.margin_rank} by points{between}"


def _print_opponents(opponents: Iterable[Opponent], console: Console) -> None:
    numbers = ("matches", "score", "%", "LOS %")
    table = plain_table("against", *numbers, right=numbers)
    for one in opponents:
        state = "" if one.state == "active" else f" ({one.state})"
        texts = (
            f"{label(one.bot, one.version)}{state}",
            str(one.matches),
            f"{one.score:g}",
            percent(one.score / one.matches),
            percent(one.los, 1),
        )
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def _print_faults(page: BotPage, console: Console) -> None:
    head(console, f"Faults of {label(page.bot, page.version)}")
    for kind in page.faults:
        newest = ", the newest ones:" if kind.count > len(kind.newest) else ""
        say(console, f"  {kind.verdict}: {kind.count}{newest}")
        for fault in kind.newest:
            say(console, f"    {_fault(fault)}")


def _fault(fault: FaultRow) -> str:
    ended = "" if fault.exit_code is None else f" (exit code {fault.exit_code}{', out of memory' * bool(fault.oom)})"
    return f"match {fault.match} ({fault.variant}), {fault.place}, decision {fault.decision}: {fault.why}{ended}"


def show(
    bot: Annotated[str, typer.Argument(help="Its name: Trotter is its newest version, Trotter@2 its version 2.")],
    variant: VariantOption = None,
    opponents: Annotated[int, typer.Option(min=0, help="At most N opponents in each variant.")] = 10,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Show a bot: its versions, its standings, its results against each opponent, its think times, its faults.

    LOS (likelihood of superiority) is the probability that the bot is stronger than that opponent, by all matches.

    Examples:
        pigpen show Trotter

        pigpen show Trotter@2 --variant gongzhu --opponents 50
    """
    with asked(local) as ladder:
        page = ladder.bot_page(bot, variant, opponents)
    if as_json:
        print_json(page)
    else:
        print_page(page, Console())
