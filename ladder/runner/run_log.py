"""The log of a ladder's process, as JSON lines: in a file in the ladder's folder, and on stderr."""

from __future__ import annotations

import logging
import sys
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping
    from pathlib import Path
    from typing import Any

    Event = MutableMapping[str, Any]

FILE_BYTES = 10 * 1024**2
FILES = 10
"""Files that are kept, with the newest one."""


class _Quiet(RotatingFileHandler):
    """A log that finds no room says nothing: the runner itself says that the disk is full."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Ignore the error."""


def log_to(file: Path, *, to_stderr: bool, watch: Callable[[Event], None] = lambda event: None) -> Callable[[], None]:
    """
    Send every event of this process to a file.

    Args:
        file: The file; its folder is made if it is missing.
        to_stderr: Write the same lines to stderr, too.
        watch: Called with each event.

    Returns:
        What ends it and closes the file.

    Raises:
        OSError: If the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = logging.Logger("pigpen")
    lines.addHandler(_Quiet(file, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8"))
    if to_stderr:
        lines.addHandler(logging.StreamHandler(sys.stderr))
    structlog.configure(
        processors=_processors(watch),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=False,
    )

    def stop() -> None:
        structlog.reset_defaults()
        for handler in lines.handlers:
            handler.close()

    return stop


def _processors(watch: Callable[[Event], None]) -> list[Any]:
    """List what makes a line of JSON of an event, after *watch* has seen it."""

    def see(_: Any, __: str, event: Event) -> Event:
        watch(event)
        return event

    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        see,
        structlog.processors.JSONRenderer(),
    ]
