"""Build one image with the classic builder: no network, bounded time and memory."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, BinaryIO

from requests import ReadTimeout
from urllib3.exceptions import ReadTimeoutError

from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from docker import DockerClient

MEMORY = 1024 * 1024 * 1024
"""Bytes that one build step may use, swap included."""

SECONDS = 300
"""Seconds that one build may take."""

TOO_LONG = "The build took too long."

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
    seconds: int = SECONDS,
) -> None:
    """
    Build the tar archive *context*, which holds a Dockerfile, and tag the result.

    Raises:
        BuildFailed: If a step fails or the time is up.
        DockerException: If the engine refuses.
    """
    deadline = time.monotonic() + seconds  # of all tries: a step's own words may look like the engine's
    for left in reversed(range(TRIES)):
        context.seek(0)
        try:
            _build(client, context, tag, labels, arguments or {}, seconds, deadline)
        except _LayerRemoved:
            if not left or time.monotonic() > deadline:
                raise
        else:
            return


def _build(
    client: DockerClient,
    context: BinaryIO,
    tag: str,
    labels: Mapping[str, str],
    arguments: Mapping[str, str],
    seconds: int,
    deadline: float,
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
            timeout=seconds,
            decode=True,
        )
        _follow(output, lines, deadline)
    except (ReadTimeout, ReadTimeoutError) as error:
        raise BuildFailed(_end_of(lines, TOO_LONG)) from error
    # Leaving early drops the connection, and with it the engine ends the build.


def _follow(output: Iterator[dict[str, Any]], lines: deque[str], deadline: float) -> None:
    for message in output:
        lines.extend(str(message.get("stream", "")).splitlines())
        if "error" in message:
            error = str(message["error"])
            failure = _LayerRemoved if any(words in error for words in LAYER_IS_GONE) else BuildFailed
            raise failure(_end_of(lines, error))
        if time.monotonic() > deadline:
            raise BuildFailed(_end_of(lines, TOO_LONG))


def _end_of(lines: Iterable[str], last: str) -> str:
    return "\n".join([*(line.rstrip() for line in lines if line.strip()), last])
