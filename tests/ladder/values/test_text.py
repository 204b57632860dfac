"""Clocks that people type; Words of strangers, and sentences for strangers, made fit to be shown."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path

import pytest

from ladder.values import text
from ladder.values.clocks import read_clock
from ladder.values.text import without_paths
from pigpen import ClockSetting


@pytest.mark.parametrize(("limit", "start_up"), [(0.001, 10.0), (10.0, 10.0), (30.0, 30.0), (3600.0, 60.0)])
def test_a_bot_has_as_long_for_its_start_as_for_a_decision_but_10_to_60_seconds(limit: float, start_up: float) -> None:
    assert read_clock("60+0.1", limit) == ClockSetting(60.0, 0.1, limit, start_up)
    assert read_clock("900", limit) == ClockSetting(900.0, 0.0, limit, start_up)


SHOWN = {
    "'/srv/my ladder/data/x' cannot be made: No space left on device.": "'…' cannot be made: No space left on device.",
    'The file "/root/.cache/pigpen/a.whl" is damaged.': 'The file "…" is damaged.',
    "/tmp/pigpen-1/owner cannot be made: full. Make room.": "… cannot be made: full. Make room.",
    "FileNotFoundError: [Errno 2] No such file: (/etc/pigpen/key)": "FileNotFoundError: [Errno 2] No such file: (…)",
    "No engine answers at unix:///run/user/1000/docker.sock.": "No engine answers at …",
    "https://example.org/simple/six/ does not answer.": "https://example.org/simple/six/ does not answer.",
    "registry.example:5000/ada/trotter:1 has 3 layers, 1/2 of them fetched.": None,
    "Its trial was not over after 1800 seconds.": None,
}


@pytest.mark.parametrize("words", SHOWN)
def test_paths_of_this_machine_are_not_told_and_the_rest_is(words: str) -> None:
    assert without_paths(words) == (SHOWN[words] or words)


ROOT = Path(__file__).parents[3]
NOUNS = "|".join((
    "matches", "deals", "bots", "boards", "rounds", "tables", "lines", "cases", "faults", "decisions", "results",
    "workers", "times", "minutes", "entrants", "rotations", "cards", "slots", "tasks", "results", "stand-ins",
    "failures", "submissions", "records", "frames", "units",
))  # fmt: skip
COUNTED = re.compile(rf"\}} (?:\w+ )?(?:{NOUNS})\b")
"""A number that a message puts in, and a noun for several."""
MANY = {
    "ladder/app/computing/why.py": "a key, for nobody to read",
    "ladder/app/doctor.py": "cores for bots",
    "ladder/app/speed.py": "three matches at least; thousands of deals",
    "ladder/cli/organise/cluster.py": "decisions a second",
    "ladder/cli/replay/replay_viewer.py": "the size of a screen",
    "ladder/cli/replay/why.py": "a decision has 2 choices at least",
    "ladder/people/commands/table_screen.py": "the size of a screen",
    "ladder/runner/presence.py": "minutes of a constant",
    "ladder/sandbox/bots/bot_archive.py": "a limit",
    "ladder/store/commands/submission_queue.py": "SQL",
    "pigpen_arena/examples/train.py": "1,024 tables and more",
    "referee/records/file.py": "a limit",
    "ladder/app/event/event_files.py": "more bots of an owner than are allowed",
    "ladder/app/event/organising.py": "a range",
    "ladder/app/local/match_plan.py": "too many, and the seats of a variant",
    "ladder/app/local/why.py": "several deals where one is wanted",
    "ladder/cli/event/event_tables.py": "a range; a table that is played again; an event has 2 entrants at least",
    "ladder/cli/play/compare.py": "MIN_DIFFERING",
    "ladder/events/advice.py": "an event has 2 entrants at least; a range",
    "ladder/events/claims.py": "an event has at least two entrants",
    "ladder/events/event_file.py": "too many",
    "ladder/matches/check.py": "MAX_STARTS",
    "ladder/pairing/suspension.py": "a threshold of several",
    "ladder/cli/results/standings.py": "PROVISIONAL",
    "ladder/site/api/submissions.py": "MAX_STREAMS",
    "ladder/site/api/routes.py": "MATCHES",
    "ladder/store/commands/copying.py": "minutes of a constant",
    "ladder/store/commands/event_entries.py": "the most of an event, which has 2 at least",
    "ladder/store/commands/scheduling.py": "an option",
    "ladder/store/queries/checking.py": "figures that differ",
    "referee/records/recorded.py": "2 seats at least",
    "referee/replay/retrace.py": "figures that differ",
    "referee/replay/verify.py": "figures that differ",
}
"""Modules with numbers that are never 1, or have the noun chosen beside them; why."""


def numbers_with_nouns(tree: ast.AST) -> list[str]:
    """The texts of a module that put a number before a noun for several, but not by `counted`."""
    texts = (
        "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)  # type: ignore[misc]
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
    )
    return [text for text in texts if COUNTED.search(text)]


def test_no_message_says_1_matches() -> None:
    found = {
        str(path.relative_to(ROOT))
        for folder in ("ladder", "referee", "pigpen_arena")
        for path in (ROOT / folder).rglob("*.py")
        if numbers_with_nouns(ast.parse(path.read_text("utf-8")))
    }
    assert found == set(MANY)


def test_a_plural_beside_a_number_is_found() -> None:
    assert numbers_with_nouns(ast.parse('f"{count} matches"')) == ["{} matches"]
    assert numbers_with_nouns(ast.parse('f"{count} more cases."')) == ["{} more cases."]
    assert numbers_with_nouns(ast.parse("f\"{counted(count, 'match', 'matches')}\"")) == []


def test_the_examples_hold() -> None:
    assert doctest.testmod(text).failed == 0
