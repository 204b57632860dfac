"""What `pigpen play` says of faults: each kind once, with the output that belongs to it."""

from __future__ import annotations

import io

from rich.console import Console

from ladder.cli.play.result_table import MAX_FAULTS, print_result
from ladder.values.faults import FaultReport
from ladder.values.matches import TableLog
from ladder.values.play import PlayedBot, PlayedMatch
from pigpen.rules import PRESETS
from referee.match.formats import Format
from referee.match.spec import MatchSpec

SPEC = MatchSpec(PRESETS["hearts"], ("mybot",) * 4, Format(1))


def fault(table: int, verdict: str, why: str, decision: int = 3) -> FaultReport:
    code = 1 if verdict == "gone" else None
    return FaultReport(
        seat=0, table=table, place=f"board 0, rotation {table}", decision=decision, verdict=verdict, why=why,
        exit_code=code, oom=None if code is None else False,
    )  # fmt: skip


def crash(table: int, error: str = "KeyError: 'QS'") -> TableLog:
    printed = (
        f"[{table}] thinking {table}\n" * table + f"[{table}] Traceback (most recent call last):\n[{table}] {error}\n"
    )
    return TableLog(table=table, printed=printed, faults=(fault(table, "gone", "its program ended with exit code 1"),))


def shown(*tables: TableLog) -> str:
    row = PlayedBot(
        seat=0, bot="mybot", total=0, points_per_deal=0.0, standard_error=None, place=1, timed="wall",
        faults=sum(len(table.faults) for table in tables), taken_over=False, think_ms={"median": 1.0, "worst": 2.0},
        why=(), tables=tables,
    )  # fmt: skip
    found = PlayedMatch(rules="hearts", format="deals:1", seed="00", deals=1, results=(row,))
    out = io.StringIO()
    print_result(SPEC, found, Console(file=out, width=200))
    return out.getvalue().partition("was at fault:\n")[2]


def test_the_same_error_at_many_tables_is_shown_once() -> None:
    printed = shown(*(crash(table) for table in range(8)))
    assert printed.splitlines() == [
        "  board 0, rotation 0, decision 3: gone: its program ended with exit code 1",
        "  Its output:",
        "    [0] Traceback (most recent call last):",
        "    [0] KeyError: 'QS'",
        "  … and 7 more like these; --json has all.",
    ]


def test_another_error_is_shown_too() -> None:
    printed = shown(crash(0), crash(1), crash(2, "ValueError: no card"), crash(3))
    assert printed.count("Its output:") == 2
    assert "ValueError: no card" in printed
    assert "… and 2 more like these" in printed


def test_of_illegal_plays_one_of_a_kind_is_shown_whatever_the_bot_printed() -> None:
    tables = (
        TableLog(
            table=table,
            printed=f"[1] {'chatter ' * table}\n",
            faults=(
                fault(table, "illegal", f"{card} may not be played, legal: 2C"),
                fault(table, "timeout", "no answer within 1.000 s", 4),
            ),
        )
        for table, card in enumerate(["QS", "10H", "AD"])
    )
    printed = shown(*tables)
    assert (printed.count("illegal"), printed.count("timeout"), printed.count("Its output:")) == (1, 1, 1)
    assert "… and 4 more like these" in printed


def test_many_kinds_of_faults_are_cut_and_counted() -> None:
    kinds = [chr(ord("a") + number) for number in range(MAX_FAULTS + 5)]
    printed = shown(*(crash(table, f"Error: {kind}") for table, kind in enumerate(kinds)))
    assert printed.count("gone: its program") == MAX_FAULTS
    assert "… and 5 more of these and other kinds; --json has all." in printed
