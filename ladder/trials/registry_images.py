"""Images of the ladder's registry: looked at there, pulled by digest, and taken off this engine again."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from ladder.errors import BotRejected, SandboxError
from ladder.registry.client import RegistryClient
from ladder.registry.manifests import read_manifest
from ladder.registry.names import in_registry
from ladder.registry.unpacked_size import check_contents
from ladder.sandbox.docker.bot_images import find_image, pull_image
from ladder.sandbox.docker.engine import ENGINE_ERRORS, connect, engine_errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ladder.registry.login import RegistryLogin
    from ladder.registry.names import ImageName
    from ladder.trials.tasks import SubmissionTask


def fetch(login: RegistryLogin, reference: str, max_bytes: int) -> str:
    """
    Have an image of the ladder's registry on this engine: checked there first, then pulled by its digest.

    Args:
        login: Lets the ladder in.
        reference: The image, by tag or digest.
        max_bytes: The largest image that is taken.

    Returns:
        The reference by digest.

    Raises:
        BotRejected: If there is no such image, or the ladder does not take it.
        SandboxError: If the registry or the engine fails.
    """
    image = _image(login, reference)
    with RegistryClient(login) as registry:
        digest, body, media_type = registry.manifest(image)
        manifest = read_manifest(str(image), body, media_type, max_bytes)
        pinned = f"{login.address}/{image.repository}@{digest}"
        if not _is_here(pinned):
            check_contents(registry, image, manifest, max_bytes)
            pull(login, pinned)
    return pinned


def pull(login: RegistryLogin, pinned: str) -> None:
    """
    Pull an image by its digest that has been checked.

    Raises:
        BotRejected: If the registry does not have it any more, by its own word.
        SandboxError: If the registry or the engine fails, or the registry does not let the ladder in.
    """
    with RegistryClient(login) as registry:
        registry.manifest(_image(login, pinned))
    client = connect()
    try:
        with engine_errors(f"pull {pinned}"):
            pull_image(client, pinned, login={"registrytoken": login.token, "serveraddress": login.address})
    except BotRejected as error:  # it is there: no fault of its owner's
        raise SandboxError(str(error)) from error
    finally:
        client.close()


@asynccontextmanager
async def fetched(task: SubmissionTask) -> AsyncIterator[SubmissionTask]:
    """
    Have the image of a submission on this engine, if the ladder's registry has it; gives the task with its digest.

    In the end it is taken off the engine again, unless it was entered, or something uses it.

    Raises:
        BotRejected: If there is no such image, or the ladder does not take it.
        SandboxError: If the registry or the engine fails.
    """
    if task.registry is None or task.image is None:
        yield task
        return
    pinned = await asyncio.to_thread(fetch, task.registry, task.image, task.most_bytes)
    try:
        yield task.model_copy(update={"image": pinned})
    finally:
        await asyncio.to_thread(_forget, pinned)


def _forget(pinned: str) -> None:
    with suppress(SandboxError):
        client = connect()
        try:
            with suppress(*ENGINE_ERRORS):
                client.api.remove_image(pinned)
        finally:
            client.close()


def _image(login: RegistryLogin, reference: str) -> ImageName:
    image = in_registry(reference, login.address)
    if image is None:
        raise BotRejected(f"{reference} is no image of the ladder's registry.")
    return image


def _is_here(pinned: str) -> bool:
    client = connect()
    try:
        with engine_errors(f"look up {pinned}"):
            return find_image(client, pinned) is not None
    finally:
        client.close()
