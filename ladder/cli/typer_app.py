"""All commands in one typer app. A command is imported when it runs: `pigpen --help` imports none."""

from __future__ import annotations

import importlib
import io
import os
import re
import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from ladder.cli.commands import COMMANDS, PANELS
from ladder.garbage import no_garbage
from ladder.terminal.interrupts import Stopped, interruptible
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


PYDANTIC = "Value error, "
"""The words that pydantic, by which typer reads options, puts before a sentence; users do not know it."""


class _Commands(TyperGroup):
    """All commands: to a list of them a name and a line of help each, and imported when one runs."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for panel, commands in PANELS.items():
            for name, command in commands.items():
                self.add_command(TyperCommand(name, help=command.help, rich_help_panel=panel))

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """See typer; the message about a mistyped command goes through `sanitize`, too."""
        with _in_printable_words():
            return super().make_context(*args, **settings)

    def resolve_command(self, *args: Any) -> Any:
        """See typer."""
        name, command, words = super().resolve_command(*args)
        return name, command and load_command(name), words

    def invoke(self, *args: Any) -> Any:
        """See typer."""
        with interruptible(), _in_printable_words():
            return super().invoke(*args)


@cache
def load_command(name: str) -> Any:
    """Import the command, or the group of commands, of that name; what typer makes of it."""
    module, _, attribute = COMMANDS[name].place.partition(":")
    with no_garbage():
        found = getattr(importlib.import_module(module), attribute)
    if isinstance(found, typer.Typer):
        command: Any = typer.main.get_group(found)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
        alone.command(name)(found)
        command = typer.main.get_command(alone)
    _join_lines(command)
    return command


@contextmanager
def _in_printable_words() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message") and hasattr(error, "message"):
            error.message = sanitize(_sentence(error), spared="\n")
        raise


def _sentence(error: Any) -> str:
    """Say what is wrong with a word; typer leaves out which it is, where pydantic refuses it."""
    text = str(error.message)
    if not text.startswith("Input should be ") or not hasattr(error.__cause__, "errors"):
        return text.replace(PYDANTIC, "")
    from referee.records.framing import shortened  # with the rules of all games

    word = shortened(repr(error.__cause__.errors()[0]["input"]))
    return f"{word} should be {text.removeprefix('Input should be ').partition(', unable to parse')[0]}."


def _print_version(wanted: bool) -> None:
    if wanted:
        from pigpen.version import __version__  # with the rules of all games

        typer.echo(sanitize(f"pigpen {__version__}"))
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version, and exit.")
    ] = False,
) -> None:
    """Take the options of `pigpen` itself."""


app = typer.Typer(
    name="pigpen",
    cls=_Commands,
    help="Write bots for Hearts, Gong Zhu 拱猪 and Chinese Hearts, let them play, and see which is best.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.callback()(_options)


def run_app() -> None:
    """Run the command line; a mistake of the user's is one sentence and exit code 2."""
    _forget_odd_sizes()
    _replace_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name in letters that the terminal lacks is no reason to fail
    with _quitting():
        for name in {*sys.argv[1:2]} & COMMANDS.keys():
            load_command(name)  # while Ctrl-C still ends the process at once
        typer.main.get_command(app)()


def run_command(command: Callable[[], object]) -> None:
    """Run a function as `run_app` runs commands, without a command line; its errors become the same sentences."""
    with _quitting(), interruptible():
        command()


@contextmanager
def _quitting() -> Iterator[None]:
    try:
        with _all_written():
            yield
    except (Exception, Stopped) as error:
        from ladder.cli.failures import quit_after  # with all kinds of errors, which take long to import

        quit_after(error)


@contextmanager
def _all_written() -> Iterator[None]:
    """
    Write what a command has printed before the process ends, while it can still say that this is not possible.

    Raises:
        BrokenPipeError: If the program that reads it has ended; typer and rich exit with 1, which means another thing.
        OSError: If it cannot be written.
    """
    try:
        yield
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        sys.stdout.flush()
        raise


def _replace_closed_streams() -> None:
    """
    Open the null device for each standard stream that was closed when the process began (`<&-`, `>&-`).

    Python then has None in its place, on which commands would fail. ``sys.__stdin__`` stays None.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, errors="replace"))  # noqa: SIM115 (never closed)


def _forget_odd_sizes() -> None:
    """Let the terminal itself say how large it is where a variable says what no terminal is, such as COLUMNS=0."""
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch("[1-9][0-9]{0,3}", os.environ.get(name, "")):
            os.environ.pop(name, None)


def _join_lines(command: Any) -> None:
    """Let the terminal's width break the lines of a help text, not the source; indented ones, the examples, stay."""
    if command.help:
        command.help = re.sub(r"(?<=\S)\n(?=\S)", " ", command.help)
    for below in getattr(command, "commands", {}).values():
        _join_lines(below)
