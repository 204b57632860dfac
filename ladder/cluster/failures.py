"""
Errors of calls to a remote worker that end without an answer. Any other `SandboxError` is the worker's own: it could
not play.

SandboxError
├── SchedulerLost   the process between has ended: its calls may or may not be running
├── WorkerLost      the worker is not connected any more
└── InvalidAnswer   what it answered can be no answer
"""

from __future__ import annotations

from ladder.errors import SandboxError


class SchedulerLost(SandboxError):
    """The scheduler has ended, and no match is to blame; the workers connect to the next one."""


class WorkerLost(SandboxError):
    """The worker is not connected any more; what it played is lost."""


class InvalidAnswer(SandboxError):
    """A message that can be no answer of a worker, such as one that is too long."""
