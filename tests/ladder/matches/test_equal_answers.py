"""Decisions that several bots have met with equal knowledge, found in records of matches that were really played."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import pytest

from ladder.matches.equal_answers import EqualAnswers, equal_decisions
from pigpen.rules import PRESETS
from referee.records.lines import DealLine
from referee.records.recorded import BadRecord, Recorded, seats_of
from referee.records.steps import BY_BOT, kind_and_words
from referee.replay.deal_replay import DealReplay
from tests.ladder import ladders

VARIANTS = ["gongzhu", "hearts", "chinese", "gongzhu-partners"]


def recorded(variant: str, form: str = "boards:3", sinner: int | None = None) -> Recorded:
    return Recorded.of(ladders.played(variant, "7", sinner, form))


def by_views(match: Recorded) -> dict[object, list[tuple[int, str]]]:
    """Find equal decisions without any short cut: each deal is replayed to its end, each view compared with all."""
    found: defaultdict[object, list[tuple[int, str]]] = defaultdict(list)
    for line in match.deals:
        for before, after in pairwise(DealReplay(match.rules, match.first, line).moments):
            for step, _, _ in after.done:
                if step.by == BY_BOT and not before.deal.is_forced(step.seat):
                    known = (line.board, *before.deal.view(step.seat).known())
                    found[known].append((seats_of(line)[step.seat], kind_and_words(step)[1]))
    return {known: answers for known, answers in found.items() if len(answers) > 1}


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name in PRESETS])
def test_they_are_all_found_though_a_rotation_is_not_followed_to_its_end(variant: str) -> None:
    match = recorded(variant)
    boards: defaultdict[int | None, list[DealLine]] = defaultdict(list)
    for line in match.deals:
        boards[line.board].append(line)
    found = [
        sorted((each.bot, each.words) for each in answers)
        for rotations in boards.values()
        for answers in equal_decisions(match.rules, rotations)
    ]
    assert found
    assert sorted(found) == sorted(map(sorted, by_views(match).values()))


def test_two_seats_of_one_program_agree_always_and_others_do_not() -> None:
    match = recorded("hearts", "boards:4")
    found = EqualAnswers()
    found.take_all(match, match.deals, ["one", "random", "counting", "copy"])
    shares = {
        pair: (sum(each for each, _ in counts.values()), sum(equal for _, equal in counts.values()))
        for pair, counts in found.counts.items()
    }
    decisions, equal = shares["copy", "one"]
    assert decisions == equal > 12
    assert all(equal < decisions / 2 for pair, (decisions, equal) in shares.items() if pair != ("copy", "one"))


def test_a_match_without_boards_has_none_and_faults_are_no_answers() -> None:
    match = recorded("hearts", "deals:2")
    found = EqualAnswers()
    found.take_all(match, match.deals, ["a", "b", "c", "d"])
    assert found.counts == {}
    match = recorded("hearts", "boards:1", sinner=2)
    found.take_all(match, match.deals, ["a", "b", "c", "d"])
    assert found.counts
    assert not any("c" in pair for pair in found.counts), "the bot that is at fault each time"


def test_pairs_of_one_owner_or_one_program_are_not_compared() -> None:
    found = EqualAnswers()
    names = [f"bot{number}" for number in range(8)]
    for one in names:
        for other in names:
            if one < other:
                found.counts[one, other] = {"play 3": (50, 25)}
    found.counts["bot0", "bot1"] = found.counts["bot2", "bot3"] = {"play 3": (50, 50)}
    programs = {name: (name, f"program of {name}") for name in names}
    first = found.found(programs, 9)
    assert {(each.one, each.other) for each in first.alike} == {("bot0", "bot1"), ("bot2", "bot3")}
    assert (first.matches, first.pairs) == (9, 28)
    programs |= {"bot1": ("bot0", "another program"), "bot3": ("another owner", "program of bot2")}
    second = found.found(programs, 9)
    assert (second.pairs, second.alike) == (26, ())


def test_a_record_that_breaks_the_rules_is_refused() -> None:
    match = recorded("hearts", "boards:1")
    lines = list(match.deals)
    lines[1] = lines[1].model_copy(update={"steps": lines[1].steps[:3]})
    with pytest.raises(BadRecord):
        list(equal_decisions(match.rules, lines))
