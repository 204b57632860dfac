"""`pigpen submit`: enter a bot in the ladder; `pigpen submissions`: what was handed in, and what became of it."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import ValidationError
from rich.console import Console

from ladder.app.remote.login import read_login
from ladder.cli.submit.remote import SubmissionOnTerminal, check_words, print_result, words_for
from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import find_bot
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked, need_login_or_packages, opened, the_settings
from ladder.terminal.ladder_words import cell, plain_table, say, when
from ladder.terminal.options import say_what_is_not_read
from ladder.terminal.running import run
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import SubmissionOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.remote.login import Login
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.submission import SubmissionRow


def submit(
    bot: Annotated[str, typer.Argument(help="A sample bot's name, a folder or an image.")],
    name: Annotated[str | None, typer.Option(help="The bot's name. By default: the folder's, or the image's.")] = None,
    owner: Annotated[
        str | None,
        typer.Option(
            help="The owner of the bot. By default: your login name. On a remote ladder the owner is always you."
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            help="A variant to play: one of the ladder, a preset, a TOML file, or all; may be given several times. "
            "By default: what the bot plays already. For a new bot: what its label pigpen.variants says, or gongzhu."
        ),
    ] = None,
    keep_old: Annotated[bool, typer.Option("--keep-old", help="Keep the bot's other versions in the ladder.")] = False,
    sandbox: Annotated[
        Literal["docker", "process"] | None,  # the words of `LadderSandbox`: typer takes no members in a Literal
        typer.Option(help="The sandbox in which it runs. By default: that of the ladder, or the setting sandbox."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Try a bot and enter it in the ladder: exit code 0 if it is entered, 1 if it failed.

    The bot is built or pulled, and pinned by its digest. It must pass every case of pigpen check, and play deals
    against itself in each variant without a fault. Submitting the same program again changes nothing. Another program
    of the same name is a new version: it replaces the old one, and begins with its rating.

    If you have logged in with pigpen login, the bot is sent to that ladder and tried there.

    Examples:
        pigpen submit ./mybot --name Trotter --owner ada

        pigpen submit ./mybot --name Trotter --variant gongzhu --variant hearts

        pigpen submit ada/trotter:2 --name Trotter --keep-old
    """
    from ladder.app.submit.ended import result_of

    source = find_bot(bot)
    if source.command is not None:
        raise UserError(f"{bot!r} is a program of this machine, which no ladder can play. Name its folder or an image.")
    say_what_is_not_read([source])
    login = None if local else read_login()
    if login is not None:
        check_words(login, owner, sandbox)
    elif not local:
        need_login_or_packages()
    order = _order(source, name, variant or (), keep_old, bot)
    with SubmissionOnTerminal() as observer:
        if login is not None:
            row = _submit_there(login, order, source, observer)
        else:
            row = _submit_here(order, source, owner, sandbox, observer)
    found = result_of(row)
    if as_json:
        print_json(found)
    else:
        print_result(found, source.image or source.name)
    if not found.accepted:
        raise typer.Exit(1)


def _order(source: BotSource, name: str | None, variants: Sequence[str], keep_old: bool, word: str) -> SubmissionOrder:
    """Describe what is submitted, to whatever ladder."""
    from ladder.entry.claims import check_name
    from ladder.entry.variants import choices

    name = name or (source.name.partition(":")[0] if source.image else source.name)
    check_name(name, "a bot (--name)")
    try:
        return SubmissionOrder(
            name=name,
            image=source.image,
            source=source.image or source.name,
            word=word,
            variants=choices(variants),
            keep_old=keep_old,
        )
    except ValidationError as error:
        (first, *_) = error.errors(include_url=False)
        raise UserError(f"No ladder takes this submission: {first['loc'][0]}: {first['msg']}.") from None


def _submit_there(
    login: Login, order: SubmissionOrder, source: BotSource, observer: SubmissionOnTerminal
) -> SubmissionRow:
    """Submit a bot to a remote ladder, and wait until the submission has ended."""
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.remote_submission import submit as submit_there

    with Connection(login.address, login.token) as connection:
        return submit_there(connection, login, order, source, observer)


def _submit_here(
    order: SubmissionOrder, source: BotSource, owner: str | None, sandbox: str | None, observer: SubmissionOnTerminal
) -> SubmissionRow:
    """Submit a bot to the ladder on this machine, and try it in this process."""
    from ladder.app.submit.local_submission import submit as submit_here

    settings = the_settings(*([source.folder] if source.folder else []))
    kind, owner = SandboxKind(sandbox) if sandbox else None, owner or _login()
    with opened(settings, create=True) as ladder:
        return run(submit_here(ladder, order, source.folder, observer, owner=owner, sandbox=kind))


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise UserError("This login has no name. Name the bot's owner: --owner NAME") from None


def submissions(
    number: Annotated[
        int | None, typer.Argument(metavar="[ID]", help="Show only this submission, with its result.")
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Withdraw this submission, if it has not ended.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Show at most the N newest.")] = 20,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    List your submissions, with their progress and results.

    Examples:
        pigpen submissions

        pigpen submissions 17

        pigpen submissions 17 --withdraw
    """
    if number is None and withdraw:
        raise UserError("Name the submission to withdraw: pigpen submissions ID --withdraw")
    with asked(local) as ladder:
        if number is None:
            found = ladder.submissions(None, limit)
            if as_json:
                print_json(found)
            else:
                print_submissions(found.submissions, Console())
            return
        row = ladder.withdraw(number) if withdraw else ladder.submission(number)
    if as_json:
        print_json(row)
    else:
        print_submission(row, Console())


def print_submissions(found: Sequence[SubmissionRow], console: Console) -> None:
    """Print a row for each."""
    if not found:
        say(console, "There are no submissions.")
        return
    table = plain_table("submission", "bot", "owner", "when", "state", right=("submission",), wrapped=("state",))
    for row in found:
        texts = (str(row.id), row.bot, row.owner, when(row.added), _state(row))
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def print_submission(row: SubmissionRow, console: Console) -> None:
    """Print one, and what became of it in the words of pigpen submit."""
    say(console, f"Submission {row.id}: {row.bot} of {row.owner}, from {row.source}, {when(row.added)}", "bold")
    say(console, f"  {_state(row)}")
    if row.result is not None:
        print_result(row.result, row.source)


def _state(row: SubmissionRow) -> str:
    state = words_for(row).partition(": ")[2]
    return f"{state}: {row.reason}" if row.reason else state
