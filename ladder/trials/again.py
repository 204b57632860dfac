"""The command by which the owner of a bot that was not accepted sees the same failure again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ladder.matches.check_wire import WIRE_GROUP
from ladder.values.runtimes import AUTO, SHARED
from ladder.values.sandbox_kind import SandboxKind
from ladder.values.submission import VariantFile
from referee.match.formats import DEFAULT_CLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.matches.preflight import Preflight
    from ladder.trials.tasks import SubmissionTask
    from referee.match.formats import MatchSpec


def again(task: SubmissionTask, found: Preflight) -> str:
    """Give the command that shows the failure that *found* tells of, on the owner's machine."""
    if not found.report.passed:
        groups = dict.fromkeys(outcome.group for outcome in found.report.outcomes)
        rules = "".join(f" --rules {_rules(task.variants, group)}" for group in groups if group != WIRE_GROUP)
        return f"pigpen check {shlex.quote(task.word)}{rules} --sandbox {task.sandbox}{_runtime(task)}"
    failed = next(match for match in found.matches if match.faults.reports)
    return _play(task, failed.spec)


def _play(task: SubmissionTask, spec: MatchSpec) -> str:
    bots = " ".join([shlex.quote(task.word)] * (2 if spec.rules.partners else spec.rules.players))
    clock = spec.clock
    time = f" --clock {clock.bank:g}+{clock.increment:g} --limit {clock.limit:g}" if clock != DEFAULT_CLOCK else ""
    rules = _rules(task.variants, spec.rules.name)
    match = f"--rules {rules} --deals {spec.format.deals} --seed {spec.seed.hex()}"
    return f"pigpen play {bots} {match} --sandbox {task.sandbox}{_runtime(task)}{time}"


def _runtime(task: SubmissionTask) -> str:
    """Say which runtime shows the failure: gVisor as on the ladder, if the owner's machine has it."""
    return f" --runtime {AUTO}" if task.sandbox == SandboxKind.DOCKER and task.runtime != SHARED else ""


def _rules(wanted: Sequence[str | VariantFile], variant: str) -> str:
    """Say what to type for a variant: its name, or the file in which its rules stand."""
    files = (each for each in wanted if isinstance(each, VariantFile))
    return shlex.quote(next((file.file for file in files if file.rules.get("name") == variant), variant))
