"""Bots that are fit to be entered, for tests, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store import models
from ladder.store.account_models import StoredSubmission
from ladder.store.commands.submissions import enter
from ladder.trials.trial_tasks import SubmissionOutcome, TriedProgram
from ladder.values.submission import SubmissionOrder
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.store.database import Database, Session
    from ladder.values.submission import Failure, SubmissionResult
    from pigpen.rules import Rules


@dataclass(frozen=True)
class Fit:
    """A bot that has passed its trial."""

    bot: str
    owner: str
    identity: str
    sandbox: str
    source: str
    size: int
    pinned: str | None = None
    can_fork: bool = False
    image: str | None = None
    """The image reference that was submitted; None for a folder."""

    def enter(
        self,
        session: Session,
        variants: Sequence[Rules],
        now: float = 1.0,
        *,
        keep_old: bool = False,
        failures: tuple[Failure, ...] = (),
        registry: str = "",
    ) -> SubmissionResult:
        """Enter it, as a coordinator does; with failures it is refused."""
        order = SubmissionOrder(name=self.bot, source=self.source, keep_old=keep_old)
        submission = StoredSubmission(
            owner=self.owner, sandbox=self.sandbox, ordered=order.model_dump(), image=self.image, added=now
        )
        program = TriedProgram(
            identity=self.identity, pinned=self.pinned, size=self.size, lock=None, can_fork=self.can_fork
        )
        plain = tuple(rules.to_plain() for rules in variants)
        outcome = SubmissionOutcome(submission=1, attempt=1, program=program, variants=plain, failures=failures)
        return enter(session, submission, outcome, now, registry)


TROTTER = Fit("Trotter", "ada", f"sha256:{'a' * 64}", "process", "mybot", 1000)
BETTER = replace(TROTTER, identity=f"sha256:{'b' * 64}", size=1100)


def submit(database: Database, fit: Fit, *names: str, keep_old: bool = False, now: float = 1.0) -> SubmissionResult:
    variants = [PRESETS[name] for name in names or ("gongzhu",)]
    with database.write() as session:
        return fit.enter(session, variants, now, keep_old=keep_old)


def states(database: Database, variant: str = "gongzhu") -> dict[int, str]:
    """The state of each version, by its number."""
    wanted = select(models.Version.number, models.Rating.state).join(
        models.Rating, models.Rating.version_id == models.Version.id
    )
    with database.read() as session:
        return {row.number: row.state for row in session.execute(wanted.where(models.Rating.variant == variant))}


def changes(database: Database) -> list[tuple[str, str, str]]:
    wanted = select(models.StateChange.state, models.StateChange.by, models.StateChange.reason)
    with database.read() as session:
        return [(state, by, reason) for state, by, reason in session.execute(wanted.order_by(models.StateChange.id))]
