"""
`pigpen push`, and submissions on a terminal: how far one has come, and in the end its outcome in words for people.

`pigpen push` pushes an image to the registry of a remote ladder.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.app.remote.login import NOT_LOGGED_IN, read_login
from ladder.cli.play.play import print_log, print_reasons
from ladder.errors import UserError
from ladder.pairing.missing import waits_for
from ladder.terminal.progress_bar import progress
from ladder.terminal.sanitize import in_markup, sanitize
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from rich.status import Status

    from ladder.app.remote.login import Login
    from ladder.values.submission import Failure, SubmissionResult, SubmissionRow


def push(
    image: Annotated[str, typer.Argument(help="An image of this machine's Docker engine.")],
    name: Annotated[
        str | None,
        typer.Option(help="Its name in the registry, with or without a tag: trotter:2. By default: its name here."),
    ] = None,
) -> None:
    """
    Push an image to the registry of the ladder to which you have logged in, and print its name there.

    pigpen submit does the same before it submits an image of this machine. Neither needs docker login.

    Examples:
        pigpen push mybot:latest

        pigpen push mybot:latest --name trotter:2
    """
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.pushing import push_image

    login = read_login()
    if login is None:
        raise UserError(NOT_LOGGED_IN)
    with Connection(login.address, login.token) as connection, pushing(image) as tell:
        there = push_image(connection, login, image, name, tell)
    typer.echo(sanitize(there))


@contextmanager
def pushing(image: str) -> Iterator[Callable[[str], None]]:
    """Show in a line of a terminal how much of an image has been pushed; outside a terminal show nothing."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda words: None
        return
    with console.status(in_markup(f"Pushing {image}")) as status:
        yield lambda words: status.update(in_markup(words))


def check_words(login: Login, owner: str | None, sandbox: str | None) -> None:
    """
    Refuse options that make no sense for a remote ladder.

    Raises:
        UserError: If one is given.
    """
    if owner not in (None, login.name):
        raise UserError(
            f"You are {login.name} on {login.address}, and your bots there belong to you. Leave --owner out, or "
            "submit to the ladder on this machine with --local."
        )
    if sandbox is not None:
        raise UserError(
            f"The ladder {login.address} decides where its bots run. Leave --sandbox out, or submit to the ladder on "
            "this machine with --local."
        )


class SubmissionOnTerminal:
    """The `SubmissionObserver` of a command: one line of a terminal that changes, else a line for each phase."""

    progress = staticmethod(progress)
    pushing = staticmethod(pushing)

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._status: Status | None = None
        self._last = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def moved(self, row: SubmissionRow) -> None:
        """Show how far it is."""
        is_new, self._last = row.phase != self._last, row.phase
        if self._console.is_terminal:
            if self._status is None:  # not before: an upload has a bar of its own
                self._status = self._console.status("")
                self._status.start()
            self._status.update(in_markup(words_for(row)))
        elif is_new:
            self.say(words_for(row))

    def say(self, sentence: str) -> None:
        """Say something that stays."""
        if self._status is not None:
            self._console.print(sanitize(sentence), markup=False, highlight=False, soft_wrap=True)
        else:
            typer.echo(sanitize(sentence), err=True)  # Ctrl-C in the middle leaves nothing to be printed twice


def words_for(row: SubmissionRow) -> str:
    """Describe the progress of a submission in a few words."""
    name = f"Submission {row.id}"
    if row.finished is not None:
        return f"{name}: {row.status}"
    if row.status == "queued":
        return f"{name}: waiting, number {row.place} in the queue" if row.place else f"{name}: waiting"
    if row.phase == "trying" and row.steps:
        return f"{name}: trying, {row.done} of {counted(row.steps, 'case')}"
    return f"{name}: {row.phase}"


FAULTS = 3
"""At most this many faults of a match are printed; `--json` has all of them."""


def print_result(found: SubmissionResult, submitted: str) -> None:
    """
    Print what became of a submission that was tried.

    Args:
        found: Its result.
        submitted: The folder or image, as its owner calls it.
    """
    if found.accepted:
        _print_accepted(found, submitted)
    else:
        _print_rejected(found)


def _print_accepted(found: SubmissionResult, submitted: str) -> None:
    """Print what the ladder holds now."""
    for sentence in _notes(found, submitted):
        _say(sentence)
    if not found.changed:
        _say(f"{found.version} is this already; nothing changed.")
    else:
        _say(f"{found.version} of {found.owner}: {found.identity}")
    for entry in found.variants:
        state = entry.news if entry.state == "active" else f"{entry.news}, {entry.state}"
        replaced = f", in the place of {', '.join(entry.retired)}" if entry.retired else ""
        _say(f"  {entry.variant}: {state}, Elo {entry.elo:.0f}{replaced}")
        if entry.missing_owners and entry.state == "active":
            _say(f"  It {waits_for(entry.missing_owners)} before it can play {entry.variant}.")


def _print_rejected(found: SubmissionResult) -> None:
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


def _notes(found: SubmissionResult, submitted: str) -> Iterator[str]:
    for variant in found.outdated:
        yield f"This ladder plays {variant} by the rules with which it began; the preset has changed since."
    if found.moved_from:
        yield (
            f"{submitted} is now another image. Before, it was {found.moved_from}, which "
            f"{'still plays, too' if found.moved_plays else 'played until now'}."
        )
