"""`pigpen bench` and `pigpen unbench`: the organiser's word on who plays."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from ladder.cli.ladder import opened
from ladder.cli.sanitize import harmless
from ladder.errors import UserError

BotArgument = Annotated[str, typer.Argument(help="A bot, which means its newest version, or a version: Trotter@2.")]
VariantOption = Annotated[str | None, typer.Option(help="Only in this variant; by default in all.")]


def bench(
    bot: BotArgument,
    reason: Annotated[str, typer.Option(help="Why, for its owner.")],
    variant: VariantOption = None,
) -> None:
    """
    Take a bot out of the matches to come, until it is un-benched; its rating is kept.

    Bots that keep failing are benched by the ladder itself, and come back after a while.

    Examples:
        pigpen bench Trotter --reason "It prints a gigabyte a match."

        pigpen bench Trotter@2 --variant gongzhu --reason "Its owner asked for it."
    """
    from ladder.store.commands.suspending import bench_entries
    from ladder.store.names import find_version

    if not reason.strip():
        raise UserError("A reason is needed, for the bot's owner: --reason TEXT")
    with opened() as database, database.write() as session:
        variants = bench_entries(session, find_version(session, bot, variant), variant, reason.strip(), time.time())
    typer.echo(harmless(f"{bot} is on the bench in {', '.join(variants)}."))


def unbench(bot: BotArgument, variant: VariantOption = None) -> None:
    """
    Let a bot play again that sits on the bench, whoever put it there.

    Examples:
        pigpen unbench Trotter

        pigpen unbench Trotter@2 --variant gongzhu
    """
    from ladder.store.commands.suspending import unbench_entries
    from ladder.store.names import find_version

    with opened() as database, database.write() as session:
        variants = unbench_entries(session, find_version(session, bot, variant), variant, time.time())
    typer.echo(harmless(f"{bot} plays again in {', '.join(variants)}."))
