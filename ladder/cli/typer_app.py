"""All commands in one typer app, and what becomes of the errors that they raise."""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from ladder.cli.accounts.group import account
from ladder.cli.accounts.login import login, logout, whoami
from ladder.cli.event.group import event
from ladder.cli.extras import how_to_install
from ladder.cli.organise.cluster import cluster
from ladder.cli.organise.config import config
from ladder.cli.organise.db import db
from ladder.cli.organise.doctor import doctor
from ladder.cli.organise.run import ladder_app
from ladder.cli.organise.serve import serve, up
from ladder.cli.organise.suspend import resume_bot, suspend
from ladder.cli.organise.worker import worker
from ladder.cli.play.check import check
from ladder.cli.play.compare import compare_bots
from ladder.cli.play.lock import lock
from ladder.cli.play.new import new
from ladder.cli.play.play import play
from ladder.cli.play.rerun import rerun
from ladder.cli.play.rules import rules
from ladder.cli.replay.replay import replay
from ladder.cli.replay.verify import verify_records
from ladder.cli.replay.why import why
from ladder.cli.results.bots import bots
from ladder.cli.results.explain import explain
from ladder.cli.results.logs import logs
from ladder.cli.results.matches import matches
from ladder.cli.results.retire import retire
from ladder.cli.results.show import show
from ladder.cli.results.standings import standings
from ladder.cli.submit.push import push
from ladder.cli.submit.submissions import submissions
from ladder.cli.submit.submit import submit
from ladder.people.commands.allow_people import allow_people
from ladder.people.commands.table import table
from ladder.sandbox.host.scratch import NO_ROOM
from ladder.terminal.running import Stopped, interruptible
from ladder.terminal.sanitize import sanitize
from pigpen.rules.errors import PigpenError
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator


class _Commands(TyperGroup):
    """All commands; what is said of a mistyped one goes through `sanitize`, too."""

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """See typer."""
        with _in_printable_words():
            return super().make_context(*args, **settings)

    def invoke(self, *args: Any) -> Any:
        """See typer."""
        with interruptible(), _in_printable_words():
            return super().invoke(*args)


@contextmanager
def _in_printable_words() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "message"):
            error.message = sanitize(str(error.message), spared="\n")
        raise


PANELS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Write a bot": {
        "new": new,
        "play": play,
        "check": check,
        "lock": lock,
        "compare": compare_bots,
        "rules": rules,
        "submit": submit,
        "submissions": submissions,
    },
    "Look into a match": {
        "replay": replay,
        "why": why,
        "rerun": rerun,
        "verify": verify_records,
        "explain": explain,
        "logs": logs,
    },
    "Follow a ladder": {"standings": standings, "bots": bots, "show": show, "matches": matches, "table": table},
    "A remote ladder": {"login": login, "logout": logout, "whoami": whoami, "push": push},
    "Run a ladder": {
        "ladder": ladder_app,
        "event": event,
        "up": up,
        "serve": serve,
        "cluster": cluster,
        "worker": worker,
        "account": account,
        "allow-people": allow_people,
        "retire": retire,
        "suspend": suspend,
        "resume-bot": resume_bot,
        "doctor": doctor,
        "config": config,
        "db": db,
    },
}
"""Every command by its name, as `pigpen --help` shows them."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(sanitize(f"pigpen {__version__}"))
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version, and exit.")
    ] = False,
) -> None:
    """Take the options of `pigpen` itself."""


def _app_of(names: Collection[str]) -> typer.Typer:
    """The app with the commands of these names."""
    app = typer.Typer(
        name="pigpen",
        cls=_Commands,
        help="Write bots for Hearts, Gong Zhu 拱猪 and Chinese Hearts, let them play, and see which is best.",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for panel, commands in PANELS.items():
        for name, command in commands.items():
            if name not in names:
                continue
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name, rich_help_panel=panel)
            else:
                app.command(name, rich_help_panel=panel)(command)
    return app


NAMES = [name for commands in PANELS.values() for name in commands]
app = _app_of(NAMES)
LINES = "\n"


def run_app() -> None:
    """Run the command line; a mistake of the user's is one sentence and exit code 2."""
    _forget_odd_sizes()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name in letters that the terminal lacks is no reason to fail
    try:
        _put_together(next((word for word in sys.argv[1:2] if word in NAMES), ""))()
    except PigpenError as error:
        _quit(str(error), error.exit_code)
    except Stopped as stopped:
        _quit(str(stopped), stopped.code)
    except ModuleNotFoundError as error:
        if not (sentence := how_to_install(error.name)):
            raise
        _quit(sentence, 2)
    except OSError as error:
        if error.filename or error.errno not in NO_ROOM:
            raise
        _quit(f"The output cannot be written: {error.strerror}.", 3)


def _forget_odd_sizes() -> None:
    """Let the terminal itself say how large it is where a variable says what no terminal is, such as COLUMNS=0."""
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch("[1-9][0-9]{0,3}", os.environ.get(name, "")):
            os.environ.pop(name, None)


@cache
def _put_together(name: str) -> TyperGroup:
    """The app with the command of that name alone, or with all if there is none: typer takes 3 ms for each."""
    group = typer.main.get_command(_app_of([name]) if name else app)
    assert isinstance(group, TyperGroup)
    _join_lines(group)
    return group


def _join_lines(command: Any) -> None:
    """Let the terminal's width break the lines of a help text, not the source; indented ones, the examples, stay."""
    if command.help:
        command.help = re.sub(r"(?<=\S)\n(?=\S)", " ", command.help)
    for below in getattr(command, "commands", {}).values():
        _join_lines(below)


def _quit(message: str, code: int) -> None:
    print(f"pigpen: {sanitize(message.expandtabs(), spared=LINES)}", file=sys.stderr)
    sys.exit(code)
