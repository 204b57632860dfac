"""`pigpen ladder run` and `pigpen ladder export`: workers on a terminal, and the data set."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from ladder.app.wheels import install_line
from ladder.cli.organise.watch import LadderWatch
from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder, recorded_match
from tests.referee.recorded import SEED, match_lines
from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path


def test_it_says_what_it_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path / "data"))
    match = recorded_match(ladder, match_lines("hearts", "deals:1"), SEED.hex())
    record = ladder.files.record(match, 1)
    ladder.database.close()
    where = {"folder": tmp_path, "PIGPEN_DATA_DIR": str(tmp_path / "data")}
    done = typed("ladder", "export", "set", **where)  # type: ignore[arg-type]
    assert (done.code, done.err) == (0, "")
    assert done.out.partition(" (")[0].split(", ") == [
        "set: 1 matches", "4 seats", "4 versions", "4 ratings", "4 deals", "56 decisions",
    ]  # fmt: skip
    again = typed("ladder", "export", "set", "--licence", "CC0-1.0", "--json", **where)  # type: ignore[arg-type]
    assert json.loads(again.out)["licence"] == "CC0-1.0"
    assert typed("ladder", "export", **where).out.startswith(f"{tmp_path / 'data' / 'dataset'}: 1 matches, ")  # type: ignore[arg-type]
    record.write_bytes(b"damaged")
    warned = typed("ladder", "export", "other", **where)  # type: ignore[arg-type]
    assert warned.code == 0
    assert warned.err.startswith("The deals of match 1 ")
    assert " '1-1.jsonl.gz' cannot be replayed: " in warned.err
    assert " 0 decisions " in warned.out
    assert typed("ladder", "export", "data", **where).is_one_sentence  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in [name for name in sys.modules if name.startswith("ladder.app.dataset")]:
        monkeypatch.delitem(sys.modules, name)
    refused = typed("ladder", "export", "set", **where)  # type: ignore[arg-type]
    assert refused.is_one_sentence
    assert install_line("data") in refused.err


NASTY = "\x1b[31mred\x07\x9b2J\u202e[bold]"


def shown(*events: dict[str, object]) -> str:
    """Give the text that these events leave on a terminal that is 100 columns wide."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system=None, width=100, legacy_windows=False)
    watch = LadderWatch(None, console)
    for event in events:
        watch.take(event)
    return file.getvalue()


@pytest.mark.parametrize(
    ("event", "line"),
    [
        ({"event": "worker.joined", "worker_name": "sty", "slots": 4}, "sty has joined with 4 slots."),
        ({"event": "worker.gone", "worker_name": "sty", "reason": "It was stopped."}, "sty has gone: It was stopped."),
        ({"event": "worker.drained", "worker_name": "sty", "reason": "Heat."}, "sty gets no more tasks. Heat."),
        ({"event": "worker.fails", "worker_name": "sty", "reason": "No engine."}, "sty fails: No engine."),
        ({"event": "cluster.waiting", "reason": "No worker."}, "No worker. Waiting; nothing is lost."),
        ({"event": "worker.resumed", "worker_name": "sty", "reason": ""}, "sty may play again."),
        (
            {"event": "worker.turned_away", "worker_name": "sty", "reason": "It is old."},
            "sty is turned away: It is old.",
        ),
        (
            {"event": "worker.lied", "worker_name": "sty", "reason": "A changed record."},
            "sty has given an answer that cannot be true: A changed record.",
        ),
        (
            {"event": "scheduler.lost", "reason": "The cluster's scheduler (process 7) has died."},
            "The cluster's scheduler (process 7) has died. Workers reconnect when there is another one.",
        ),
        (
            {"event": "image.pull_failed", "level": "error", "source": "worker", "worker_name": "sty", "image": "x"},
            "sty: image.pull_failed  image: x",
        ),
    ],
)
def test_what_happens_to_workers_is_a_line(event: dict[str, object], line: str) -> None:
    assert shown(event) == line + "\n"


def test_what_workers_do_without_trouble_is_not_shown() -> None:
    assert shown({"event": "worker.works", "level": "info", "worker_name": "sty", "speed": 6000}) == ""
    assert shown({"event": "worker.started", "level": "info", "worker": 0, "pid": 7}) == ""
    assert shown({"event": "worker.started", "level": "info", "source": "worker", "worker_name": "sty"}) == ""


@pytest.mark.parametrize("event", ["worker.lied", "worker.gone", "image.pull_failed"])
def test_nothing_that_a_worker_says_makes_a_terminal_do_things(event: str) -> None:
    source = {"source": "worker", "level": "error"} if event.startswith("image") else {}
    printed = shown({"event": event, "worker_name": "sty", "reason": NASTY, **source})
    assert all(letter.isprintable() or letter == "\n" for letter in printed)
    assert "[31mred" in printed
    assert "[bold]" in printed


FINISHED = {
    "event": "match.finished", "match": 17, "variant": "gongzhu", "deals": 4, "bots": ["Trotter", "Snout"],
    "places": [2, 1], "moves": [-9.5, 9.5],
}  # fmt: skip


def printed(is_shown: bool) -> str:
    """Give the output of a run that is on no terminal."""
    file = io.StringIO()
    with LadderWatch(2, Console(file=file, width=20), is_shown=is_shown) as watch:
        for event in ({"event": "match.started", "match": 17, "attempt": 1}, FINISHED, {**FINISHED, "match": 18}):
            watch.take(event)
    return file.getvalue()


def test_off_a_terminal_there_is_a_line_for_each_result_and_nothing_that_moves() -> None:
    assert printed(is_shown=True) == (
        "match 17  gongzhu  1 Snout +10  2 Trotter -10\nmatch 18  gongzhu  1 Snout +10  2 Trotter -10\n"
    )
    assert printed(is_shown=False) == ""


def test_the_bar_counts_the_workers_that_are_there() -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, color_system=None, width=120, legacy_windows=False)
    watch = LadderWatch(None, console)
    with watch:
        for name in ("sty", "barn", "byre"):
            watch.take({"event": "worker.joined", "worker_name": name, "slots": 4})
        watch.take({"event": "worker.gone", "worker_name": "sty", "reason": "It was stopped."})
        watch._bar.refresh()
    assert "2 workers" in file.getvalue()
