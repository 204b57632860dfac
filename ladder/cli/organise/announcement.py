"""`pigpen ladder announcement`: what the organiser tells all visitors of the site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.ladder_words import when
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.announcements import AnnouncementRow

announcement = typer.Typer(
    name="announcement",
    help="Write announcements on the site's front page and in a feed.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@announcement.callback()
def _announcement() -> None:
    """Write announcements on the site's front page and in a feed."""


@announcement.command()
def add(
    title: Annotated[str, typer.Argument(help="Its title, in one line.")],
    text: Annotated[str, typer.Option(help="Its text, in Markdown.")] = "",
    file: Annotated[Path | None, typer.Option(metavar="FILE", help="A file with its text, in place of --text.")] = None,
    as_json: JsonOption = False,
) -> None:
    """
    Publish an announcement: the newest three stand on the site's front page, all on /announcements and in its feed.

    Its text may have links, lists and emphasis in Markdown; HTML and pictures are not shown.

    Examples:
        pigpen ladder announcement add "Submissions close on Friday"

        pigpen ladder announcement add "Results" --text "The winners are on [the event's page](/events/cup)."

        pigpen ladder announcement add "Week 3" --file week3.md
    """
    from ladder.app.announcements import announce
    from ladder.app.text_file import text_of
    from ladder.values.announcements import MAX_TEXT

    if file is not None:
        if text:
            raise UserError("--text and --file exclude each other: both are its text.")
        text = text_of(file, 4 * MAX_TEXT)
    with opened(create=True) as ladder:
        row = announce(ladder, LOCAL, title, text)
    if as_json:
        print_json(row)
    else:
        again = f"To remove it: pigpen ladder announcement remove {row.number}"
        typer.echo(sanitize(f"Announcement {row.number} is published. {again}"))


@announcement.command("list")
def list_announcements(as_json: JsonOption = False) -> None:
    """
    List announcements, the newest first.

    Examples:
        pigpen ladder announcement list
    """
    from ladder.app.announcements import announcements

    with opened() as ladder:
        found = announcements(ladder)
    if as_json:
        print_json(found)
        return
    for row in found:
        for line in _lines(row):
            typer.echo(sanitize(line))
    if not found:
        typer.echo("There are no announcements. To publish one: pigpen ladder announcement add TITLE")


@announcement.command()
def remove(
    number: Annotated[int, typer.Argument(help="Its number; see: pigpen ladder announcement list")],
    as_json: JsonOption = False,
) -> None:
    """
    Remove an announcement from the site.

    Examples:
        pigpen ladder announcement remove 1
    """
    from ladder.app import announcements

    with opened() as ladder:
        row = announcements.remove(ladder, LOCAL, number)
    if as_json:
        print_json(row)
    else:
        typer.echo(sanitize(f"Announcement {number} is removed: {row.title}"))


def _lines(row: AnnouncementRow) -> Iterator[str]:
    yield f"{row.number}  {when(row.at)}  {row.title}"
    for line in row.text.splitlines():
        yield f"   {line}" if line else ""
