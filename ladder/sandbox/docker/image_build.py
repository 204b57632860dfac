"""
Build one image with the classic builder: no network, bounded time and memory.

Only the CPU time of its own steps can be held against a build: wall time is the machine's. A build that the machine
let run too little, and one that waits for something that never comes, end as a failure of the platform.

The engine writes the time of a build, and the id of the image below, into what it builds. `tag_without_times` leaves
both out, so two builds with the same files and the same settings have one id.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import tarfile
import time
from collections import deque
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from docker.errors import APIError, ImageLoadError, ImageNotFound
from docker.utils import parse_repository_tag
from requests import ReadTimeout
from urllib3.exceptions import ReadTimeoutError

from ladder.errors import SandboxError
from ladder.sandbox.docker.containers import OWNER
from ladder.sandbox.docker.engine import ENGINE_ERRORS, ENGINE_SECONDS
from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from docker import DockerClient

MEMORY = 1024 * 1024 * 1024
"""Bytes that one build step may use, swap included."""

SECONDS = 300
"""Seconds of CPU time that the steps of one build may use together."""
MAX_SECONDS = 1200
"""Seconds of wall time after which the machine is too slow for it."""
LOOK_SECONDS = 1.0
"""Seconds between two readings of the CPU time."""
IDLE_SHARE = 0.01
"""A build that has used less than this share of a core in `SECONDS` of wall time waits, or gets next to nothing."""

TOO_LONG = "The build took too long."
TOO_SLOW = (
    "The build was ended after {:.0f} s, in which its steps used {:.1f} s of CPU time: this machine is too busy, or a "
    "step waits for something that does not come. Folders are built without a network."
)
STEP = re.compile(r"^ ---> Running in ([0-9a-f]{12})$", re.MULTILINE)
"""The engine's words for the container of a step."""

LAST_LINES = 15
"""Lines of a failed build that are shown."""

LAYER_IS_GONE = ("unknown parent image ID", "unable to find image")
"""The engine's words in the middle of a build, if another program has built the same and removed it again."""

TRIES = 5
"""Number of times that a build is begun, if a layer is removed each time."""

NO_TIME = "1970-01-01T00:00:00Z"
"""Time at which all images are made, as they say."""
OF_ONE_BUILD = ("Hostname", "Image")
"""Settings that the engine fills in while it builds: names of a container and of the image below."""


class BuildFailed(PigpenError):
    """The build itself failed; the message is the end of its output."""

    exit_code = 2


class _LayerRemoved(BuildFailed):
    """Nothing is wrong with what is built: the next try makes the layer again."""


def build_image(
    client: DockerClient,
    context: BinaryIO,
    *,
    tag: str,
    labels: Mapping[str, str],
    arguments: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
    wall_seconds: float = MAX_SECONDS,
) -> None:
    """
    Build the tar archive *context*, which holds a Dockerfile, and tag the result.

    Args:
        client: The engine.
        context: The archive.
        tag: The image's name.
        labels: The image's labels.
        arguments: The Dockerfile's arguments.
        seconds: CPU time that its steps may use.
        wall_seconds: Wall time after which the machine is too slow.

    Raises:
        BuildFailed: If a step fails or its CPU time is used up.
        SandboxError: If the machine let it run too little.
        DockerException: If the engine refuses.
    """
    budget = BuildBudget(client, seconds, wall_seconds)  # of all tries: a step's own words may look like the engine's
    watch = Thread(target=budget.watch, daemon=True)
    watch.start()
    try:
        for left in reversed(range(TRIES)):
            context.seek(0)
            try:
                built = _build(client, context, labels, arguments or {}, budget)
                tag_without_times(client, built, tag)
            except (_LayerRemoved, ImageNotFound):  # another program has built the same and removed it again
                if not left:
                    raise
            else:
                return
    finally:
        budget.is_over.set()
        watch.join()


def _build(
    client: DockerClient,
    context: BinaryIO,
    labels: Mapping[str, str],
    arguments: Mapping[str, str],
    budget: BuildBudget,
) -> str:
    """Build it without a name, and give its id: a name would mean an image that is replaced at once."""
    lines: deque[str] = deque(maxlen=LAST_LINES)
    try:
        output = client.api.build(
            fileobj=context,
            custom_context=True,
            rm=True,
            forcerm=True,
            network_mode="none",
            container_limits={"memory": MEMORY, "memswap": MEMORY},
            labels=dict(labels),
            buildargs=dict(arguments),
            use_config_proxy=False,
            timeout=math.ceil(budget.wall_seconds) + ENGINE_SECONDS,
            decode=True,
        )
        return _follow(output, lines, budget)
    except (ReadTimeout, ReadTimeoutError) as error:
        raise SandboxError(_end_of(lines, budget.too_slow)) from error
    # Leaving early drops the connection, and with it the engine ends the build.


def _follow(output: Iterator[dict[str, Any]], lines: deque[str], budget: BuildBudget) -> str:
    built = ""
    for message in output:
        built = (message.get("aux") or {}).get("ID", built)
        text = str(message.get("stream", ""))
        lines.extend(text.splitlines())
        budget.note(text)
        if budget.is_used_up:
            raise BuildFailed(_end_of(lines, TOO_LONG))
        if budget.is_in_vain:
            raise SandboxError(_end_of(lines, budget.too_slow))
        if "error" in message or "message" in message:  # the second is of the whole build, such as of its files
            error = str(message.get("error") or message["message"])
            failure = _LayerRemoved if any(words in error for words in LAYER_IS_GONE) else BuildFailed
            raise failure(_end_of(lines, error))
    if not built:
        raise SandboxError("The Docker engine has built an image and does not say its id.")
    return built


