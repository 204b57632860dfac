"""
Look at an image before anything of it starts: what could hang the engine, cost it long, or let no container start.

The engine opens /etc/passwd and /etc/group of the image at each start, as root and outside the container: a named pipe
there hangs it, for all its users, until it is restarted. The inspection opens nothing.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.docker.containers import create_idle, discard
from ladder.sandbox.docker.engine import engine_errors
from ladder.sandbox.docker.fit_images import is_known_fit, remember_fit
from ladder.sandbox.docker.image_config import UnfitImage, check_config, working_folder
from ladder.sandbox.docker.image_tree import ImageTree
from ladder.sandbox.docker.limits import SEAT_FOLDER

if TYPE_CHECKING:
    from docker import DockerClient

USERS = ("/etc/passwd", "/etc/group")
"""Files that the engine and the runtime read at each start."""

MAX_USERS = 1024 * 1024
"""Bytes of such a file."""

MAX_LINE = 64 * 1024
"""Bytes of one line of such a file: the engine reads no longer one."""

OVERLAID = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
"""Files that the engine lays its own over."""

KERNEL = ("/proc", "/sys", "/dev")
"""Folders that the runtime makes anew; an image's own content there is never seen."""

MOUNTED = (SEAT_FOLDER, "/tmp")
"""Folders that the sandbox mounts."""


def inspect_image(client: DockerClient, image: str, name: str, sandbox: str) -> None:
    """
    Refuse an image that the engine or the sandbox cannot start safely. Each image is looked at once (fit_images.py).

    Args:
        client: The engine.
        image: The image's id.
        name: What its author calls it.
        sandbox: Id of the sandbox whose the container is through which it is looked at.

    Raises:
        BotRejected: If the image is at fault.
        SandboxError: If the engine fails.
    """
    if is_known_fit(image):
        return
    try:
        with engine_errors(f"look into {name}"):
            config = client.images.get(image).attrs["Config"] or {}
            check_config(config)
            folder = working_folder(config)
            container = create_idle(client, image, sandbox)
            try:
                _check_tree(ImageTree(client.api, container), folder)
            finally:
                discard(client, container)
    except UnfitImage as error:
        raise BotRejected(f"{name} cannot run in the sandbox: {error}") from error
    remember_fit(image)


def _check_tree(tree: ImageTree, folder: str) -> None:
    for path in USERS:  # first of all: to read links, the engine opens these
        _check_users(tree, path)
    for path in USERS:
        end, entry = tree.follow(path, (*KERNEL, *MOUNTED))
        if entry and entry.size >= MAX_LINE and max(map(len, tree.content(end).split(b"\n"))) >= MAX_LINE:
            raise UnfitImage(f"its {path} has a line of {MAX_LINE:,} bytes or more, which the engine cannot read.")
    for path in OVERLAID:
        entry = tree.entry(path)
        if entry and entry.kind == "folder":
            raise UnfitImage(f"its {path} is a folder, and the engine lays a file over it. Remove it.")
    for path in MOUNTED:
        _check_mounted(tree, path)
    _check_working_folder(tree, folder)


def _check_users(tree: ImageTree, path: str) -> None:
    entry = tree.entry(path)
    if entry and entry.kind == "link":
        # The engine writes another letter where a name is no UTF-8: what it opens could not be asked for.
        entry = tree.entry(entry.end) if "\ufffd" not in entry.end else entry
    if entry and entry.kind != "file":
        raise UnfitImage(
            f"its {path} is a {entry.kind}, which the engine would open at each start. "
            "It must be a file, or not be there."
        )
    if entry and entry.size > MAX_USERS:
        raise UnfitImage(
            f"its {path} has {entry.size:,} bytes, and the engine reads it at each start. "
            f"It may have {MAX_USERS:,} at most."
        )


def _check_mounted(tree: ImageTree, path: str) -> None:
    parent, name = posixpath.split(path)
    found, entry = tree.follow(parent, (*KERNEL, *(other for other in MOUNTED if other != path)))
    if entry and entry.kind == "folder":
        entry = tree.entry(posixpath.join(found, name))
    if entry and entry.kind != "folder":
        raise UnfitImage(f"its {path} is, or lies in, a {entry.kind}: the sandbox has a folder there. Remove it.")


def _check_working_folder(tree: ImageTree, folder: str) -> None:
    for place in (*KERNEL, SEAT_FOLDER):
        if f"{folder}/".startswith(f"{place}/"):
            raise UnfitImage(
                f"its WORKDIR {folder} lies in {place}, where the sandbox has its own files. Choose another."
            )
    end, entry = tree.follow(folder, (*KERNEL, *MOUNTED))
    if entry and entry.kind != "folder":
        raise UnfitImage(f"its WORKDIR {folder} is a {entry.kind}. It must be a folder.")
    if entry is None and end != folder:
        raise UnfitImage(f"its WORKDIR {folder} is a link that leads to {end}, where nothing is.")
