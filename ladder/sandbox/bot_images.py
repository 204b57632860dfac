"""From a bot's source to the id of the image that will run."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import APIError
from docker.utils import parse_repository_tag
from docker.utils.build import exclude_paths

from ladder.content import archive, content_hash
from ladder.engine import PULL_SECONDS, engine_errors, explain, within
from ladder.folders import unreadable
from ladder.image_build import BuildFailed, build_image
from ladder.images import LATEST
from ladder.sandbox.base import BotRejected, SandboxError

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.images import Image

REPOSITORY = "pigpen/built"
FOLDER_LABEL = "pigpen.folder"
NO_SUCH_IMAGE = ("manifest unknown", "name unknown", "repository name not known", "denied", "unauthorized")
"""What the engine says, as if it were its own failure, when a registry refuses an image and gives no detail."""


def image_of_folder(client: DockerClient, folder: Path, base: str) -> str:
    """
    Build *folder*, or find what it was built to before.

    Args:
        client: The engine.
        folder: Holds a Dockerfile.
        base: Content of the bot base image: when that changes, the folder is built anew.

    Returns:
        The image's id.

    Raises:
        BotRejected: If there is no Dockerfile, it does not build, or the folder cannot be read.
        SandboxError: If the engine fails.
    """
    if not (folder / "Dockerfile").is_file():
        raise BotRejected(
            f"The folder {folder} has no Dockerfile. Three lines will do for a Python bot: "
            f'FROM {LATEST} / COPY bot.py . / CMD ["python", "bot.py"]'
        )
    tag = f"{REPOSITORY}:{_content(folder, base)}"
    with engine_errors(f"build {folder.name}"):
        image = find_image(client, tag)
        if image is None:
            _build(client, folder, tag)
            image = client.images.get(tag)
    return _accept(image, str(folder))


def image_of_reference(client: DockerClient, reference: str) -> str:
    """
    Find the image that *reference* names, pulling it if this engine does not have it.

    Returns:
        The image's id: a tag that moves later does not move the bot.

    Raises:
        BotRejected: If there is no such image.
        SandboxError: If the engine fails, or the image's registry cannot be reached.
    """
    with engine_errors(f"look up {reference}"):
        image = find_image(client, reference) or pull_image(client, reference)
    return _accept(image, reference)


def _content(folder: Path, base: str) -> str:
    with unreadable(folder):
        return hashlib.sha256(f"{content_hash(folder)} {base}".encode()).hexdigest()[:40]


def _build(client: DockerClient, folder: Path, tag: str) -> None:
    with unreadable(folder):
        context = archive(folder, exclude_paths(str(folder), _ignored(folder)))
    try:
        build_image(client, context, tag=tag, labels={FOLDER_LABEL: folder.name})
    except BuildFailed as error:
        raise BotRejected(f"{folder.name} does not build:\n{error}") from error
    except APIError as error:
        if not error.is_client_error():
            raise
        raise BotRejected(f"{folder.name} does not build: {explain(error)}") from error


def _ignored(folder: Path) -> list[str]:
    file = folder / ".dockerignore"
    lines = [line.strip() for line in file.read_text().splitlines()] if file.is_file() else []
    return [line for line in lines if line and not line.startswith("#")]


def find_image(client: DockerClient, reference: str) -> Image | None:
    """Find an image on this engine; None if it is not there, or *reference* is no name for one."""
    try:
        return client.images.get(reference)
    except APIError as error:
        if error.is_client_error():  # there is none, or that is no name for one
            return None
        raise


def pull_image(client: DockerClient, reference: str) -> Image:
    """
    Ask the registry for an image, whether this engine has one of that name or not.

    Raises:
        BotRejected: If the registry does not have it.
        SandboxError: If the registry cannot be reached, or breaks off.
    """
    repository, tag = parse_repository_tag(reference)
    try:
        if repository != "sha256":  # an id says nothing about where to pull from
            within(PULL_SECONDS, partial(_pull, client, reference, repository, tag or "latest"))
        return client.images.get(reference)
    except TimeoutError as error:
        raise _pull_failed(reference, f"it took more than {PULL_SECONDS:g} s") from error
    except APIError as error:
        if not (error.is_client_error() or explain(error).startswith(NO_SUCH_IMAGE)):
            raise _pull_failed(reference, explain(error)) from error
        raise BotRejected(f"The image {reference} could not be pulled: {explain(error)}") from error


def _pull(client: DockerClient, reference: str, repository: str, tag: str) -> None:
    for message in client.api.pull(repository, tag, stream=True, decode=True):
        if "error" in message:  # it is there, but did not come through
            raise _pull_failed(reference, str(message["error"]))


def _pull_failed(reference: str, reason: str) -> SandboxError:
    return SandboxError(
        f"The image {reference} was to be pulled, and pulling it failed: {reason.strip()}. "
        "Build or load it here, or try again when its registry can be reached."
    )


def _accept(image: Image, name: str) -> str:
    config = image.attrs["Config"] or {}  # an image need not have any
    if config.get("Volumes"):
        # Each would become a writable folder on the host's disk, without a size limit.
        raise BotRejected(f"{name} declares a VOLUME, which the sandbox does not allow: bots may write to /tmp only.")
    if not (config.get("Cmd") or config.get("Entrypoint")):
        raise BotRejected(f'{name} does not say what to run. Add a line such as: CMD ["python", "bot.py"]')
    return str(image.id)