def tag_without_times(client: DockerClient, built: str, tag: str) -> None:
    """
    Tag an image whose id follows from its layers and settings alone, and remove the one that was built.

    The engine loads a new configuration over layers that it has, which costs about 0.1 s. An engine that takes no
    image without the layers' files (the containerd image store) keeps what was built, with an id of its own.

    Args:
        client: The engine.
        built: Id or name of what was built.
        tag: The name of the result.

    Raises:
        ImageNotFound: If what was built is gone.
        DockerException: If the engine fails.
    """
    found = client.images.get(built).attrs
    configuration = _configuration(found)
    image = f"sha256:{hashlib.sha256(configuration).hexdigest()}"
    with suppress(APIError, ImageLoadError):
        client.images.load(_archive(configuration, len(_layers_of(found)), tag))
    repository, name = parse_repository_tag(tag)
    try:
        client.api.tag(image, repository, name or "latest")  # the engine notes the time of a tag, not of a load
    except ImageNotFound:
        client.api.tag(found["Id"], repository, name or "latest")
        return
    with suppress(APIError):  # it is below another image, or another program removes it
        if not client.images.get(found["Id"]).tags:
            client.api.remove_image(found["Id"])


def _configuration(found: Mapping[str, Any]) -> bytes:
    """Write an image's configuration in one way, whatever the engine adds to it."""
    settings = {name: value for name, value in (found["Config"] or {}).items() if value and name not in OF_ONE_BUILD}
    layers = _layers_of(found)
    configuration = {
        "architecture": found["Architecture"],
        "config": settings,
        "created": NO_TIME,
        "history": [{"created": NO_TIME, "created_by": "pigpen"} for _ in layers],
        "os": found["Os"],
        "rootfs": {"type": "layers", "diff_ids": layers},
    }
    if variant := found.get("Variant"):
        configuration["variant"] = variant
    return json.dumps(configuration, sort_keys=True).encode()


def _layers_of(found: Mapping[str, Any]) -> list[str]:
    """List an image's layers: none if its Dockerfile has settings only."""
    return list(found["RootFS"].get("Layers") or ())


def _archive(configuration: bytes, layers: int, tag: str) -> bytes:
    """Pack an image as `docker load` takes it, without the layers' files, which the engine has."""
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": [f"{each}/layer.tar" for each in range(layers)]}]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in {"config.json": configuration, "manifest.json": json.dumps(manifest).encode()}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


class BuildBudget:
    """
    The time of one build: CPU time of the containers in which its steps run, and wall time.

    Attributes:
        is_over: Set when nothing is built any more.
        is_used_up: True if its steps have used their CPU time.
        is_in_vain: True if the machine was too slow, or the build waits.
    """

    def __init__(self, client: DockerClient, seconds: float, wall_seconds: float) -> None:
        self._client = client
        self.seconds = seconds
        self.wall_seconds = wall_seconds
        self._began = time.monotonic()
        self._used: dict[str, float] = {}
        self.is_over = Event()
        self.is_used_up = self.is_in_vain = False

    @property
    def is_over_its_time(self) -> bool:
        """True if the build is to end."""
        return self.is_used_up or self.is_in_vain

    @contextmanager
    def watching(self, container: str) -> Iterator[None]:
        """Measure one container of ours, in which all of the build runs."""
        self._used = {container: 0.0}
        watch = Thread(target=self.watch, daemon=True)
        watch.start()
        try:
            yield
        finally:
            self.is_over.set()
            watch.join()

    def note(self, output: str) -> None:
        """Note the containers that the engine names in its *output*; none that is not of a build is ended."""
        for container in STEP.findall(output):
            with suppress(*ENGINE_ERRORS):
                if OWNER not in (self._client.api.inspect_container(container)["Config"]["Labels"] or {}):
                    self._used = {**self._used, container: 0.0}  # another thread goes through it

    @property
    def too_slow(self) -> str:
        """The sentence for a build that got too little time."""
        return TOO_SLOW.format(time.monotonic() - self._began, sum(self._used.values()))

    def watch(self) -> None:
        """Measure until the build is over; end the container of a step if it has had its time."""
        while not self.is_over.wait(LOOK_SECONDS):
            for container in self._used:
                with suppress(*ENGINE_ERRORS):  # it has ended: what was read last stands
                    used = self._client.api.stats(container, stream=False, one_shot=True)["cpu_stats"]["cpu_usage"]
                    self._used[container] = max(self._used[container], used["total_usage"] / 1e9)
            self._judge()
            if self.is_over_its_time:
                for container in self._used:
                    with suppress(*ENGINE_ERRORS):
                        self._client.api.kill(container)

    def _judge(self) -> None:
        if self.is_over_its_time:
            return
        wall, used = time.monotonic() - self._began, sum(self._used.values())
        is_idle = bool(self._used) and wall >= self.seconds and used < IDLE_SHARE * wall
        self.is_used_up = used >= self.seconds
        self.is_in_vain = not self.is_used_up and (is_idle or wall >= self.wall_seconds)


def _end_of(lines: Iterable[str], last: str) -> str:
    return "\n".join([*(line.rstrip() for line in lines if line.strip()), last])
