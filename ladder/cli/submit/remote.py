"""`pigpen submit` to a remote ladder: how far the submission has come, until it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.console import Console

from ladder.cli.submit.push import pushing
from ladder.errors import UserError
from ladder.terminal.progress import progress
from ladder.terminal.sanitize import in_markup, sanitize
from ladder.values.text import counted

if TYPE_CHECKING:
    from typing import Self

    from ladder.app.remote.connection import Connection
    from ladder.app.remote.login import Login
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.submission import SubmissionOrder, SubmissionRow


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


def submit_there(login: Login, order: SubmissionOrder, source: BotSource) -> SubmissionRow:
    """
    Submit a bot to a remote ladder, and wait until the submission has ended; what may go wrong is that of `submit`.

    Raises:
        RemoteError: If the ladder does not answer any more.
    """
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.submitting import submit

    with Connection(login.address, login.token) as connection:
        return _watched(connection, submit(connection, login, order, source, progress, pushing))


def _watched(connection: Connection, row: SubmissionRow) -> SubmissionRow:
    """Follow a submission to its end; the first Ctrl-C only says that it continues without this command."""
    from ladder.app.remote.following import follow

    warned = False
    with _Shown(Console(stderr=True)) as shown:
        while True:
            try:
                for now in follow(connection, row.id):
                    shown.show(now)
                return now
            except KeyboardInterrupt:
                if warned:
                    raise
                warned = True
                shown.say(
                    f"Submission {row.id} continues without this command. To see it: pigpen submissions {row.id}. To "
                    f"withdraw it: pigpen submissions {row.id} --withdraw. Ctrl-C again ends this command."
                )


class _Shown:
    """Says how far a submission has come: in one line of a terminal, else in a line for each phase."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = console.status("")
        self._last = ""

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    def show(self, row: SubmissionRow) -> None:
        """Say how far it is."""
        is_new, self._last = row.phase != self._last, row.phase
        if self._console.is_terminal:
            self._status.update(in_markup(words_for(row)))
        elif is_new:
            self.say(words_for(row))

    def say(self, sentence: str) -> None:
        """Say something that stays."""
        if self._console.is_terminal:
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
