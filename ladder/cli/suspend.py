"""`pigpen suspend` and `pigpen resume-bot`: the organiser decides who plays."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from ladder.cli.ladder import opened
from ladder.cli.sanitize import harmless
from ladder.errors import UserError

BotArgument = Annotated[str, typer.Argument(help="A bot, which means its newest version, or a version: Trotter@2.")]
VariantOption = Annotated[str | None, typer.Option(help="Only in this variant; by default in all.")]


def suspend(
    bot: BotArgument,
    reason: Annotated[str, typer.Option(help="Why, for its owner.")],
    variant: VariantOption = None,
) -> None:
    """
    Take a bot out of the matches to come, until pigpen resume-bot; its rating is kept.

    Bots that keep failing are suspended by the ladder itself, and come back after a while.

    Examples:
        pigpen suspend Trotter --reason "It prints a gigabyte a match."

        pigpen suspend Trotter@2 --variant gongzhu --reason "Its owner asked for it."
    """
    from ladder.store.commands.suspending import suspend_entries
    from ladder.store.names import find_version

    if not reason.strip():
        raise UserError("A reason is needed, for the bot's owner: --reason TEXT")
    with opened() as database, database.write() as session:
        variants = suspend_entries(session, find_version(session, bot, variant), variant, reason.strip(), time.time())
    typer.echo(harmless(f"{bot} is suspended in {', '.join(variants)}."))


def resume_bot(bot: BotArgument, variant: VariantOption = None) -> None:
    """
    Let a suspended bot play again, whoever suspended it.

    Examples:
        pigpen resume-bot Trotter

        pigpen resume-bot Trotter@2 --variant gongzhu
    """
    from ladder.store.commands.suspending import resume_entries
    from ladder.store.names import find_version

    with opened() as database, database.write() as session:
        variants = resume_entries(session, find_version(session, bot, variant), variant, time.time())
    typer.echo(harmless(f"{bot} plays again in {', '.join(variants)}."))
