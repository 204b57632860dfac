"""From an attempt that has come back to what its owner is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.values.submission import SubmissionResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.store.account_models import StoredSubmission
    from ladder.store.commands.submissions import Added
    from ladder.trials.trial_tasks import SubmissionOutcome


def result_of(
    row: StoredSubmission, outcome: SubmissionOutcome, added: Added | None, missing_owners: Mapping[str, int]
) -> SubmissionResult:
    """
    Give the result of a submission that was tried.

    Args:
        row: What was submitted.
        outcome: What its trial found.
        added: What the ladder holds of it now; None: the bot failed.
        missing_owners: By variant, how many more owners must have an active bot there before a match can be played.
    """
    assert outcome.program is not None
    entries = added.entries if added else ()
    moved = added and added.changed and row.image
    return SubmissionResult(
        accepted=added is not None,
        bot=row.bot,
        owner=row.owner,
        identity=outcome.program.identity,
        pinned=outcome.program.pinned,
        version=added.name if added else None,
        new=bool(added and added.is_new),
        changed=bool(added and added.changed),
        moved_from=added.before if added and moved else None,
        outdated=outcome.outdated,
        variants=tuple(
            entry.model_copy(update={"missing_owners": missing_owners.get(entry.variant, 0)}) for entry in entries
        ),
        reasons=outcome.failures,
        again=outcome.again,
    )
