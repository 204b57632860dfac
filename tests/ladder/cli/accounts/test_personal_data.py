"""`pigpen account export`, `rename` and `delete`, as they are typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.typed import typed

if TYPE_CHECKING:
    from pathlib import Path


def test_an_account_is_exported_renamed_and_deleted(tmp_path: Path) -> None:
    assert typed("account", "add", "ada", folder=tmp_path).code == 0
    found = json.loads(typed("account", "export", "ada", folder=tmp_path).out)
    assert [row["name"] for row in found["tables"]["owners"]] == ["ada"]
    done = typed("account", "export", "ada", "--output", "ada.json", folder=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert json.loads((tmp_path / "ada.json").read_text())["account"] == "ada"
    assert "countess" in typed("account", "rename", "ada", "countess", folder=tmp_path).out
    nobody = typed("account", "delete", "contess", folder=tmp_path)
    assert nobody.is_one_sentence, "a mistake in the name is found before the question"
    assert "pigpen account list" in nobody.err
    refused = typed("account", "delete", "countess", folder=tmp_path)
    assert (refused.code, refused.out) == (2, "")
    assert "pigpen account delete countess --yes" in refused.err
    gone = typed("account", "delete", "countess", "--yes", folder=tmp_path)
    assert "deleted-1" in gone.out
    missing = typed("account", "export", "countess", folder=tmp_path)
    assert (missing.code, missing.err.count("\n")) == (2, 1)
    assert "'countess'" in missing.err
    assert "account.delete" in typed("account", "audit", folder=tmp_path).out
