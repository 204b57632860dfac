from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from ladder.app.local.match_plan import MatchRequest, new_match
from ladder.app.local.play import play_apart
from ladder.errors import UserError
from referee.match.match import Unfinished


def test_a_match_is_not_resumed_beside_the_bots(tmp_path: Path) -> None:
    """The record so far is here, and the referee would be there."""
    plan = new_match(MatchRequest(bots=("random",) * 4, record=tmp_path / "match.jsonl"))
    begun = replace(plan, begun=Unfinished.__new__(Unfinished))
    with pytest.raises(UserError, match="--resume needs a Docker engine that sees"):
        asyncio.run(play_apart(begun, "gongzhu", (), print))
    assert list(tmp_path.iterdir()) == []
