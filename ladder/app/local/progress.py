"""Progress of long-running work, as the layer above is told of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ladder.values.submission import SubmissionRow

    Progress = Callable[[str, int], AbstractContextManager[Callable[[str], None]]]
    """Begins to show it: what the steps are called, and how many there are; gives what to call after each step."""


class SubmissionObserver(Protocol):
    """
    Receives the progress of a submission, from the order to its end.

    It is all that is called upwards meanwhile: nothing of the submission depends on it.
    """

    def progress(self, what: str, total: int) -> AbstractContextManager[Callable[[str], None]]:
        """Begin to show steps, as `Progress` does: of an upload, or of a trial on this machine."""

    def pushing(self, image: str) -> AbstractContextManager[Callable[[str], None]]:
        """Begin to show that an image is pushed; give a function that takes a sentence on how far that is."""

    def say(self, sentence: str) -> None:
        """Show a sentence that stays."""

    def moved(self, row: SubmissionRow) -> None:
        """Show how far a submission has come on a remote ladder."""
