"""Messages between bot and referee, and the transport's settings under them."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc._cython import cygrpc  # type: ignore[attr-defined]
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.lanes import AS_IT_COMES
from pigpen import ClockSetting, DealResult, FaultNotice, MatchResult, View, Welcome
from pigpen.rules import CARDS, PRESETS, Action, Card, Deal, Face, MoonChoice, Phase, Rules, deal_hands
from pigpen.v1 import referee_pb2, rules_pb2
from pigpen.values.notices import NO_ACTION, Notice
from pigpen.wire.messages import (
    MalformedMessage,
    action_of,
    answer_message,
    duration,
    notice_message,
    notice_of,
    request_message,
    rules_from_message,
    rules_to_message,
    seconds,
    view_of,
    welcome_message,
    welcome_of,
)
from pigpen.wire.transport import LACKING, ONE_THREAD
from tests.many_choices import WAYS
from tests.sdk.wire import wake_ups

QS, AH = Card.parse("QS"), Card.parse("AH")


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_every_variant_comes_through_unchanged(rules: Rules) -> None:
    data = rules_to_message(rules).SerializeToString()
    assert rules_from_message(rules_pb2.Rules.FromString(data)) == rules


def test_C_10_a_variant_with_too_many_choices_is_none() -> None:
    message = rules_to_message(PRESETS["hearts"])
    message.players = 2
    message.passing.cards = 13
    with pytest.raises(ValueError, match=f"^passing.cards: {WAYS}"):
        rules_from_message(message)


@given(
    st.sampled_from(list(PRESETS)), st.integers(0, 3), st.sampled_from([None, 0, 3]), st.integers(0, 2**32),
    st.randoms(use_true_random=False),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_every_view_comes_through_unchanged(
    name: str, number: int, leader: int | None, seed: int, rng: object
) -> None:  # fmt: skip
    """And with it everything that a seat may know (C-9), at every decision of a deal."""
    rules = PRESETS[name]
    deal = Deal(rules, deal_hands(rules, seed.to_bytes(32, "big"), number), number=number, leader=leader)
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(
                *deal.known_to(seat), totals=(-5,) * rules.players, decision=7, seed=2**64 - 1, limit=1.0, bank=59.5
            )
            message = referee_pb2.RefereeMessage.FromString(request_message(view).SerializeToString())
            read = view_of(message.request, rules)
            assert read == view
            assert (read.totals, read.decision, read.seed) == (view.totals, 7, 2**64 - 1)
            assert (read.limit, read.bank) == (1.0, 59.5)
            deal.apply(seat, chosen(deal, seat, rng))


def chosen(deal: Deal, seat: int, rng: object) -> Action:
    choose = getattr(rng, "choice")  # noqa: B009  hypothesis types its generator loosely
    if deal.phase is Phase.EXPOSE:
        down = deal.rules.exposing and deal.rules.exposing.face_down
        faces = [Face.UP, Face.DOWN] if down else [Face.UP]
        return {card: choose(faces) for card in deal.legal(seat) if choose([True, False])}
    if deal.phase is Phase.PLAY:
        card = choose(deal.legal(seat))
        assert isinstance(card, Card)
        return card
    return deal.default_action(seat)


@pytest.mark.parametrize(
    ("phase", "action"),
    [
        (Phase.PLAY, CARDS[0]),
        (Phase.PLAY, QS),
        (Phase.PASS, (QS, AH, CARDS[0])),
        (Phase.PASS, ()),
        (Phase.EXPOSE, {}),
        (Phase.EXPOSE, {QS: Face.UP, AH: Face.DOWN}),
        (Phase.MOON, MoonChoice.SUBTRACT),
        (Phase.MOON, MoonChoice.ADD),
    ],
)
def test_every_action_comes_through_unchanged(phase: Phase, action: Action) -> None:
    data = answer_message(asked(phase), action).SerializeToString()
    answer = referee_pb2.BotMessage.FromString(data).answer
    assert answer.decision == 9
    assert action_of(answer, phase) == action


def asked(phase: Phase) -> View:
    rules = PRESETS["hearts"]
    return View(rules, 0, 0, phase, 0, 0, 0, 0, (), (0, 0, 0, 0), b"", b"", None, decision=9)


def test_no_answer_at_all_is_malformed_for_the_referee() -> None:
    with pytest.raises(MalformedMessage, match=NO_ACTION):
        action_of(answer_message(asked(Phase.PLAY), None).answer, Phase.PLAY)


def _with_pass(cards: bytes) -> referee_pb2.Answer:
    answer = referee_pb2.Answer()
    getattr(answer, "pass").cards = cards
    return answer


def _exposing(*cards: dict[str, int]) -> referee_pb2.Answer:
    return referee_pb2.Answer(expose=referee_pb2.ExposeAction(cards=cards))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("phase", "answer"),
    [
        (Phase.PLAY, referee_pb2.Answer(decision=1)),
        (Phase.PLAY, referee_pb2.Answer(card=52)),
        (Phase.PASS, _with_pass(b"\x34")),
        (Phase.EXPOSE, _exposing({"card": 99})),
        (Phase.EXPOSE, _exposing({"card": 9, "face": 7})),
        (Phase.EXPOSE, _exposing({"card": 9}, {"card": 9, "face": 2})),
        (Phase.MOON, referee_pb2.Answer(moon=9)),  # type: ignore[arg-type]
    ],
)
def test_an_answer_that_makes_no_sense_is_malformed(phase: Phase, answer: referee_pb2.Answer) -> None:
    with pytest.raises(MalformedMessage):
        action_of(answer, phase)


def test_an_answer_of_another_kind_than_was_asked_for_is_malformed() -> None:
    answers = {
        Phase.PLAY: referee_pb2.Answer(card=3),
        Phase.PASS: _with_pass(b"\x03"),
        Phase.EXPOSE: _exposing({"card": 3}),
        Phase.MOON: referee_pb2.Answer(moon=1),  # type: ignore[arg-type]
    }
    for phase, answer in answers.items():
        for asked_for in answers:
            if phase is not asked_for:
                with pytest.raises(MalformedMessage, match=r"holds '.*', and '.*' was asked"):
                    action_of(answer, asked_for)


def test_a_face_that_is_not_said_is_up() -> None:
    assert action_of(_exposing({"card": int(QS)}), Phase.EXPOSE) == {QS: Face.UP}


@pytest.mark.parametrize(
    "notice",
    [
        DealResult(3, 1, (26, 0, -10, 0), (30, -40, 5, 0)),
        FaultNotice("illegal", "QS is not in the hand", 3, takeover=True),
        MatchResult(2, -17.5),
    ],
)
def test_every_notice_comes_through_unchanged(notice: Notice) -> None:
    data = notice_message(notice).SerializeToString()
    assert notice_of(referee_pb2.RefereeMessage.FromString(data)) == notice


def test_a_message_of_an_unknown_kind_is_passed_over() -> None:
    """As proto3 expects: field 99 of a newer referee."""
    assert notice_of(referee_pb2.RefereeMessage.FromString(b"\x9a\x06\x01x")) is None


def test_a_welcome_comes_through_unchanged() -> None:
    welcome = Welcome(PRESETS["gongzhu-five"], 4, "deals:8", ClockSetting(60.0, 0.1, 1.0, 10.0, deals_per_bank=16))
    data = welcome_message(welcome).SerializeToString()
    assert welcome_of(referee_pb2.RefereeMessage.FromString(data).welcome) == welcome


@pytest.mark.parametrize(("length", "shown"), [(0.0, 0.0), (0.000001, 0.000001), (61.25, 61.25), (-1.0, 0.0)])
def test_a_duration_is_exact_to_the_microsecond_and_never_negative(length: float, shown: float) -> None:
    assert seconds(duration(length)) == pytest.approx(shown, abs=1e-9)


ROOT = Path(__file__).resolve().parents[3]
STATE = "from pigpen.wire.transport import WHY_NOT; print(WHY_NOT)"
SAME = "import os; before = dict(os.environ); import {}, grpc.aio; print(dict(os.environ) == before)"
SWITCHES = [switch.removeprefix("-").encode() for switch in ONE_THREAD.split(",")]


def printed(code: str, *folders: Path, **environment: str) -> str:
    """Run *code* with *folders* first on Python's path, and give its output; stderr must stay empty."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")}
    clean["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    done = subprocess.run([sys.executable, "-c", code], env=clean | environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def how_it_runs(**environment: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(Path(wake_ups.__file__).read_text(encoding="utf-8"), **environment))
    return found


def test_grpc_runs_on_one_thread() -> None:
    """Threads of its pool do not take part in a call; as gRPC comes they wake several times for each."""
    tuned = how_it_runs()
    assert (tuned["why_not"], tuned["can_block"]) == (None, True)
    assert tuned["wake_ups"] < wake_ups.CALLS < how_it_runs(GRPC_EXPERIMENTS=AS_IT_COMES)["wake_ups"]


@pytest.mark.parametrize("module", ["pigpen.client", "referee.seats.seat_server", "pigpen_arena"])
def test_the_environment_stays_as_it_was(module: str) -> None:
    assert printed(SAME.format(module)) == "True"
    assert printed(SAME.format(module), GRPC_VERBOSITY="NONE", GRPC_EXPERIMENTS=ONE_THREAD) == "True"


@pytest.mark.parametrize("module", ["pigpen.client", "ladder.worker.process", "benchmarks.decision", "benchmarks.wire"])
def test_the_settings_are_made_before_grpc_reads_them(module: str) -> None:
    assert printed(f"import {module}; {STATE}") == "None"


def imports(file: Path) -> list[str]:
    """The modules that a file imports, in their order; those of a function or for types alone too."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.module or ""))
    return [name for _, name in sorted(found)]


def test_every_module_that_imports_grpc_imports_its_settings_before() -> None:
    users = []
    for folder in ("sdk/pigpen", "referee", "ladder", "pigpen_arena", "sample_bots"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            names = imports(file)
            used = [i for i, name in enumerate(names) if name.split(".")[0] == "grpc" or name.endswith("_pb2_grpc")]
            if used and file.parent.name != "v1" and file.name != "transport.py":
                users.append(file.name)
                assert {"pigpen.wire.transport", "pigpen.client"} & {*names[: used[0]]}, file
    assert users


def test_what_the_user_has_set_stands() -> None:
    assert "event_engine_client" in printed(STATE, GRPC_EXPERIMENTS="event_engine_client")
    assert printed(STATE, GRPC_EXPERIMENTS=f"{ONE_THREAD},event_engine_fork") == "None"


def test_grpc_that_was_imported_before_runs_as_it_comes() -> None:
    assert printed(f"import grpc; {STATE}") != "None"


def other_version(folder: Path, version: str, lacks: bytes | None = None) -> Path:
    """The grpcio that is installed, under another version, and without the switch *lacks*."""
    installed, package = Path(grpc.__file__).parent, folder / version / "grpc"
    (package / "_cython").mkdir(parents=True)
    for file in (*installed.iterdir(), *(installed / "_cython").iterdir()):
        link = package / file.relative_to(installed)
        if not link.exists():
            link.symlink_to(file)
    about, library = package / "_grpcio_metadata.py", package / "_cython" / Path(cygrpc.__file__).name
    about.unlink()
    about.write_text(f'__version__ = """{version}"""\n')
    if lacks is not None:
        library.unlink()
        shutil.copy(cygrpc.__file__, library)
        content = library.read_bytes()
        assert content.count(b"\0" + lacks + b"\0") == 1
        library.write_bytes(content.replace(b"\0" + lacks + b"\0", b"\0" + b"x" * len(lacks) + b"\0"))
    return package.parent


def test_a_later_version_that_has_the_switches_uses_them(tmp_path: Path) -> None:
    assert printed(STATE, other_version(tmp_path, "1.99.0")) == "None"


@pytest.mark.parametrize("switch", SWITCHES, ids=bytes.decode)
def test_a_later_version_without_a_switch_runs_as_it_comes_and_prints_nothing(tmp_path: Path, switch: bytes) -> None:
    folder = other_version(tmp_path, "1.99.0", switch)
    assert "1.99.0" in printed(STATE, folder)
    assert printed(SAME.format("pigpen.client"), folder) == "True"
    complains = [sys.executable, "-c", "import grpc"]
    done = subprocess.run(
        complains, env={"PYTHONPATH": str(folder), "GRPC_EXPERIMENTS": ONE_THREAD}, capture_output=True, check=True
    )
    assert LACKING in done.stderr  # so there was something to keep from the user


def test_what_else_is_printed_while_a_later_version_is_asked_is_kept(tmp_path: Path) -> None:
    folder = other_version(tmp_path, "1.99.0", SWITCHES[0])
    about = folder / "grpc" / "_grpcio_metadata.py"
    about.write_text(about.read_text() + 'import os; os.write(2, b"a warning\\n")\n')
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", STATE], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == "a warning\n"


def test_an_older_version_runs_as_it_comes(tmp_path: Path) -> None:
    assert "1.79.1" in printed(STATE, other_version(tmp_path, "1.79.1"))
