"""
Pigpen in a container beside the bots, for an engine that does not see the files and sockets of this machine.

The image of this container is the bot base image, and the Pigpen that is installed here.

The container has the engine's own socket, and a volume at the path that the engine itself has for it. So the sandbox
there is the same as on a machine of its own: each folder that it makes in the volume is mounted into one bot's
container under a name that the engine knows. The volume is never mounted into a bot's container as a whole.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import secrets
import tarfile
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import APIError, ImageNotFound, NotFound
from docker.types import LogConfig, Mount

import ladder
from ladder.errors import SandboxError, UserError
from ladder.sandbox.bots.bot_source import KITS, SAMPLES, content_of
from ladder.sandbox.bots.content import content_hash
from ladder.sandbox.docker import containers
from ladder.sandbox.docker.base_image import (
    CONTENT_LABEL,
    MADE_OUTSIDE,
    base_image_id,
    build_with_wheels,
    ensure_base_image,
)
from ladder.sandbox.docker.bot_images import image_of_folder, image_of_reference
from ladder.sandbox.docker.built_images import prune
from ladder.sandbox.docker.engine import ENGINE_ERRORS, connect, engine_errors
from ladder.sandbox.docker.installed_sdk import installed_sdk, pack_wheel
from ladder.sandbox.docker.package_images import PackageImages
from ladder.sandbox.host import scratch as owners
from ladder.sandbox.host.scratch import check_socket_paths
from ladder.sandbox.wheels.packages import Packages, with_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from docker import DockerClient

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.bots.content import Content

REPOSITORY = "pigpen/referee"
NAME = "pigpen-arena"
PACKAGES = ("ladder", "pigpen_arena", "referee")
"""Packages that the distribution installs."""
DOCKERFILE = Path(__file__).parent / "base_image" / "Referee.Dockerfile"
LOCK = DOCKERFILE.with_name("referee.lock")
"""As the lock of the base image."""


@dataclass(frozen=True)
class Arena:
    """The Pigpen that is installed here, from a checkout or from a wheel."""

    packages: Mapping[str, Path]
    """Each folder of the wheel, and the folder here that it holds."""
    about: str
    """The METADATA of the distribution."""
    version: str

    @property
    def hash(self) -> str:
        """A hash of all that is in the wheel."""
        hashes = (f"{name} {content_hash(folder)}" for name, folder in self.packages.items())
        return hashlib.sha256("\0".join((self.about, *hashes)).encode()).hexdigest()

    def write_wheels(self, folder: Path) -> Path:
        """Write its wheel into *folder*, and that of the SDK, which it needs."""
        installed_sdk().write_wheel(folder)
        return pack_wheel(folder, NAME, self.version, self.about, self.packages)


def installed_arena() -> Arena:
    """Give the Pigpen that runs this."""
    found, root = metadata.distribution(NAME), Path(ladder.__file__).parents[1]
    packages = {name: root / name for name in PACKAGES}
    # What a wheel has inside `pigpen_arena`, a checkout has beside it.
    beside = [each for each in (SAMPLES, KITS) if not (root / "pigpen_arena" / each.name).is_dir()]
    packages |= {f"pigpen_arena/{each.name}": each for each in beside}
    return Arena(packages, found.read_text("METADATA") or "", found.version)


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
    report("collecting the wheels of Pigpen and what it needs")
    labels = {CONTENT_LABEL: content}
    build_with_wheels(client, tag, below, DOCKERFILE, LOCK, arena.write_wheels, labels, report)
    for image in client.api.images(filters={"reference": REPOSITORY}):
        for old in image["RepoTags"] or ():
            if old != tag:
                client.api.remove_image(old, force=True)  # a container that uses it keeps its layers
    prune(client, label=f"{CONTENT_LABEL}={content}")


FOLDER = "pigpen"
"""Folder in the container with all that is given to it and taken from it."""
SOCKET = "/var/run/docker.sock"
"""Socket of the engine on its own machine; Docker Desktop, too, mounts it from there."""
CGROUPS = "/sys/fs/cgroup"
HOSTNAME = "pigpen-referee"
"""Of every such container: by it the next one knows what a killed one has left."""
COMMAND = ("python3", "-m", "ladder.cli.entry")
ERROR = "pigpen: "
"""Beginning of the last words of a command that has failed."""
END_SECONDS = 20
"""Seconds that the command may take to clean up when it is stopped."""


@dataclass(frozen=True)
class Errand:
    """A command of Pigpen that runs there."""

    words: tuple[str, ...]
    """Without the bots."""
    bots: tuple[BotSource, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that it reads, by their paths (`path_of`)."""
    made: str = ""
    """File that it writes and that is brought back; empty: none."""


@dataclass(frozen=True)
class Brought:
    """Result of a command in the container."""

    printed: str
    """Text that the command printed."""
    made: bytes
    """The file that it wrote."""


def path_of(name: str) -> str:
    """Say where the file *name* of an `Errand` is, in the container."""
    return f"/{FOLDER}/{name}"


async def run_beside_bots(errand: Errand, say: Callable[[str], None]) -> Brought:
    """
    Run the command in a container to its end; whatever happens, the container and its volume are removed.

    Args:
        errand: What to run.
        say: Takes what the command tells of its steps, line by line, in another thread.

    Raises:
        BotRejected: If a bot cannot be made.
        UserError: If the command says that what was asked for makes no sense.
        SandboxError: If the command, or the engine, fails.
    """
    client = await asyncio.to_thread(connect)
    referee = _Referee(client, say)
    running = asyncio.ensure_future(asyncio.to_thread(referee.run, errand))
    try:
        return await asyncio.shield(running)
    finally:
        await asyncio.to_thread(referee.close)
        await asyncio.gather(running, return_exceptions=True)  # it has ended with its container
        client.close()


