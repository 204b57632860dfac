"""`pigpen submit`: enter a bot in the ladder."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import ValidationError

from ladder.app.remote.login import read_login
from ladder.cli.submit.remote import SubmissionOnTerminal, check_words, print_result
from ladder.errors import UserError
from ladder.sandbox.bots.bot_source import find_bot
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import LocalOption, need_login_or_packages, opened, the_settings
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

    check_name(name := name or _name_of(source), "a bot (--name)")
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


def _name_of(source: BotSource) -> str:
    return source.name.partition(":")[0] if source.image else source.name


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise UserError("This login has no name. Name the bot's owner: --owner NAME") from None
