"""The outcome of a submission that has ended, on this machine or on a remote ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import LadderError, SandboxError

if TYPE_CHECKING:
    from ladder.values.submission import SubmissionResult, SubmissionRow


def result_of(row: SubmissionRow) -> SubmissionResult:
    """
    Give the result of a submission that has ended.

    Raises:
        LadderError: If the ladder did not take it without a trial, or it was withdrawn.
        SandboxError: If the platform failed; that says nothing about the bot.
    """
    if row.status == "failed":
        raise SandboxError(row.reason)
    if row.status == "withdrawn":
        raise LadderError(f"Submission {row.id} was withdrawn. {row.reason}".rstrip())
    if row.result is None:
        raise LadderError(row.reason)
    return row.result
