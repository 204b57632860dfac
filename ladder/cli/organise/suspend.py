"""`pigpen suspend` and `pigpen resume-bot`: the organiser decides who plays."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import LocalOption, only_here, opened
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL

BotArgument = Annotated[str, typer.Argument(help="A bot, which means its newest version, or a version: Trotter@2.")]
VariantOption = Annotated[str | None, typer.Option(help="Only in this variant. By default: in all its variants.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print what has changed as JSON.")]


def suspend(
    bot: BotArgument,
    reason: Annotated[str, typer.Option(help="The reason, for its owner.")],
    variant: VariantOption = None,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Schedule no more matches for a bot, until pigpen resume-bot. Its rating is kept.

    The ladder itself suspends bots that fail again and again, and resumes them after some time.

    Examples:
        pigpen suspend Trotter --reason "It prints a gigabyte a match."

        pigpen suspend Trotter@2 --variant gongzhu --reason "Its owner asked for it."
    """
    only_here("suspend", local)
    from ladder.app.states import suspend as suspend_bot

    with opened() as ladder:
        done = suspend_bot(ladder, LOCAL, bot, reason, variant)
    if as_json:
        print_json(done)
    else:
        typer.echo(sanitize(f"{done.bot} is suspended in {', '.join(done.variants)}."))


def resume_bot(
    bot: BotArgument, variant: VariantOption = None, as_json: JsonOption = False, local: LocalOption = False
) -> None:
    """
    Let a suspended bot play again. It does not matter who suspended it, an organiser or the coordinator.

    Examples:
        pigpen resume-bot Trotter

        pigpen resume-bot Trotter@2 --variant gongzhu
    """
    only_here("resume-bot", local)
    from ladder.app.states import resume_bot as resume

    with opened() as ladder:
        done = resume(ladder, LOCAL, bot, variant)
    if as_json:
        print_json(done)
    else:
        typer.echo(sanitize(f"{done.bot} plays again in {', '.join(done.variants)}."))
