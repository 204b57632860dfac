"""Faults in the output of `pigpen play`: each kind once, with the output that belongs to it."""

from __future__ import annotations

import io

from rich.console import Console

from ladder.cli.play.play import MAX_FAULTS, print_result
from ladder.values.local_results import FaultReport, PlayedBot, PlayedMatch, RotationLog
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec

SPEC = MatchSpec(PRESETS["hearts"], ("mybot",) * 4, Format(1))


def fault(rotation: int, verdict: str, why: str, decision: int = 3) -> FaultReport:
    code = 1 if verdict == "gone" else None
    return FaultReport(
        seat=0, rotation=rotation, place=f"board 1, rotation {rotation}", decision=decision, verdict=verdict, why=why,
        exit_code=code, oom=None if code is None else False,
    )  # fmt: skip


def crash(rotation: int, error: str = "KeyError: 'QS'") -> RotationLog:
    printed = (
        f"[{rotation}] thinking {rotation}\n" * (rotation - 1)
        + f"[{rotation}] Traceback (most recent call last):\n[{rotation}] {error}\n"
    )
    return RotationLog(
        rotation=rotation, printed=printed, faults=(fault(rotation, "gone", "its program ended with exit code 1"),)
    )


def shown(*logs: RotationLog) -> str:
    row = PlayedBot(
        seat=0, bot="mybot", total=0, points_per_deal=0.0, standard_error=None, place=1, timed="wall",
        faults=sum(len(log.faults) for log in logs), taken_over=False, think_ms={"median": 1.0, "worst": 2.0},
        why=(), rotations=logs,
    )  # fmt: skip
    found = PlayedMatch(rules="hearts", format="deals:1", seed="00", deals=1, results=(row,))
    out = io.StringIO()
    print_result(SPEC, found, Console(file=out, width=200))
    return out.getvalue().partition("was at fault:\n")[2]


def test_the_same_error_in_many_rotations_is_shown_once() -> None:
    printed = shown(*(crash(rotation) for rotation in range(1, 9)))
    assert printed.splitlines() == [
        "  board 1, rotation 1, decision 3: gone: its program ended with exit code 1",
        "  Its output:",
        "    [1] Traceback (most recent call last):",
        "    [1] KeyError: 'QS'",
        "  … and 7 more like these; --json has all.",
    ]


def test_another_error_is_shown_too() -> None:
    printed = shown(crash(1), crash(2), crash(3, "ValueError: no card"), crash(4))
    assert printed.count("Its output:") == 2
    assert "ValueError: no card" in printed
    assert "… and 2 more like these" in printed


def test_of_illegal_plays_one_of_a_kind_is_shown_whatever_the_bot_printed() -> None:
    logs = (
        RotationLog(
            rotation=rotation,
            printed=f"[1] {'chatter ' * rotation}\n",
            faults=(
                fault(rotation, "illegal", f"{card} may not be played, legal: 2C"),
                fault(rotation, "timeout", "no answer within 1.000 s", 4),
            ),
        )
        for rotation, card in enumerate(["QS", "10H", "AD"], 1)
    )
    printed = shown(*logs)
    assert (printed.count("illegal"), printed.count("timeout"), printed.count("Its output:")) == (1, 1, 1)
    assert "… and 4 more like these" in printed


def test_many_kinds_of_faults_are_cut_and_counted() -> None:
    kinds = [chr(ord("a") + number) for number in range(MAX_FAULTS + 5)]
    printed = shown(*(crash(rotation, f"Error: {kind}") for rotation, kind in enumerate(kinds, 1)))
    assert printed.count("gone: its program") == MAX_FAULTS
    assert "… and 5 more of these and other kinds; --json has all." in printed
