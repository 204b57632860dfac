"""Comparison of two bots by their records: by parts of deals, and favours."""

from __future__ import annotations

import asyncio
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

import pytest

from ladder.matches import compared_records
from ladder.matches.compare import BATCH, NEW, OLD, Comparison, ComparisonPlan, compare
from ladder.matches.compared_records import ComparedRecords, gifts, phase_differences, phase_ends
from ladder.matches.inline_match import play_inline
from ladder.ratings.sprt import Hypotheses, SprtDecision
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from pigpen.rules import PRESETS, Phase, seed_from
from referee.match.formats import by_bot, seats_of
from referee.records.lines import DealLine, MatchLine, ResultLine, to_json, without_times
from referee.records.recorded import Recorded
from referee.replay.deal_replay import DealReplay
from tests.ladder.ladders import played
from tests.referee.recorded import SEED, match_lines
from tests.referee.scripted_seats import ScriptedSeat, honest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pigpen import View
    from pigpen.rules import Action
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine
    from referee.seats.seat import Seat

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


BOARDS = 40


@pytest.mark.parametrize("variant", PRESETS)
def test_the_parts_of_a_deal_add_up_to_the_difference_of_the_scores(variant: str) -> None:
    recorded = Recorded.of(played(variant))
    sign = -1 if recorded.rules.low_is_better else 1
    for line in recorded.deals:
        replay = DealReplay(recorded.rules, recorded.first, line)
        parts = phase_differences(replay, 0, 1)
        assert len(parts) == len(phase_ends(recorded.rules.hand_size)) == 3
        assert sum(parts) == sign * (line.scores[0] - line.scores[1])


@pytest.mark.parametrize("variant", ["hearts", "gongzhu"])
def test_what_a_seat_gets_is_what_others_give_it_and_what_it_plays_itself(variant: str) -> None:
    recorded = Recorded.of(played(variant))
    rules = recorded.rules
    for line in recorded.deals:
        deal = DealReplay(rules, recorded.first, line).moments[-1].deal
        if deal.exposures:
            continue
        given = gifts(rules, deal)
        own = {(play.seat, play.card) for trick in deal.view(0).tricks for play in trick}
        for seat in range(rules.players):
            foreign = [card for giver, card in own if giver != seat and deal.taken[seat] & card.mask]
            assert sum(row[seat] for row in given) == pytest.approx(-sum(rules.plan.harm[card] for card in foreign))


def test_deals_in_which_a_bot_was_taken_over_are_left_out() -> None:
    whole, broken = ComparedRecords(), ComparedRecords()
    for found, sinner in ((whole, None), (broken, 2)):
        recorded = Recorded.of(played("gongzhu", sinner=sinner))
        found.take_all(recorded, recorded.deals, "7", 0, 1)
    assert (whole.found().deals, whole.found().sources) == (4, ("7",))
    assert (broken.found().deals, broken.found().sources, broken.found().phases) == (0, ("7",), ())


def test_turned_around_all_differences_have_the_other_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compared_records, "MIN_BOARDS", 2)
    one, two = ComparedRecords(), ComparedRecords()
    for seed in "123":
        recorded = Recorded.of(played("gongzhu", seed))
        one.take_all(recorded, recorded.deals, seed, 0, 1)
        two.take_all(recorded, recorded.deals, seed, 1, 0)
    first, second = one.found(), two.found()
    assert [each.difference.mean for each in first.phases] == [-each.difference.mean for each in second.phases]
    assert any(each.difference.mean for each in first.phases)
    assert [each.points for each in first.favours] == [each.points for each in reversed(second.favours)]
    assert [each.difference.boards for each in first.phases] == [3, 3, 3]


def test_a_bot_that_is_hostile_to_another_one_is_found_and_bots_that_play_alike_are_not() -> None:
    hostile = found_with(is_hostile=True)
    assert hostile["bot"][0] < 0
    assert hostile["bot"][1] < 0.01
    assert hostile["other"][1] > 0.05
    assert found_with(is_hostile=False) == {"bot": (0.0, 1.0), "other": (0.0, 1.0)}


def test_partners_and_few_boards_give_no_favour() -> None:
    for variant in ("gongzhu-partners", "gongzhu"):
        found, recorded = ComparedRecords(), Recorded.of(played(variant))
        found.take_all(recorded, recorded.deals, "7", 0, 1)
        assert found.found().favours == ()


def found_with(is_hostile: bool) -> dict[str, tuple[float, float]]:
    """By giver the mean and p for the bots 0 and 2, where bot 0 is hostile to bot 2 or not, and the others are not."""
    found, recorded = ComparedRecords(), _match(is_hostile)
    found.take_all(recorded, recorded.deals, "7", 0, 2)
    return {each.by: (each.points.mean, each.p) for each in found.found().favours}


@cache
def _match(is_hostile: bool) -> Recorded:
    tables = count()

    def seats(players: int) -> list[Seat]:
        table = next(tables)

        def first(view: View) -> Action:
            target = seats_of(view.rules, SEED, view.deal, table).index(2) if is_hostile else None
            return discarding(view, target)

        return [ScriptedSeat(first), *(ScriptedSeat(discarding) for _ in range(players - 1))]

    return Recorded.of(match_lines("hearts", f"boards:{BOARDS}", seats))


def discarding(view: View, target: int | None = None) -> Action:
    """Give the worst card where it cannot win, but only to the target if there is one; else play the lowest."""
    if view.phase is not Phase.PLAY:
        return honest(view)
    harm, led = view.rules.plan.harm, view.trick[0].card.suit if view.trick else None
    legal = sorted(view.legal, key=lambda card: (harm[card], card.rank, card.suit))
    is_discard = led is not None and legal[0].suit != led
    wins = None if view.winning is None else view.winning.seat
    gives = is_discard and (wins is not None if target is None else wins == target)
    return legal[-1 if gives else 0]
