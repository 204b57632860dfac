"""From an attempt that has come back to what enters the ladder, and to what its owner is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.registry.names import proves_owner
from ladder.sandbox.bots.bot_source import names_owner
from ladder.store.commands.submissions import Submission
from ladder.values.submission import EnteredVariant, SubmissionResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.store.account_models import StoredSubmission
    from ladder.store.commands.submissions import Added
    from ladder.trials.tasks import SubmissionOutcome

NEWS = {"entered": "entered", "back": "back again", "": "there already"}


def submission_of(row: StoredSubmission, outcome: SubmissionOutcome, registry: str) -> Submission:
    """What is to be entered; *registry* is the address of the ladder's registry, or empty."""
    assert outcome.program is not None
    is_own = row.image is None or proves_owner(row.image, row.owner, registry)
    return Submission(
        bot=row.bot,
        owner=row.owner,
        identity=outcome.program.identity,
        sandbox=row.sandbox,
        source=row.source,
        size=outcome.program.size,
        pinned=outcome.program.pinned,
        reference=None if is_own else row.image,
        names_owner=row.image is None or names_owner(row.image),
        lock=outcome.program.lock,
        can_fork=outcome.program.can_fork,
    )


def result_of(
    row: StoredSubmission, outcome: SubmissionOutcome, added: Added | None, missing_owners: Mapping[str, int]
) -> SubmissionResult:
    """What became of it; *added* is None if it failed, *missing_owners* by variant."""
    assert outcome.program is not None
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
        variants=_entered(added, missing_owners),
        reasons=outcome.failures,
        again=outcome.again,
    )


def _entered(added: Added | None, missing_owners: Mapping[str, int]) -> tuple[EnteredVariant, ...]:
    return tuple(
        EnteredVariant(
            variant=entry.variant,
            state=entry.state,
            news=NEWS[entry.news],
            elo=round(entry.elo, 1),
            retired=entry.retired,
            missing_owners=missing_owners.get(entry.variant, 0),
        )
        for entry in (added.entries if added else ())
    )
