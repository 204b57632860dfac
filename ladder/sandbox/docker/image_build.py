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
"""How long one build may take."""

TOO_LONG = "The build took too long."

LAST_LINES = 15
"""How many lines of a failed build are told."""


class BuildFailed(PigpenError):
    """The build itself failed; the message is the end of its output."""

    exit_code = 2


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
    lines: deque[str] = deque(maxlen=LAST_LINES)
    deadline = time.monotonic() + seconds
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
            buildargs=dict(arguments or {}),
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
            raise BuildFailed(_end_of(lines, str(message["error"])))
        if time.monotonic() > deadline:
            raise BuildFailed(_end_of(lines, TOO_LONG))


def _end_of(lines: Iterable[str], last: str) -> str:
    return "\n".join([*(line.rstrip() for line in lines if line.strip()), last])
