"""Images that the ladder has built: put into its registry, and found there by machines that need them."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.registry.client import RegistryClient
from ladder.registry.names import ImageName
from ladder.sandbox.docker.bot_images import find_image
from ladder.sandbox.docker.built_images import KEY_LABEL
from ladder.sandbox.docker.engine import PULL_SECONDS, engine, within
from ladder.trials.registry_images import pull

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.images import Image

    from ladder.registry.login import ImagePlace, RegistryLogin

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
