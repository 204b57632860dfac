"""A season that ends while matches are played, and a runner that is killed: each result counts once, in its season."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.e2e.judging import assert_each_result_has_its_record, assert_ratings_follow_from_the_records
from tests.e2e.runners import playing, recorded, runner
from tests.e2e.small_ladder import SLOW, small_ladder
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.small_ladder import SmallLadder


def counted(ladder: SmallLadder, *words: str) -> tuple[int, set[int]]:
    """Matches of the standings, and those of each bot that has played some, summed over the seats of a table."""
    done = ladder.pigpen("standings", "--json", *words)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    return found["matches"], {sum(row["matches"] for row in found["standings"])}


def test_a_season_ends_while_matches_are_played_and_a_runner_is_killed(tmp_path: Path) -> None:
    with small_ladder(tmp_path, program=SLOW) as ladder, runner(ladder) as first:
        until(lambda: recorded(ladder) >= 3 and first.pid in playing(ladder), "three results")
        begun = ladder.pigpen("ladder", "season", "new", "--name", "two", "--yes")
        assert begun.returncode == 0, begun.stderr
        assert " season two of for-two " in begun.stdout
        frozen = counted(ladder, "--season", "1")
        after = frozen[0] + 2
        until(lambda: recorded(ladder) >= after and first.pid in playing(ladder), "two results of the second season")
        first.kill()
        first.wait()
        with runner(ladder) as second:
            until(lambda: recorded(ladder) >= after + 2, "two more results")
            second.terminate()
            second.wait()
        done = assert_each_result_has_its_record(ladder)
        assert counted(ladder, "--season", "1") == frozen == (frozen[0], {2 * frozen[0]})
        now = len(done) - frozen[0]
        assert counted(ladder) == (now, {2 * now})
        assert_ratings_follow_from_the_records(ladder)
        refused = ladder.pigpen("ladder", "run", "--matches", "1", PIGPEN_CLOCK="10+0.1")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert " clock 60+0.1, limit 1, " in refused.stderr
        assert " settings give clock 10+0.1, limit 1" in refused.stderr
