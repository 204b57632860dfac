"""Submitting a bot to a remote ladder: its folder or image is sent there, then the order; a worker there tries it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.remote.folder_sender import PIECE, give_up, packed, upload
from ladder.entry.claims import check_name
from ladder.entry.variants import ALL
from ladder.errors import LadderError, SandboxError
from ladder.sandbox.bots.bot_source import content_of
from ladder.values.standings import VariantSummary
from ladder.values.submission import RegistryPlace, SubmissionRow
from pigpen.rules import PRESETS
from referee.records.rules_file import no_such_rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ladder.app.local.progress import Progress
    from ladder.app.remote.connection import Connection
    from ladder.app.remote.login import Login
    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.submission import SubmissionOrder

    ShowPush = Callable[[str], AbstractContextManager[Callable[[str], None]]]
    """Shows that an image is pushed; gives what takes a sentence on how far that is."""


def submit(
    connection: Connection,
    login: Login,
    order: SubmissionOrder,
    source: BotSource,
    progress: Progress,
    show_push: ShowPush,
) -> SubmissionRow:
    """
    Send a bot and its order.

    Args:
        connection: The ladder.
        login: The owner of the bot.
        order: What is submitted; its image as this machine's engine, or the ladder's registry, names it.
        source: Where the bot is on this machine.
        progress: Shows how much of a folder has been sent.
        show_push: Shows how much of an image has been sent.

    Returns:
        The submission in the ladder's queue.

    Raises:
        BotRejected: If its folder cannot be read.
        LadderError: If the ladder does not take it.
        RemoteError: If the ladder does not answer.
        RulesFileError: If neither Pigpen nor the ladder knows a variant; nothing has been sent.
        SandboxError: If this machine's engine fails.
    """
    _check(connection, order)
    if order.image is not None:
        there = name_in_registry(connection, login, order.image, show_push)
        return connection.send("POST", "/submissions", SubmissionRow, order.model_copy(update={"image": there}))
    sent = _sent(connection, source, progress)
    try:
        return connection.send("POST", "/submissions", SubmissionRow, order.model_copy(update={"upload": sent}))
    except LadderError:
        give_up(connection, sent)
        raise


def _check(connection: Connection, order: SubmissionOrder) -> None:
    """Refuse what can be judged before anything is packed, pushed or sent; the ladder judges the rest."""
    check_name(order.name, "a bot (--name)")
    words = [each for each in order.variants if isinstance(each, str) and each not in (*PRESETS, ALL)]
    if not words:
        return
    played = {row.variant for row in connection.get("/variants", list[VariantSummary], first=0)}
    for word in words:
        if word not in played:
            raise no_such_rules(word)


def name_in_registry(connection: Connection, login: Login, image: str, show_push: ShowPush) -> str:
    """Push an image of this machine's engine; one that is in the ladder's registry already is taken as it is."""
    from ladder.app.remote.pushing import is_on_engine, push_image  # a folder needs no engine

    place = connection.get("/registry", RegistryPlace)
    try:
        is_here = not image.startswith(f"{place.address}/") and is_on_engine(image)
    except SandboxError:  # without an engine, an owner can submit what was pushed from another machine
        is_here = False
    if not is_here:
        return image
    with show_push(image) as tell:
        return push_image(connection, login, image, None, tell)


def _sent(connection: Connection, source: BotSource, progress: Progress) -> str:
    """Send a folder; gives the upload's id."""
    with packed(content_of(source)) as (file, size), progress("uploading", -(-size // PIECE)) as advance:
        return upload(connection, file, size, lambda: advance("uploading"))
