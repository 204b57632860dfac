"""The outcome of a submission, in words for people."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from ladder.cli.play.result_table import print_log, print_reasons
from ladder.pairing.missing import waits_for
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.submission import EnteredVariant, Failure, SubmissionResult

FAULTS = 3
"""At most this many faults of a match are printed; `--json` has all of them."""


def print_accepted(found: SubmissionResult, image: str | None, keep_old: bool) -> None:
    """
    Print what the ladder holds now.

    Args:
        found: What became of the submission.
        image: The image reference that was submitted; None for a folder.
        keep_old: Whether the bot's other versions play on.
    """
    for sentence in _notes(found, image, keep_old):
        _say(sentence)
    if not found.changed:
        _say(f"{found.version} is this already; nothing changed.")
    else:
        _say(f"{found.version} of {found.owner}: {found.identity}")
    for entry in found.variants:
        _say(f"  {entry.variant}: {_state(entry)}, Elo {entry.elo:.0f}{_room(entry)}")
        if entry.missing_owners and entry.state == "active":
            _say(f"  It {waits_for(entry.missing_owners)} before it can play {entry.variant}.")


def print_rejected(found: SubmissionResult) -> None:
    """Print why the bot was not taken, with the end of what it printed, and how its owner sees that again."""
    _say(f"{found.bot} is refused. The ladder has not changed.")
    console = Console()
    cases = [one for one in found.reasons if one.format is None]
    print_reasons(console, ((f"{one.variant}: {one.where}: {one.verdict}: {one.why}", one.output) for one in cases))
    in_matches = (one for one in found.reasons if one.format is not None)
    for _, faults in groupby(in_matches, key=lambda one: one.variant):
        _print_faults(console, list(faults))
    _say(f"To reproduce it: {found.again}")


def _print_faults(console: Console, faults: list[Failure]) -> None:
    """Print the first faults of a match of the same bot in all seats, and what it had printed at the first one."""
    for fault in faults[:FAULTS]:
        _say(f"✗ {fault.variant}, {fault.format} against itself: {fault.where}: {fault.verdict}: {fault.why}")
    if len(faults) > FAULTS:
        _say(f"  … and {len(faults) - FAULTS} more.")
    print_log(console, min(faults, key=lambda fault: (fault.rotation, fault.decision)).output)


def _say(sentence: str) -> None:
    typer.echo(sanitize(sentence))


def _notes(found: SubmissionResult, image: str | None, keep_old: bool) -> Iterator[str]:
    for variant in found.outdated:
        yield f"This ladder plays {variant} by the rules with which it began; the preset has changed since."
    if found.moved_from:
        yield (
            f"{image} is now another image. Before, it was {found.moved_from}, which "
            f"{'still plays, too' if keep_old else 'played until now'}."
        )


def _state(entry: EnteredVariant) -> str:
    return entry.news if entry.state == "active" else f"{entry.news}, {entry.state}"


def _room(entry: EnteredVariant) -> str:
    return f", in the place of {', '.join(entry.retired)}" if entry.retired else ""
