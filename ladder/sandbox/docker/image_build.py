"""
Build one image with the classic builder: no network, bounded time and memory.

Only the CPU time of its own steps can be held against a build: wall time is the machine's. A build that the machine
let run too little, and one that waits for something that never comes, end as a failure of the platform.
"""

from __future__ import annotations

import math
import re
import time
from collections import deque
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

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
    budget = _Budget(client, seconds, wall_seconds)  # of all tries: a step's own words may look like the engine's
    watch = Thread(target=budget.watch, daemon=True)
    watch.start()
    try:
        for left in reversed(range(TRIES)):
            context.seek(0)
            try:
                _build(client, context, tag, labels, arguments or {}, budget)
            except _LayerRemoved:
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
    tag: str,
    labels: Mapping[str, str],
    arguments: Mapping[str, str],
    budget: _Budget,
) -> None:
    lines: deque[str] = deque(maxlen=LAST_LINES)
    try:
        output = client.api.build(
            fileobj=context,
            custom_context=True,
            tag=tag,
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
        _follow(output, lines, budget)
    except (ReadTimeout, ReadTimeoutError) as error:
        raise SandboxError(_end_of(lines, budget.too_slow)) from error
    # Leaving early drops the connection, and with it the engine ends the build.


def _follow(output: Iterator[dict[str, Any]], lines: deque[str], budget: _Budget) -> None:
    for message in output:
        text = str(message.get("stream", ""))
        lines.extend(text.splitlines())
        budget.note(text)
        if budget.is_used_up:
            raise BuildFailed(_end_of(lines, TOO_LONG))
        if budget.is_in_vain:
            raise SandboxError(_end_of(lines, budget.too_slow))
        if "error" in message:
            error = str(message["error"])
            failure = _LayerRemoved if any(words in error for words in LAYER_IS_GONE) else BuildFailed
            raise failure(_end_of(lines, error))


class _Budget:
    """
    The time of one build: CPU time of the containers in which its steps run, and wall time.

    Attributes:
        is_over: Set when nothing is built any more.
        is_used_up: True if its steps have used their CPU time.
        is_in_vain: True if the machine was too slow, or the build waits.
    """

    def __init__(self, client: DockerClient, seconds: float, wall_seconds: float) -> None:
        self._client = client
        self._seconds = seconds
        self.wall_seconds = wall_seconds
        self._began = time.monotonic()
        self._used: dict[str, float] = {}
        self.is_over = Event()
        self.is_used_up = self.is_in_vain = False

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
            if self.is_used_up or self.is_in_vain:
                for container in self._used:
                    with suppress(*ENGINE_ERRORS):
                        self._client.api.kill(container)

    def _judge(self) -> None:
        if self.is_used_up or self.is_in_vain:
            return
        wall, used = time.monotonic() - self._began, sum(self._used.values())
        is_idle = bool(self._used) and wall >= self._seconds and used < IDLE_SHARE * wall
        self.is_used_up = used >= self._seconds
        self.is_in_vain = not self.is_used_up and (is_idle or wall >= self.wall_seconds)


def _end_of(lines: Iterable[str], last: str) -> str:
    return "\n".join([*(line.rstrip() for line in lines if line.strip()), last])
