"""The image of a container in which Pigpen itself runs: the bot base image, and the Pigpen that is installed here."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import ImageNotFound

import ladder
from ladder.errors import SandboxError
from ladder.sandbox.bots.content import archive, content_hash
from ladder.sandbox.docker.base_image import CONTENT_LABEL, base_image_id, collect_wheels, python_of
from ladder.sandbox.docker.built_images import prune
from ladder.sandbox.docker.image_build import BuildFailed, build_image
from ladder.sandbox.docker.installed_sdk import installed_sdk, pack_wheel

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import DockerClient

REPOSITORY = "pigpen/referee"
NAME = "pigpen-arena"
PACKAGES = ("ladder", "pigpen_arena", "referee", "sample_bots", "starter_kits")
"""Packages that the distribution installs."""
DOCKERFILE = Path(__file__).parent / "base_image" / "Referee.Dockerfile"
LOCK = DOCKERFILE.with_name("referee.lock")
"""As the lock of the base image."""


@dataclass(frozen=True)
class Arena:
    """The Pigpen that is installed here, from a checkout or from a wheel."""

    packages: tuple[Path, ...]
    about: str
    """The METADATA of the distribution."""
    version: str

    @property
    def hash(self) -> str:
        """A hash of all that is in the wheel."""
        return hashlib.sha256("\0".join((self.about, *map(content_hash, self.packages))).encode()).hexdigest()

    def write_wheels(self, folder: Path) -> Path:
        """Write its wheel into *folder*, and that of the SDK, which it needs."""
        installed_sdk().write_wheel(folder)
        return pack_wheel(folder, NAME, self.version, self.about, self.packages)


def installed_arena() -> Arena:
    """Give the Pigpen that runs this."""
    found, root = metadata.distribution(NAME), Path(ladder.__file__).parents[1]
    return Arena(tuple(root / name for name in PACKAGES), found.read_text("METADATA") or "", found.version)


def ensure_referee_image(client: DockerClient, base: str, report: Callable[[str], None]) -> str:
    """
    Find or build the image.

    Args:
        client: The engine.
        base: Content hash of the bot base image, which the engine has.
        report: Called with one line before each step that takes time.

    Returns:
        Its tag.

    Raises:
        SandboxError: If it cannot be made.
        DockerException: If the engine fails.
    """
    arena, below = installed_arena(), base_image_id(client, base)
    content = hashlib.sha256(
        "\0".join((below, arena.hash, DOCKERFILE.read_text(), LOCK.read_text())).encode()
    ).hexdigest()
    tag = f"{REPOSITORY}:{content[:40]}"
    try:
        client.images.get(tag)
    except ImageNotFound:
        _make(client, arena, below, content, tag, report)
    return tag


def _make(
    client: DockerClient, arena: Arena, below: str, content: str, tag: str, report: Callable[[str], None]
) -> None:
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        folder = Path(name)
        shutil.copy(DOCKERFILE, folder / "Dockerfile")
        report("collecting the wheels of Pigpen and what it needs")
        collect_wheels(folder / "wheels", arena.write_wheels, LOCK, *python_of(client, below))
        report(f"building {tag}")
        try:
            build_image(client, archive(folder), tag=tag, labels={CONTENT_LABEL: content}, arguments={"BASE": below})
        except BuildFailed as error:
            raise SandboxError(f"The image in which the referee runs could not be built:\n{error}") from error
    for image in client.api.images(filters={"reference": REPOSITORY}):
        for old in image["RepoTags"] or ():
            if old != tag:
                client.api.remove_image(old, force=True)  # a container that uses it keeps its layers
    prune(client, label=f"{CONTENT_LABEL}={content}")
