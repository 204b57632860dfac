"""Facts that the ladder needs about an image before it runs, and the way in which it keeps one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from docker.utils import parse_repository_tag

from ladder.errors import BotRejected
from ladder.sandbox.bots.recipes import VARIANTS
from ladder.sandbox.docker.bot_images import find_image, pull_image
from ladder.sandbox.docker.built_images import ENTERED, forget_folder
from ladder.sandbox.docker.containers import MARK, OWNER, SANDBOX
from ladder.sandbox.docker.engine import engine

if TYPE_CHECKING:
    from pathlib import Path

    from docker.models.images import Image

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
