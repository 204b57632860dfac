"""The log of each process of a ladder."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.runner.run_log import file_seconds, log_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping
    from typing import Any

    from ladder.app.ladder import Ladder


@contextmanager
def event_log(
    ladder: Ladder,
    name: str,
    watch: Callable[[MutableMapping[str, Any]], None] = lambda event: None,
    *,
    to_stderr: bool = False,
) -> Iterator[None]:
    """
    Write the events of this process to ``logs/NAME.jsonl`` in the ladder's folder.

    Args:
        ladder: The ladder.
        name: The file's name, without the ending.
        watch: Called with each event.
        to_stderr: Write each event to stderr, too.

    Raises:
        SandboxError: If the log cannot be written.
    """
    file = ladder.settings.data_dir / "logs" / f"{name}.jsonl"
    try:
        seconds = file_seconds(ladder.settings.log_days)
        stop = log_to(file, to_stderr=to_stderr, watch=watch, seconds=seconds)
    except OSError as error:
        raise SandboxError(f"The log {file} cannot be written: {error.strerror}.") from error
    try:
        yield
    finally:
        stop()
