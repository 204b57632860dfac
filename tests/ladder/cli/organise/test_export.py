"""`pigpen ladder export`: the data set, by the command."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from ladder.app.wheels import install_line
from ladder.settings.settings import load_settings
from tests.ladder.recorded_ladders import new_ladder, recorded_match
from tests.referee.recorded import SEED, match_lines
from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_says_what_it_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = new_ladder(load_settings(data_dir=tmp_path / "data"))
    match = recorded_match(ladder, match_lines("hearts", "deals:1"), SEED.hex())
    record = ladder.files.record(match, 1)
    ladder.database.close()
    where = {"folder": tmp_path, "PIGPEN_DATA_DIR": str(tmp_path / "data")}
    done = typed("ladder", "export", "set", **where)  # type: ignore[arg-type]
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("set: 1 matches, 4 seats, 4 versions, 4 ratings, 4 deals, 56 decisions (")
    again = typed("ladder", "export", "set", "--licence", "CC0-1.0", "--json", **where)  # type: ignore[arg-type]
    assert json.loads(again.out)["licence"] == "CC0-1.0"
    assert typed("ladder", "export", **where).out.startswith(f"{tmp_path / 'data' / 'dataset'}: 1 matches, ")  # type: ignore[arg-type]
    record.write_bytes(b"damaged")
    warned = typed("ladder", "export", "other", **where)  # type: ignore[arg-type]
    assert warned.code == 0
    assert warned.err.startswith("The deals of match 1 are left out. The record '1-1.jsonl.gz' cannot be replayed: ")
    assert " 0 decisions " in warned.out
    assert typed("ladder", "export", "data", **where).is_one_sentence  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name in [name for name in sys.modules if name.startswith("ladder.app.dataset")]:
        monkeypatch.delitem(sys.modules, name)
    refused = typed("ladder", "export", "set", **where)  # type: ignore[arg-type]
    assert refused.is_one_sentence
    assert install_line("data") in refused.err