class _Referee:
    """One such container, as plain blocking calls."""

    def __init__(self, client: DockerClient, say: Callable[[str], None]) -> None:
        self._client = client
        self._say = say
        self._name = containers.container_name()
        self._sandbox = secrets.token_hex(8)
        self._is_closed = False

    def run(self, errand: Errand) -> Brought:
        with engine_errors("run the referee in a container"):
            containers.sweep(self._client)
            _remove_volumes(self._client)
            base = ensure_base_image(self._client, self._say)
            image = ensure_referee_image(self._client, base, self._say)
            words, given = self._bots(errand.bots, base)
            self._create(image, base, (*errand.words, *words))
            for content in given:
                self._client.api.put_archive(self._name, "/", content.below(FOLDER).archive())
            if errand.files:
                self._client.api.put_archive(self._name, "/", _packed(errand.files))
            if not self._is_closed:
                self._client.api.start(self._name)
            complaint = self._follow()
            code = self._client.api.wait(self._name)["StatusCode"]
            if code:
                raise _failure(code, complaint)
            printed = self._client.api.logs(self._name, stdout=True, stderr=False).decode()
            return Brought(printed, self._fetch(errand.made) if errand.made else b"")

    def close(self) -> None:
        """End the command, which removes the bots' containers, and remove all."""
        self._is_closed = True
        with suppress(*ENGINE_ERRORS):
            self._client.api.stop(self._name, timeout=END_SECONDS)
        with suppress(SandboxError):
            containers.remove_sandbox(self._client, self._sandbox)
        with suppress(*ENGINE_ERRORS):
            self._client.api.remove_volume(self._name, force=True)

    def _bots(self, bots: Sequence[BotSource], base: str) -> tuple[list[str], list[Content]]:
        """Build the images here, where packages and registries can be reached; the container finds them built."""
        packages = PackageImages(Packages(report=self._say))
        words: list[str] = []
        given: list[Content] = []
        places: dict[BotSource, str] = {}
        for bot in bots:
            if bot.image is not None:
                words.append(image_of_reference(self._client, bot.image) and bot.image)
                continue
            if bot not in places:
                assert bot.folder is not None
                places[bot] = f"bots/{len(places)}/{bot.folder.name}"
                built = image_of_folder(self._client, bot, base, packages, report=self._say)
                parts = reversed(places[bot].split("/"))
                content = with_lock(content_of(bot), built.lock)
                for part in parts:
                    content = content.below(part)
                given.append(content)
            words.append(path_of(places[bot]))
        return words, given

    def _create(self, image: str, base: str, words: Sequence[str]) -> None:
        api, labels = self._client.api, containers.labels_of(self._sandbox)
        scratch = api.create_volume(self._name, labels=labels)["Mountpoint"]
        check_socket_paths(scratch)
        config = api.create_host_config(
            network_mode="none",
            # Its view of processes and control groups is the engine's: it measures and freezes the bots' containers.
            pid_mode="host",
            mounts=[
                Mount(scratch, self._name, type="volume"),
                Mount(SOCKET, SOCKET, type="bind"),
                Mount(CGROUPS, CGROUPS, type="bind"),
            ],
            log_config=LogConfig(type="json-file"),
        )
        config["CgroupnsMode"] = "host"
        api.create_container(
            image,
            entrypoint=list(COMMAND),
            command=list(words),
            name=self._name,
            hostname=HOSTNAME,
            user="0:0",
            working_dir="/",
            environment={"TMPDIR": scratch, "HOME": "/root", MADE_OUTSIDE: base},
            labels=labels,
            host_config=config,
            healthcheck={"test": ["NONE"]},
            use_config_proxy=False,
        )

    def _follow(self) -> str:
        """Pass on what it tells of its steps until it ends; give its last words, if they are of an error."""
        last: list[str] = []
        rest = b""
        for part in self._client.api.logs(self._name, stdout=False, stderr=True, stream=True, follow=True):
            *lines, rest = (rest + part).split(b"\n")
            for line in (each.decode(errors="replace") for each in lines):
                if last or line.startswith(ERROR):
                    last.append(line.removeprefix(ERROR))
                elif line.strip():
                    self._say(line)
        return "\n".join(last)

    def _fetch(self, name: str) -> bytes:
        parts, _ = self._client.api.get_archive(self._name, path_of(name))
        with tarfile.open(fileobj=io.BytesIO(b"".join(parts))) as tar:
            file = tar.extractfile(tar.getmembers()[0])
            assert file is not None
            return file.read()


def _failure(code: int, words: str) -> Exception:
    """Give the error that the command ended with, once more."""
    if code == UserError.exit_code and words:
        return UserError(words)
    return SandboxError(words or f"The referee's container ended with exit code {code}.")


def _packed(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"{FOLDER}/{name}")
            info.size, info.mode = len(content), 0o644
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def _remove_volumes(client: DockerClient) -> None:
    """Remove the volumes of commands that were killed; the engine keeps one that a container uses."""
    found = client.api.volumes(filters={"label": [f"{containers.MARK}=1", containers.OWNER]})["Volumes"] or ()
    for volume in found:
        owner = (volume["Labels"] or {}).get(containers.OWNER, "")
        if containers.NAME.fullmatch(volume["Name"]) and owners.is_owner(owner) and owners.is_dead(owner):
            with suppress(APIError, NotFound):
                client.api.remove_volume(volume["Name"])
