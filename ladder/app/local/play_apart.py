"""A match in containers of an engine that does not see this machine's files: the referee plays beside the bots."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.local_results import PlayedMatch
from pigpen.rules import PRESETS
from referee.records.file import read_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.local.match_plan import MatchPlan

WHAT_HAPPENS = (
    "The Docker engine does not see this machine's files and sockets, so the referee plays in a container beside the "
    "bots; the record is written here at the end."
)
RECORD, RULES = "match.jsonl", "rules.toml"


async def play_apart(plan: MatchPlan, rules: str, options: tuple[str, ...], say: Callable[[str], None]) -> PlayedMatch:
    """
    Let bots play a new match there, and record it here.

    Args:
        plan: What is to be played.
        rules: What `load_rules` was given for it: a preset, or the path of a file.
        options: Further options of `pigpen play`, as words.
        say: Takes sentences about steps.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the engine fails.
        UserError: If a match is to be resumed, or the record cannot be written.
    """
    from ladder.sandbox.docker.referee_container import Errand, path_of, run_beside_bots

    if plan.begun:
        raise UserError(
            "--resume needs a Docker engine that sees this machine's files and sockets, and this one does not. Play a "
            "new match, or use an engine on this machine (DOCKER_HOST names one)."
        )
    say(WHAT_HAPPENS)
    files = _files(rules)
    words = ["play", *options, "--rules", path_of(RULES) if files else rules, "--seed", plan.spec.seed.hex(), "--json"]
    with plan.recorded(say) as write:
        errand = Errand((*words, "--record", path_of(RECORD), "--"), plan.sources, files, RECORD)
        brought = await run_beside_bots(errand, say)
        with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
            made = Path(folder) / RECORD
            made.write_bytes(brought.made)
            for line in read_record(made):
                write(line)
    return PlayedMatch.model_validate_json(brought.printed)


def _files(rules: str) -> dict[str, bytes]:
    return {} if rules in PRESETS else {RULES: Path(rules).read_bytes()}
