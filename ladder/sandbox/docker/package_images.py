"""
The bot base image with packages in `/bot/vendor`: what a folder with a `requirements.txt` is built on.

One image for each lock, shared by all bots and versions that have it. Its Dockerfile is ours, and nothing of the
packages runs: they are copied, and compiled by the Python of the base image in a container without a network.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import APIError, ImageNotFound

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.docker.built_images import last_used
from ladder.sandbox.docker.image_build import TOO_LONG, BuildFailed, build_image
from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.wheels import facts
from ladder.sandbox.wheels.installed import is_unhashed
from ladder.sandbox.wheels.local_install import COMPILE
from ladder.sandbox.wheels.packages import VENDOR, Asked, Packages
from ladder.sandbox.wheels.requirements import lock_text
from ladder.sandbox.wheels.target import Target

if TYPE_CHECKING:
    from typing import BinaryIO

    from docker import DockerClient

    from ladder.sandbox.bots.content import Content

REPOSITORY = "pigpen/packages"
KEPT_IMAGES = 8
"""Images that stay, the newest ones; what was built on the others stays as well."""
FILES = "files"
"""Folder of the archive that holds what is copied to the root of the image: so no folder gets the time of the build."""
DOCKERFILE = f"""
FROM {{base}}
COPY {FILES} /
USER 0:0
RUN touch /tmp/began \\
 && (python3 {" ".join(COMPILE)} /bot/{VENDOR} || true) \\
 && find /bot/{VENDOR} -newer /tmp/began -exec touch -h -d @0 {{{{}}}} + ; rm /tmp/began && touch -d @0 /tmp
USER 65532:65532
ENV PYTHONPATH=/bot/{VENDOR} OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
"""
"""
Without .pyc files each start of a bot would compile its packages anew: the root file system is read-only. Libraries
that start a thread for each core of the host would find one core, and no room for 64 threads. No file has the time of
the build: the same packages give the same image.
"""


@dataclass(frozen=True)
class PackageImages:
    """Makes these images, and keeps the newest."""

    packages: Packages
    """Source of the packages."""
    repository: str = REPOSITORY
    """Name of the images, each with a tag of its own."""

    def lock_of(self, client: DockerClient, content: Content, base: str) -> str | None:
        """
        Say exactly which packages a folder gets in an image; None: it asks for none.

        Args:
            client: The engine.
            content: What the folder holds.
            base: Id of the bot base image.

        Raises:
            BotRejected: If what it asks for is not available.
            SandboxError: If the package index does not answer.
        """
        asked = Asked.by(content)
        if not asked.anything:
            return None
        return lock_text(self.packages.pins(asked, target_of(client, self.packages, base)))

    def image_for(self, client: DockerClient, content: Content, base: str) -> str:
        """
        Find or build what the folder's image is to be built on: *base* itself if the folder asks for no packages.

        Args:
            client: The engine.
            content: What the folder holds.
            base: Id of the bot base image.

        Returns:
            An image's id.

        Raises:
            BotRejected: If a package is not available, or is not to be unpacked.
            SandboxError: If the engine or the package index fails, or there is no room.
        """
        lock = self.lock_of(client, content, base)
        if lock is None:
            return base
        tag = f"{self.repository}:{hashlib.sha256(f'{base} {DOCKERFILE} {lock}'.encode()).hexdigest()[:40]}"
        with suppress(ImageNotFound):
            return str(client.images.get(tag).id)
        _, folder = self.packages.folder(Asked.by(content), target_of(client, self.packages, base))
        with disk_errors("The image of the bot's packages"):
            _build(client, folder, base, tag)
        _remove_old(client, self.repository, tag)
        return str(client.images.get(tag).id)


def target_of(client: DockerClient, packages: Packages, base: str) -> Target:
    """
    Ask the Python in the base image what it is, once.

    Raises:
        SandboxError: If it does not say.
    """
    program = Path(facts.__file__).read_text(encoding="utf-8")
    key = hashlib.sha256(f"{base} {program}".encode()).hexdigest()
    known = packages.store.answer(key)
    if known is None:
        command = ["python3", "-I", "-c", program]
        known = client.containers.run(base, command, network_mode="none", remove=True)
        packages.store.keep_answer(key, known.decode())
    try:
        return Target(**json.loads(known))
    except (ValueError, TypeError) as error:
        raise SandboxError(f"The bot base image does not say which Python it has: {error}.") from error


def _build(client: DockerClient, packages: Path, base: str, tag: str) -> None:
    with tempfile.TemporaryFile() as context:
        _pack(packages, base, context)
        try:
            build_image(client, context, tag=tag, labels={})
        except BuildFailed as error:
            if TOO_LONG in str(error):
                raise BotRejected("The bot's packages take too long to compile. Use smaller ones.") from error
            raise SandboxError(f"The image of the bot's packages could not be built:\n{error}") from error


def _pack(packages: Path, base: str, context: BinaryIO) -> None:
    """Pack the packages and our Dockerfile; on the disk, for they may be large."""
    with tarfile.open(fileobj=context, mode="w") as tar:
        dockerfile = DOCKERFILE.format(base=base).encode()
        info = tarfile.TarInfo("Dockerfile")
        info.size = len(dockerfile)
        tar.addfile(info, io.BytesIO(dockerfile))
        for above in (FILES, f"{FILES}/bot"):
            tar.add(packages, above, recursive=False, filter=_plain)
        for path in (packages, *sorted(packages.rglob("*"))):
            name = path.relative_to(packages).as_posix()
            if not is_unhashed(name):
                tar.add(path, f"{FILES}/bot/{VENDOR}/{name}", recursive=False, filter=_plain)
    context.seek(0)


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    return info


def _remove_old(client: DockerClient, repository: str, spared: str) -> None:
    """Remove all but the newest; *spared* may look old, if the engine still had its layers."""
    with suppress(ImageNotFound):  # another process removes some
        found = client.images.list(f"{repository}:*")
        for image in sorted(found, key=last_used, reverse=True)[KEPT_IMAGES:]:
            for tag in {*image.tags} - {spared}:
                with suppress(APIError):  # another process has removed it, or uses it
                    client.api.remove_image(tag)
