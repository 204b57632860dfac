"""Puzzles of a record (a clear answer, from what the seat knew, the same each time), and the kinds of sandboxes."""

from __future__ import annotations

import pytest

from ladder.matches.kinds import open_sandbox
from ladder.matches.puzzles import gap_of, puzzles_in, right_of
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from ladder.values.why import FoundPuzzle, Why
from pigpen.rules import PRESETS
from referee.records.recorded import Recorded
from referee.replay.deal_replay import decision_at
from tests.ladder.ladders import played
from tests.ladder.puzzles import made_up


@pytest.fixture(scope="module", params=["hearts", "gongzhu"])
def found(request: pytest.FixtureRequest) -> tuple[Recorded, tuple[FoundPuzzle, ...]]:
    recorded = Recorded.of(played(request.param, form="boards:4"))
    return recorded, puzzles_in(recorded, recorded.deals, "1", 2).puzzles


def test_the_answer_is_clear_and_a_bot_was_wrong(found: tuple[Recorded, tuple[FoundPuzzle, ...]]) -> None:
    recorded, puzzles = found
    assert puzzles
    for each in puzzles:
        wrong = [choice for choice in each.why.choices if choice.choice not in each.right]
        assert min(choice.behind - choice.behind_error for choice in wrong) >= gap_of(recorded.rules)
        assert any(choice.bots for choice in wrong)
        assert 3 <= len(each.position.legal) == len(each.why.choices)


def test_the_position_is_what_the_seat_knew(found: tuple[Recorded, tuple[FoundPuzzle, ...]]) -> None:
    recorded, puzzles = found
    for each in puzzles:
        assert isinstance(each.why, Why)
        (line,) = recorded.deals.where(None, each.why.board, each.why.rotation)
        view = decision_at(recorded, line, each.why.step).view()
        position = each.position
        assert position.hand == tuple(map(str, view.hand))
        assert sum(seat.cards for seat in position.seats) == view.rules.players * view.rules.hand_size - len(view.plays)
        cards = [card for trick in position.tricks for card in trick] + [seat.played for seat in position.seats]
        assert sorted(filter(None, cards)) == sorted(
            str(play.card) for trick in (*view.tricks, view.trick) for play in trick
        )
        unseen = {str(card) for card in view.unseen} - {card.rstrip("*") for s in position.seats for card in s.exposed}
        words = position.model_dump_json(exclude={"passed"})
        assert not [card for card in unseen if f'"{card}"' in words]
        for leader, winner, following in zip(position.leaders, position.winners, position.leaders[1:], strict=False):
            assert 0 <= leader < len(position.seats)
            assert winner == following


def test_the_same_record_gives_the_same_puzzles() -> None:
    recorded = Recorded.of(played("hearts", form="boards:4"))
    steps: list[tuple[int, int]] = []
    once = puzzles_in(recorded, recorded.deals, "1", 1, lambda done, all_of_them: steps.append((done, all_of_them)))
    assert once == puzzles_in(recorded, recorded.deals, "1", 1)
    assert len(once.puzzles) == 1
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert len(steps) <= steps[-1][1]


def test_what_is_near_the_gap_is_no_puzzle() -> None:
    gap, choices = gap_of(PRESETS["hearts"]), made_up().why.choices
    assert right_of(choices, gap) == 1
    near = [choices[0], choices[1].model_copy(update={"behind": gap + 0.1}), choices[2]]
    assert right_of(near, gap) == 0
    too_many = [each.model_copy(update={"behind": 0.0}) for each in choices[:2]]
    assert right_of([*too_many, choices[2]], gap) == 0


async def test_each_kind_opens_its_sandbox() -> None:
    process = open_sandbox(SandboxSetup(SandboxKind.PROCESS))
    docker = open_sandbox(SandboxSetup(SandboxKind.DOCKER))
    try:
        assert (type(process), process.isolates) == (ProcessSandbox, False)
        assert (type(docker), docker.isolates) == (DockerSandbox, True)
        assert [process.name, docker.name] == [SandboxKind.PROCESS, SandboxKind.DOCKER]
    finally:
        await process.close()
        await docker.close()


def test_bots_inline_have_no_sandbox() -> None:
    with pytest.raises(ValueError, match="inline need no sandbox"):
        open_sandbox(SandboxSetup(SandboxKind.INLINE))
