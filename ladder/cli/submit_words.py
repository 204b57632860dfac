"""What became of a submission: for people, and as JSON."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from ladder.cli.check_table import print_failures
from ladder.cli.result_table import print_log
from ladder.cli.sanitize import harmless, json_line
from ladder.matches.check_wire import WIRE_GROUP
from pigpen.check.run import UNTRIED
from pigpen.rules import PRESETS
from referee.match.spec import DEFAULT_CLOCK
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.submit.entering import EntryOutcome, Request
    from ladder.matches.preflight import Preflight, SelfPlay
    from ladder.store.commands.submissions import Added, Entered
    from ladder.store.database import Database

FAULTS = 3
"""So many of a match are told; all are in the JSON."""
NEWS = {"entered": "entered", "back": "back again", "": "there already"}


def print_added(database: Database, request: Request, outcome: EntryOutcome) -> None:
    """Print what the ladder holds now."""
    added = outcome.added
    assert added is not None
    for sentence in _notes(request, outcome):
        _say(sentence)
    if not added.changed:
        _say(f"{added.name} is this already; nothing changed.")
    else:
        _say(f"{added.name} of {request.owner}: {outcome.identity}")
    elo = _elo(database, added)
    for entry in added.entries:
        _say(f"  {entry.variant}: {_state(entry)}, Elo {elo[entry.variant]:.0f}{_room(entry)}")


def print_rejected(request: Request, word: str, sandbox: str, outcome: EntryOutcome) -> None:
    """
    Print why the bot was not taken, with the end of what it printed, and how its owner sees that again.

    Args:
        request: What was asked for.
        word: The bot as its owner named it.
        sandbox: Where it was tried.
        outcome: What became of it.
    """
    found = outcome.preflight
    assert found is not None
    _say(f"{request.name} is not taken; the ladder is as it was.")
    console = Console()
    print_failures(console, found.report)
    for match in _failed(found):
        _print_faults(console, match)
    _say(f"To see that again: {_again(request, found, shlex.quote(word), sandbox)}")


def _print_faults(console: Console, match: SelfPlay) -> None:
    """The first faults of a match in which all bots are the same, and what the bot had printed at the first one."""
    held = match.faults.reports
    first = min(held, key=lambda fault: (fault.table, fault.decision))
    for fault in held[:FAULTS]:
        _say(f"✗ {match.spec.rules.name}, {match.spec.format} against itself: {fault}")
    if len(held) > FAULTS:
        _say(f"  … and {len(held) - FAULTS} more.")
    print_log(console, _until(match.played.logs[first.table][first.bot], first.decision))


def _until(log: str, decision: int) -> str:
    """What stands in a bot's output up to a decision; each line begins with its own: ``[12] Traceback …``."""
    lines = log.splitlines(keepends=True)
    late = (number for number, line in enumerate(lines) if _decision(line) > decision)
    return "".join(lines[: next(late, None)])


def _decision(line: str) -> int:
    found = re.match(r"\[(\d+)\] ", line)
    return int(found[1]) if found else 0


def print_json(database: Database, request: Request, outcome: EntryOutcome) -> None:
    """Print everything as one JSON object."""
    added = outcome.added
    found: dict[str, object] = {
        "accepted": added is not None,
        "bot": request.name,
        "owner": request.owner,
        "identity": outcome.identity,
        "pinned": outcome.pinned,
        "version": added.name if added else None,
        "new": bool(added and added.is_new),
        "changed": bool(added and added.changed),
        "moved_from": _moved_from(request, added) if added else None,
        "outdated": outcome.outdated,
        "variants": _entries(database, added) if added else [],
        "reasons": [] if added or not outcome.preflight else list(_reasons(outcome.preflight)),
    }
    typer.echo(json_line(found))


def _say(sentence: str) -> None:
    typer.echo(harmless(sentence))


def _notes(request: Request, outcome: EntryOutcome) -> Iterator[str]:
    assert outcome.added is not None
    for variant in outcome.outdated:
        yield f"This ladder plays {variant} by the rules with which it began; the preset has changed since."
    moved_from = _moved_from(request, outcome.added)
    if moved_from:
        yield (
            f"{request.source.image} names another image now; it named {moved_from}, which "
            f"{'plays on beside it' if request.keep_old else 'played until now'}."
        )


def _moved_from(request: Request, added: Added) -> str | None:
    """What the image reference named before; a folder changes as it likes."""
    return added.before if request.source.image and added.changed else None


def _state(entry: Entered) -> str:
    return NEWS[entry.news] if entry.state == "active" else f"{NEWS[entry.news]}, {entry.state}"


def _room(entry: Entered) -> str:
    return f", in the place of {', '.join(entry.retired)}" if entry.retired else ""


def _elo(database: Database, added: Added) -> dict[str, float]:
    """The rating as it is shown, by variant."""
    from ladder.store.commands.entries import shift_of

    with database.read() as session:
        return {entry.variant: entry.rating + shift_of(session, entry.variant) for entry in added.entries}


def _entries(database: Database, added: Added) -> list[dict[str, object]]:
    elo = _elo(database, added)
    return [
        {
            "variant": entry.variant,
            "state": entry.state,
            "news": NEWS[entry.news],
            "elo": round(elo[entry.variant], 1),
            "retired": entry.retired,
        }
        for entry in added.entries
    ]


def _failed(found: Preflight) -> list[SelfPlay]:
    return [match for match in found.matches if match.faults.reports]


def _tried(found: Preflight) -> list[str]:
    groups = dict.fromkeys(outcome.group for outcome in found.report.outcomes)
    return [group for group in groups if group != WIRE_GROUP]


def _rules(request: Request, variant: str) -> str:
    """What to type for a variant: its name, or the file in which its rules stand."""
    files = (word for word in request.variants if variant not in PRESETS and Path(word).is_file())
    return shlex.quote(next((file for file in files if load_rules(file).name == variant), variant))


def _again(request: Request, found: Preflight, word: str, sandbox: str) -> str:
    """The command that shows the same failure."""
    if not found.report.passed:
        rules = "".join(f" --rules {_rules(request, name)}" for name in _tried(found))
        return f"pigpen check {word}{rules} --sandbox {sandbox}"
    spec = _failed(found)[0].spec
    bots = " ".join([word] * (2 if spec.rules.partners else spec.rules.players))
    clock = spec.clock
    time = f" --clock {clock.bank:g}+{clock.increment:g} --limit {clock.limit:g}" if clock != DEFAULT_CLOCK else ""
    match = f"--rules {_rules(request, spec.rules.name)} --boards {spec.format.boards} --seed {spec.seed.hex()}"
    return f"pigpen play {bots} {match} --sandbox {sandbox}{time}"


def _reasons(found: Preflight) -> Iterator[dict[str, object]]:
    for outcome in found.report.outcomes:
        if not outcome.passed and outcome.verdict != UNTRIED:
            yield {
                "variant": outcome.group,
                "where": outcome.name,
                "verdict": outcome.verdict,
                "why": outcome.reason,
                "output": outcome.output,
            }
    for match in _failed(found):
        for held in match.faults.reports:
            logs = match.played.logs.get(held.table)
            yield {
                "variant": match.spec.rules.name,
                "where": f"{held.place}, decision {held.decision}",
                "verdict": held.verdict,
                "why": held.why,
                "output": _until(logs[held.bot], held.decision) if logs else "",
            }
