"""
Images of bots in their trials: facts about each before it runs, and the ways in which the ladder keeps and fetches one.

Images of the ladder's registry are looked at there, pulled by digest, and taken off this engine again. Images that the
ladder has built are put into its registry, and found there by machines that need them.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from docker.utils import parse_repository_tag

from ladder.errors import BotRejected, SandboxError
from ladder.registry.image_names import ImageName, in_registry
from ladder.registry.manifests import read_manifest
from ladder.registry.registry_client import RegistryClient, check_contents
from ladder.sandbox.bots.recipes import VARIANTS
from ladder.sandbox.docker.bot_images import find_image, pull_image
from ladder.sandbox.docker.built_images import ENTERED, KEY_LABEL, forget_folder
from ladder.sandbox.docker.containers import MARK, OWNER, SANDBOX
from ladder.sandbox.docker.engine import ENGINE_ERRORS, PULL_SECONDS, connect, engine, engine_errors, within

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from docker import DockerClient
    from docker.models.images import Image

    from ladder.registry.login import ImagePlace, RegistryLogin
    from ladder.trials.trial_tasks import SubmissionTask

RUN_LABELS = (MARK, OWNER, SANDBOX)
"""Labels by which the ladder finds its own containers; no image may bear them."""


@dataclass(frozen=True)
class ImageFacts:
    """An image that is fit to be tried."""

    size: int
    """Bytes."""
    pinned: str | None
    """The reference of the image in a registry: ``registry/name@sha256:…``."""
    variants: tuple[str, ...]
    """The variants that it says it plays; empty: it does not say."""


def refresh(reference: str) -> None:
    """
    Ask the registry what *reference* names now, if that is where this engine has it from.

    Raises:
        BotRejected: If the registry has no such image any more.
        SandboxError: If the engine fails, or the registry does not answer.
    """
    repository, tag = parse_repository_tag(reference)
    if repository == "sha256" or (tag or "").startswith("sha256:"):
        return  # an id or a digest names one thing for ever
    with engine(f"look up {reference}") as client:
        image = find_image(client, reference)
        if image is not None and any(_is_from(repository, digest) for digest in _digests(image)):
            pull_image(client, reference)


def examine(identity: str, name: str, reference: str | None, max_bytes: int) -> ImageFacts:
    """
    Look at the image *identity* before anything of it runs.

    Args:
        identity: Its id.
        name: What the contestant called it.
        reference: The image reference that was submitted; None for a folder.
        max_bytes: The largest image that is taken.

    Raises:
        BotRejected: If the ladder does not take it.
        SandboxError: If the engine fails.
    """
    with engine(f"look at {name}") as client:
        image = client.images.get(identity)
        versions = client.version()
    check_size(name, int(image.attrs["Size"]), max_bytes)
    _check_machine(name, image, str(versions["Os"]), str(versions["Arch"]))
    _check_labels(name, image)
    offered = str(image.labels.get(VARIANTS, "")).replace(",", " ").split()
    repository = parse_repository_tag(reference)[0] if reference else ""
    digests = sorted(_digests(image), key=lambda digest: not _is_from(repository, digest))
    return ImageFacts(int(image.attrs["Size"]), next(iter(digests), None), tuple(offered))


def forget(folder: Path) -> None:
    """
    Let the engine forget that it has built images from *folder*, except those that were entered, or that another folder
    was built to as well.

    Raises:
        SandboxError: If the engine fails.
    """
    with engine("forget what was built") as client:
        forget_folder(client, folder)


def keep(identity: str) -> None:
    """
    Tag an entered image, so that it stays when its own tag names another one.

    Raises:
        SandboxError: If the engine fails.
    """
    with engine("tag an image") as client:
        client.api.tag(identity, ENTERED, identity.removeprefix("sha256:")[:40])


def check_size(name: str, size: int, max_bytes: int) -> None:
    """
    Refuse an image or a folder that is too large.

    Raises:
        BotRejected: If it is.
    """
    if size > max_bytes:
        raise BotRejected(
            f"{name} has {size:,} bytes, and this ladder takes at most {max_bytes:,} (setting image_bytes). "
            "Leave out what the bot does not need to play."
        )


def _check_machine(name: str, image: Image, system: str, machine: str) -> None:
    found = f"{image.attrs['Os']}/{image.attrs['Architecture']}"
    if found != f"{system}/{machine}":
        raise BotRejected(f"{name} is made for {found!r}, and this ladder runs {system}/{machine}. Build it for that.")


def _check_labels(name: str, image: Image) -> None:
    borne = [label for label in RUN_LABELS if label in image.labels]
    if borne:
        raise BotRejected(
            f"{name} has the label {borne[0]}, by which the ladder finds its containers. Build it without that label."
        )


def _digests(image: Image) -> list[str]:
    return [str(digest) for digest in image.attrs["RepoDigests"] or ()]


def _is_from(repository: str, digest: str) -> bool:
    return digest.startswith(f"{repository}@")


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


_KEY = re.compile("[0-9a-f]{40}")


def find_built(place: ImagePlace, key: str) -> str | None:
    """
    Have on this engine what was built with a key before, on whatever machine; gives the image's id, or None.

    Raises:
        SandboxError: If the registry or the engine fails.
    """
    with RegistryClient(place.login) as registry:
        digest = registry.digest(ImageName(place.repository, key))
    if digest is None:
        return None
    pinned = f"{place.login.address}/{place.repository}@{digest}"
    pull(place.login, pinned)
    with engine(f"look up {pinned}") as client:
        return str(client.images.get(pinned).id)


def is_here(identity: str) -> bool:
    """
    Tell whether this machine's engine has an image.

    Raises:
        SandboxError: If the engine fails.
    """
    with engine(f"look up {identity}") as client:
        return find_image(client, identity) is not None


def push(place: ImagePlace, identity: str) -> str:
    """
    Put an image of this engine's into the ladder's registry; gives the reference by digest.

    Its tag there is the key with which it was built, by which `find_built` finds it.

    Raises:
        SandboxError: If the registry or the engine fails, or the registry does not let the ladder in.
    """
    repository = f"{place.login.address}/{place.repository}"
    with engine(f"push {repository}") as client:
        tag = _tag_of(client.images.get(identity))
        client.api.tag(identity, repository, tag)
        try:
            digest = _push(client, place.login, repository, tag)
        finally:
            client.api.remove_image(f"{repository}:{tag}", noprune=True)
    return f"{repository}@{digest}"


def _tag_of(image: Image) -> str:
    key = str(image.labels.get(KEY_LABEL, ""))
    return key if _KEY.fullmatch(key) else str(image.id).removeprefix("sha256:")[:40]


def _push(client: DockerClient, login: RegistryLogin, repository: str, tag: str) -> str:
    secret = {"registrytoken": login.token, "serveraddress": login.address}
    pushing = partial(client.api.push, repository, tag, stream=True, decode=True, auth_config=secret)
    digest = ""
    for message in within(PULL_SECONDS, lambda: list(pushing())):
        if "error" in message:
            raise SandboxError(f"{repository} could not be pushed: {str(message['error']).strip()}.")
        digest = str((message.get("aux") or {}).get("Digest", digest))
    if not digest:
        raise SandboxError(f"The engine does not say whether {repository} was pushed.")
    return digest
