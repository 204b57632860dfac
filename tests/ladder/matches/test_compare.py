from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ladder.matches.compare import BATCH, NEW, OLD, Comparison, ComparisonPlan, compare
from ladder.matches.inline import play_inline
from ladder.ratings.sprt import Hypotheses, SprtDecision
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from pigpen.rules import PRESETS, seed_from
from referee.match.formats import by_bot
from referee.records.lines import DealLine, MatchLine, ResultLine, to_json, without_times

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine

CAUTIOUS, COUNTING, RANDOM = map(find_bot, ("cautious", "counting", "random"))
DECIDE = Hypotheses(elo1=100.0)


Match = tuple["MatchSpec", "list[AnyLine]"]


def plan_of(sources: Sequence[BotSource], rules: str = "hearts-short", boards: int = 400) -> ComparisonPlan:
    return ComparisonPlan(
        PRESETS[rules], tuple(source.name for source in sources), DECIDE, boards, seed_from("compare")
    )


def compared(
    sources: Sequence[BotSource], rules: str = "hearts-short", boards: int = 400
) -> tuple[Comparison, list[Match]]:
    """Give the result of the first two against the others, and all matches that were played."""
    matches: list[Match] = []

    async def play(spec: MatchSpec, bots: Sequence[int], write: Callable[[AnyLine], None]) -> object:
        lines: list[AnyLine] = []
        matches.append((spec, lines))

        def take(line: AnyLine) -> None:
            lines.append(line)
            write(line)

        return await play_inline(spec, [sources[bot] for bot in bots], take)

    looks: list[int] = []
    plan = plan_of(sources, rules, boards)
    found = asyncio.run(compare(plan, play, lambda found: looks.append(found.boards)))
    assert looks == [*range(BATCH, found.boards, BATCH), found.boards]
    return found, matches


def deals(lines: Sequence[AnyLine]) -> dict[tuple[int, int | None], DealLine]:
    return {(line.deal, line.rotation): line for line in lines if isinstance(line, DealLine)}


@pytest.mark.parametrize("rules", ["hearts-short", pytest.param("gongzhu", marks=pytest.mark.long)])
def test_a_better_bot_is_found_better_and_a_worse_one_is_not(rules: str) -> None:
    better, _ = compared([RANDOM, CAUTIOUS, RANDOM, RANDOM, RANDOM], rules=rules)
    worse, _ = compared([CAUTIOUS, RANDOM, RANDOM, RANDOM, RANDOM], rules=rules)
    assert (better.decision, worse.decision) == (SprtDecision.BETTER, SprtDecision.NOT_BETTER)
    assert better.estimate.mean > 0 > worse.estimate.mean


def test_both_play_the_same_cards_in_the_same_seats_with_the_same_opponents() -> None:
    _, ((old, old_lines), (new, new_lines)) = compared([CAUTIOUS, RANDOM, CAUTIOUS, RANDOM, CAUTIOUS], boards=BATCH)
    assert old.seed == new.seed
    ours, theirs = deals(new_lines), deals(old_lines)
    assert len(ours) == BATCH * 4
    assert {key: (line.hands, line.seats) for key, line in ours.items()} == {
        key: (line.hands, line.seats) for key, line in theirs.items()
    }
    assert [old.bots[1:], old.bots[0]] == [new.bots[1:], "0:cautious"]


def test_each_batch_has_cards_of_its_own() -> None:
    _, matches = compared([CAUTIOUS, CAUTIOUS, RANDOM, RANDOM, RANDOM], boards=2 * BATCH)
    assert [spec.seed for spec, _ in matches[::2]] == [spec.seed for spec, _ in matches[1::2]]
    assert len({spec.seed for spec, _ in matches}) == 2


def test_the_same_bot_twice_never_differs_whatever_chance_its_opponents_take() -> None:
    found, matches = compared([CAUTIOUS, CAUTIOUS, RANDOM, RANDOM, RANDOM], boards=2 * BATCH)
    assert found.test.values == [0.0] * 2 * BATCH
    assert found.differing == 0
    for (_, old), (_, new) in zip(matches[::2], matches[1::2], strict=True):
        assert without_times(map(to_json, old)) == without_times(map(to_json, new))


def test_an_observation_is_the_mean_over_a_boards_seats_turned_so_that_more_is_better() -> None:
    found, ((_, old), (_, new)) = compared([CAUTIOUS, COUNTING, RANDOM, RANDOM, RANDOM], boards=BATCH)
    assert PRESETS["hearts-short"].low_is_better

    def points(lines: Sequence[AnyLine], board: int) -> int:
        own = [line for (deal, _), line in deals(lines).items() if deal == board]
        return sum(by_bot(line.scores, line.seats or ())[0] for line in own)

    assert found.test.values == [(points(old, board) - points(new, board)) / 4 for board in range(BATCH)]
    assert found.differing == sum(value != 0 for value in found.test.values)
    assert found.deals == 2 * 4 * BATCH


def test_partners_play_both_chairs_of_their_team() -> None:
    plan = plan_of([CAUTIOUS, COUNTING, RANDOM, RANDOM], "gongzhu-partners")
    assert [plan.seating(OLD), plan.seating(NEW)] == [(0, 2, 0, 3), (1, 2, 1, 3)]
    found, _ = compared([RANDOM, CAUTIOUS, CAUTIOUS, CAUTIOUS], rules="gongzhu-partners")
    assert found.decision is SprtDecision.BETTER


def test_faults_are_counted_for_those_who_commit_them(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "import pigpen\nclass Bad(pigpen.Bot):\n    def play(self, view):\n        return view.unseen[0]\n"
    )
    found, matches = compared([CAUTIOUS, BotSource("bad", folder=tmp_path), RANDOM, RANDOM, RANDOM], boards=2)
    result = matches[1][1][-1]
    assert isinstance(result, ResultLine)
    assert isinstance(matches[1][1][0], MatchLine)
    assert found.faults == [0, result.results[0].faults, 0]
    assert found.faults[NEW] == 3 * 4
