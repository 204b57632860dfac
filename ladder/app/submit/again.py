"""How the owner of a bot that was not accepted sees the same failure again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.matches.check_wire import WIRE_GROUP
from pigpen.rules import PRESETS
from referee.match.spec import DEFAULT_CLOCK
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.submit.entering import Request
    from ladder.matches.preflight import Preflight
    from referee.match.spec import MatchSpec


def again(request: Request, found: Preflight, sandbox: str) -> str:
    """Give the command that shows the failure that *found* tells of."""
    if not found.report.passed:
        groups = dict.fromkeys(outcome.group for outcome in found.report.outcomes)
        rules = "".join(f" --rules {_rules(request.variants, group)}" for group in groups if group != WIRE_GROUP)
        return f"pigpen check {shlex.quote(request.word)}{rules} --sandbox {sandbox}"
    failed = next(match for match in found.matches if match.faults.reports)
    return _play(request, failed.spec, sandbox)


def _play(request: Request, spec: MatchSpec, sandbox: str) -> str:
    bots = " ".join([shlex.quote(request.word)] * (2 if spec.rules.partners else spec.rules.players))
    clock = spec.clock
    time = f" --clock {clock.bank:g}+{clock.increment:g} --limit {clock.limit:g}" if clock != DEFAULT_CLOCK else ""
    rules = _rules(request.variants, spec.rules.name)
    match = f"--rules {rules} --deals {spec.format.deals} --seed {spec.seed.hex()}"
    return f"pigpen play {bots} {match} --sandbox {sandbox}{time}"


def _rules(words: Sequence[str], variant: str) -> str:
    """What to type for a variant: its name, or the file in which its rules stand."""
    files = (word for word in words if variant not in PRESETS and Path(word).is_file())
    return shlex.quote(next((file for file in files if load_rules(file).name == variant), variant))
