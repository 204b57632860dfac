"""
The images that were built from folders: which there are, and how few of them stay.

Each has a tag of the folder it was built from, `pigpen/built:<folder>-<key>`: the hash of the folder's path, and a
hash of all that decides what the image is. So two folders of one name do not remove each other's images, and two
folders with the same content share one.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from docker.errors import APIError, ImageNotFound

if TYPE_CHECKING:
    from pathlib import Path

    from docker import DockerClient
    from docker.models.images import Image

REPOSITORY = "pigpen/built"
ENTERED = "pigpen/entered"
"""An entered image gets a tag here, so that `docker image prune` spares it when its own tag moves on."""
FOLDER_LABEL = "pigpen.folder"
"""The folder's name, for people."""
KEY_LABEL = "pigpen.key"
RECIPE_LABEL = "pigpen.recipe"
FILES_ONLY = "files"
"""
That label's value for an image that is a base of ours and files in the bot's folder. An image of a stranger may have
it too, but has no tag in `REPOSITORY`: only images that were built here have one.
"""
TOOLCHAIN_LABEL = "pigpen.toolchain"
"""The language of the source, and the id of the toolchain image that built it."""
KEPT_IMAGES = 3
"""Images of one folder that stay, those used last; an entered one always stays."""
PRUNE_TRIES, PRUNE_PAUSE = 10, 0.2
"""Times that a prune is tried while another one runs, and the seconds between."""
UNKNOWN = "unrecognized image ID"
"""The engine's words, with status 500, if another program removes the same image at this moment."""
OLD = "1h"
"""Age from which layers that belong to no image are removed: a running build may still need younger ones."""


def tag_of(folder: Path, key: str) -> str:
    """Give the tag of the image with that key, as built from that folder."""
    return f"{_place(folder)}-{key}"


def find_built(client: DockerClient, folder: Path, key: str) -> Image | None:
    """
    Find the image with that key, from whatever folder it was built, and mark it as used by this one now.

    This folder's own is asked for by its name: to list images, the engine reads the configuration of each that it has.
    """
    tag = tag_of(folder, key)
    with suppress(ImageNotFound):
        return _used(client, f"{REPOSITORY}:{tag}", tag)
    for found in client.api.images(filters={"reference": f"{REPOSITORY}:*-{key}"}):
        with suppress(ImageNotFound):  # another process has just removed it
            return _used(client, found["Id"], tag)
    return None


def _used(client: DockerClient, name: str, tag: str) -> Image:
    client.api.tag(name, REPOSITORY, tag)
    return client.images.get(f"{REPOSITORY}:{tag}")


def remove_old(client: DockerClient, folder: Path, kept: int) -> None:
    """Remove images of this folder, except the *kept* newest ones, entered ones, and those that a container uses."""
    begin = f"{REPOSITORY}:{_place(folder)}-"
    with suppress(ImageNotFound):  # another process removes some
        found = [client.images.get(image["Id"]) for image in client.api.images(filters={"reference": f"{begin}*"})]
        free = [image for image in found if not any(tag.startswith(f"{ENTERED}:") for tag in image.tags)]
        for image in sorted(free, key=last_used, reverse=True)[kept:]:
            for tag in image.tags:
                if tag.startswith(begin):
                    _remove(client, tag)
    prune(client, label=FOLDER_LABEL, until=OLD)


def forget_folder(client: DockerClient, folder: Path) -> None:
    """Remove the tags of this folder's images, and each image that has no other tag and that no container uses."""
    begin = f"{REPOSITORY}:{_place(folder)}-"
    for image in client.api.images(filters={"reference": f"{begin}*"}):
        for tag in image["RepoTags"] or ():
            if tag.startswith(begin):
                _remove(client, tag)


def remove_layers(client: DockerClient, key: str) -> None:
    """Remove what a build that failed has left."""
    prune(client, label=f"{KEY_LABEL}={key}")


def _place(folder: Path) -> str:
    return hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()[:16]


def last_used(image: Image) -> str:
    """Give the time at which an image got a name last; it says itself of no time (`tag_without_times`)."""
    return max(str(image.attrs.get("Metadata", {}).get("LastTagTime") or ""), str(image.attrs["Created"]))


def _remove(client: DockerClient, tag: str) -> None:
    """Remove a tag, and the image if that was its last one and no container uses it."""
    try:
        client.api.remove_image(tag)
    except APIError as error:
        if not (error.is_client_error() or UNKNOWN in str(error.explanation)):
            raise


def prune(client: DockerClient, **filters: str) -> None:
    """Remove layers without a name; the engine does one prune at a time (409), and waiting helps, or the next time."""
    for _ in range(PRUNE_TRIES):
        try:
            client.images.prune(filters={"dangling": True, **filters})
        except APIError as error:
            if not error.is_client_error():
                raise
            time.sleep(PRUNE_PAUSE)
        else:
            return
