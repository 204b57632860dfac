"""A child process that plays tasks, or has them played, and reports on them meanwhile."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from typing import TYPE_CHECKING

from ladder.worker.channel import MessageKind, live_events
from ladder.worker.child_process import OBEY_SECONDS, ChildProcess

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from ladder.worker.channel import Channel, Frame

    TakeEvents = Callable[[int, int, str], None]
    """Takes the match, the attempt, and events as lines of JSON; it never fails."""
    TakeProgress = Callable[[str], None]
    """Takes a `TrialProgress` as JSON; it never fails."""


class PlayingProcess(ChildProcess):
    """A process that reports events of matches and the progress of trials."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        channel: Channel,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        obey_seconds: float = OBEY_SECONDS,
    ) -> None:
        super().__init__(process, channel, obey_seconds)
        self._take_events = take_events
        self._take_progress = take_progress

    def _receive(self, message: Frame) -> None:
        if message.kind is MessageKind.LOG:
            self._log(message.body)
        elif message.kind is MessageKind.LIVE and self._take_events:
            self._take_events(*live_events(message.body))
        elif message.kind is MessageKind.TRIAL and self._take_progress:
            # It writes to the database, and may wait for its turn.
            asyncio.get_running_loop().run_in_executor(None, self._take_progress, message.body)

    @abstractmethod
    def _log(self, line: str) -> None:
        """Write an event of it, a line of JSON, into the log."""
