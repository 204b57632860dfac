"""Each part of the table gives its rows, whatever the figures are: few rounds, small sizes."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import (
    commands,
    decision,
    engine,
    other_platforms,
    pages,
    runtimes,
    site,
    start,
    states,
    wire,
    wire_table,
)
from benchmarks.__main__ import PARTS
from benchmarks.bots import ENDLESS, INSTANT, instant_spec
from benchmarks.lanes import playing
from benchmarks.report import Row
from ladder.matches.inline_match import inline_table
from pigpen import is_accelerated
from pigpen.rules import PRESETS

SMALL: dict[str, dict[str, Any]] = {
    "start": {"counts": dict.fromkeys(start.KINDS, 1), "warm_up": 0},
    "tables": {"counts": (1, 2)},
    "growth": {"lengths": (1, 3), "warm_up": False},
    "verify": {"repeats": 1},
    "ladder": {"ladders": (("process", 1),), "places": 1},
    "kernel": {"thinks": (0, 1), "boards": (1,)},
    "match_parts": {"matches": 1, "boards": 1},
    "wire_in_containers": {"ways": ("today", "frames without gRPC"), "thinks": {0: 1}},
    "lengths": {"lengths": (1,), "at_once": (1,)},
}
"""Settings that make each part that needs Docker, or plays a ladder, small enough for a test."""


def names(rows: list[Row]) -> list[str]:
    assert all(row.figure for row in rows)
    assert len({(row.what, row.against) for row in rows}) == len(rows)
    return [row.what for row in rows]


def test_engine() -> None:
    found = names(engine.measure(1, deals=20, endings=1))
    assert found[:4] == [
        "random deals, OpenSpiel's hearts from Python",
        "random deals, OpenSpiel's hearts from Python, every short cut",
        "random deals, hearts",
        "random deals, gongzhu",
    ]
    solved = [f"last five tricks solved, {name}" for name in PRESETS] if is_accelerated() else []
    assert found[8:] == solved


def test_environments(tmp_path: Path) -> None:
    """A package that pip cannot install is named."""
    peers = {"a peer": ("rlcard", ("bridge",), [["--no-index", "no-such-package"]])}
    rows = other_platforms.measure_environments(1, seconds=0.01, peers=peers, into=tmp_path)
    assert names(rows) == [*other_platforms.OUR_RATES, "a peer"]
    assert [row.against for row in rows] == [
        "",
        *["OpenSpiel, hearts"] * 7,
        "pip could not install it, or it does not run",
    ]


def test_states_and_trees() -> None:
    rows = states.measure(1, seconds=0.01)
    calls = [
        f"states {name}, {games} in a call" for name in ("saved", "restored", "cloned") for games in ("1,024", "1")
    ]
    every = f"{states.DECISIONS}, each after restoring a state chosen by number"
    assert names(rows) == [states.DECISIONS, every, *calls]
    assert [row.against for row in rows[1:]] == [states.DECISIONS] * 7
    trees = states.measure_trees(1, seconds=0.01)
    assert [name.partition(",")[0] for name in names(trees)] == ["deals tried"] * 3
    assert [row.against for row in trees] == ["", states.TREES, states.TREES]


@pytest.mark.long
def test_commands() -> None:
    found = names(commands.measure(1, begin=5.0, seconds=1.0))
    assert found == [*(f"{name}: CPU" for name in commands.COMMANDS), "pigpen up, idle: memory", "pigpen up, idle: CPU"]


@pytest.mark.long
def test_why() -> None:
    found = names(commands.measure_why(1, boards=1, deals=1, variants=("gongzhu",)))
    assert found[:2] == ["why, what to expose, gongzhu", "why, what to expose, gongzhu, 99 of 100 within"]
    assert [name for name in found if name.startswith("costliest")] == ["costliest 5 of a bot, 1 boards, gongzhu"]


def test_the_exponent_of_what_does_not_grow_is_zero() -> None:
    assert pages.exponent(10, 1000, [3.0, 1.0, 2.0], [2.0]) == 0.0


@pytest.mark.long
def test_pages() -> None:
    found = names(pages.measure(1, bots=(8, 16), before=Path.cwd()))
    whats = ("a bot's page", "API, a bot", "standings", "an owner's page", "the front page, kept")
    expected = [f"{what}, {bots} bots, {name}" for what in whats for bots in (8, 16) for name in ("before", "now")]
    assert found == expected


@pytest.mark.long
def test_planning() -> None:
    found = names(pages.measure_planning(1, bots=(8, 16)))
    whats = ("a match scheduled and queued", "the same after a withdrawal", "a match planned")
    assert found == [f"{what}, {bots} bots" for what in whats for bots in (8, 16)]


@pytest.mark.long
def test_site() -> None:
    rows = site.measure(1, requests=20, seconds=0.05, bots=120, matches=100)
    found = names(rows)
    assert len(found) == 2 * 10 + 3 + 2
    assert "ETag hits, beside a match" in found
    assert found[-2].startswith("memory before and after 20 requests")
    assert found[-1] == "memory before and after 100 streams opened and dropped"


@pytest.mark.long
def test_decisions_without_docker_and_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    monkeypatch.setenv("PATH", "/nonexistent")
    rows = decision.measure(2)
    kinds = ["bare ping-pong, gRPC as it comes, processes", "bare ping-pong, processes"]
    lanes = [*kinds, "inline, without a wire", "processes"]
    assert names(rows) == [
        *[f"decisions, {lane}" for lane in lanes],
        f"decisions, {decision.NODE}",
        *[f"referee's CPU a decision, {lane}" for lane in lanes[1:]],
        "decisions, containers",
    ]
    assert [row.what for row in rows if row.figure == "left out"] == [
        f"decisions, {decision.NODE}", "decisions, containers",
    ]  # fmt: skip


def test_decisions_in_containers_are_left_out_without_docker(monkeypatch: pytest.MonkeyPatch) -> None:
    async def inline(stack: AsyncExitStack) -> tuple[decision.Lanes, list[Row]]:
        seats = await stack.enter_async_context(inline_table([INSTANT] * 4, lambda logs: None))
        table = await stack.enter_async_context(playing(instant_spec(ENDLESS), seats))
        with pytest.raises((OSError, subprocess.SubprocessError)):
            decision._node_bot(stack)
        return {"a": table, "b": table}, [Row.left_out(f"decisions, {decision.NODE}", "")]

    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(decision, "in_process", inline)
    rows = decision.measure(2)
    left_out = [f"decisions, {decision.NODE}", "decisions, containers"]
    assert names(rows) == ["decisions, a", "decisions, b", left_out[0], "referee's CPU a decision, b", left_out[1]]
    assert [row.what for row in rows if row.figure == "left out"] == left_out


def test_both_ends_of_the_wire() -> None:
    ways = ("today", "frames without gRPC")
    kinds = [*wire.KINDS, f"harness, bots think {wire.MILLIS} ms"]
    assert names(wire.measure(1, deals=1, ways=ways)) == [f"{kind}, {way}" for kind in kinds for way in ways]


@pytest.mark.parametrize("way", wire_table.WAYS)
def test_every_way_plays_and_counts_both_ends(way: str) -> None:
    ((deals,),) = asyncio.run(wire.costs([way], 0, rounds=1, deals=1))
    assert 0 < deals.asked < deals.steps
    assert deals.referee > 0
    assert deals.bots > 0


def test_a_table_that_cannot_begin_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_table, "WAYS", {**wire_table.WAYS, "no way": wire_table.Way()})
    with pytest.raises(RuntimeError, match="ended with exit code 1"):
        asyncio.run(wire.costs(["no way"], 0, rounds=1, deals=1))


def test_the_harness_is_what_is_not_thinking() -> None:
    took = wire_table.Deals(wall=1.0, referee=0.1, bots=0.9, steps=100, asked=80)
    assert wire.harness(took, millis=10) == pytest.approx(20)


@pytest.mark.docker
@pytest.mark.long
@pytest.mark.parametrize("name", SMALL)
def test_parts_that_play_matches(name: str) -> None:
    measure: Any = next(part.measure for part in PARTS if part.name == name)
    rows = measure(1, **SMALL[name])
    assert len(names(rows)) >= 2
    assert not [row for row in rows if row.figure == "left out"]
    if name != "ladder":  # which plays in processes here
        known = tuple(f"({runtime})" for runtime in runtimes.runtimes())
        outside = ("processes", "forked processes", "verified", "first card")
        assert rows[0].what.endswith(known[-1] if name == "match_parts" else known[0])
        assert all(row.what.endswith(known) or any(word in row.what for word in outside) for row in rows)


@pytest.mark.parametrize(
    ("known", "expected"),
    [({"runc": {}, "runsc": {}}, ("runsc", "runc")), ({"runc": {}}, ("runc",))],
    ids=["with gVisor", "without"],
)
def test_a_row_names_its_runtime_and_the_default_comes_first(
    monkeypatch: pytest.MonkeyPatch, known: dict[str, object], expected: tuple[str, ...]
) -> None:
    class Engine:
        api = SimpleNamespace(info=lambda: {"Runtimes": known})

        def close(self) -> None:
            pass

    monkeypatch.setattr(runtimes, "connect", Engine)
    monkeypatch.setenv(runtimes.VARIABLE, "runc")
    measured: list[str] = []

    def measure() -> list[Row]:
        measured.append(runtimes.containers().runtime)
        return [Row("decisions", "1 /s")]

    assert [row.what for row in runtimes.in_each(measure)] == [f"decisions ({runtime})" for runtime in expected]
    assert tuple(measured) == expected


def test_no_part_chooses_a_runtime_by_itself() -> None:
    """A sandbox without a runtime is runc, in which no ladder plays by default."""
    for part in PARTS:
        file = sys.modules[part.measure.__module__].__file__
        assert file
        calls = [node for node in ast.walk(ast.parse(Path(file).read_text())) if isinstance(node, ast.Call)]
        made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "DockerSandbox"]
        assert all(call.args for call in made), file


def test_a_peer_that_cannot_be_installed_is_left_out(tmp_path: Path) -> None:
    programs = tmp_path / "absent" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "pip"):
        (programs / name).write_text("#!/bin/sh\nexit 1\n")
        (programs / name).chmod(0o755)
    absent = {"moves, absent": ("absent", [["absent"]])}
    assert other_platforms.measure(1, {"Pigpen": lambda: 2000.0}, absent, tmp_path) == [
        Row("Pigpen", "2,000 /s"),
        Row("moves, absent", "left out", "pip could not install it, or it does not run"),
    ]


def test_a_peers_script_says_its_figure_last(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("print('what it says of itself', 3)\nprint(12.5)\n")
    assert other_platforms.theirs(Path(sys.executable), tmp_path / "script.py") == 12.5


def test_the_chess_engine_knows_as_much_uci_as_a_game_needs() -> None:
    commands = "uci\nisready\nucinewgame\nposition startpos\ngo\nposition startpos moves g1f3\ngo movetime 9\nquit\n"
    command = [sys.executable, str(other_platforms.PEERS), "chess-engine"]
    done = subprocess.run(command, input=commands, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["uciok", "readyok", "bestmove g1f3", "bestmove g8f6"]
