"""The command that shows an owner the failure of a trial again."""

from __future__ import annotations

import pytest

from ladder.matches.check import Report
from ladder.matches.preflight import Preflight
from ladder.trials.trial import again
from ladder.values.sandbox_kind import AUTO, GVISOR, SHARED, SandboxKind
from pigpen.check import Outcome
from tests.ladder.runner.test_asked import trial

FAILED = Preflight(Report((Outcome(group="hearts", name="follow suit", verdict="illegal", reason="It did not."),)))


@pytest.mark.parametrize(
    ("sandbox", "runtime", "more"),
    [
        (SandboxKind.DOCKER, GVISOR, " --runtime auto"),
        (SandboxKind.DOCKER, AUTO, " --runtime auto"),
        (SandboxKind.DOCKER, SHARED, ""),
        (SandboxKind.PROCESS, AUTO, ""),
    ],
)
def test_it_runs_where_the_ladder_has_tried_the_bot(sandbox: SandboxKind, runtime: str, more: str) -> None:
    task = trial(sandbox=sandbox, runtime=runtime)
    assert again(task, FAILED) == f"pigpen check trotter --rules hearts --sandbox {sandbox}{more}"
