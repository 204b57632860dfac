from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ladder.app import doctor
from ladder.app.doctor import with_runtime
from ladder.errors import SandboxError
from ladder.settings.settings import load_settings

WITH: dict[str, Any] = {"runc": {}, "runsc": {}}
WITHOUT: dict[str, Any] = {"runc": {}}


@pytest.mark.parametrize(
    ("given", "engine", "runtime", "apart"),
    [
        ({}, WITH, "runsc", False),
        ({}, WITHOUT, "runc", True),
        ({"runtime": "runc"}, WITH, "runc", True),
        ({"runtime": "kata-fc"}, WITHOUT, "kata-fc", False),
        ({"sandbox": "process"}, WITH, "auto", False),
    ],
)
def test_a_run_plays_in_gvisor_where_the_settings_allow_it_and_the_engine_knows_it(
    given: dict[str, Any], engine: dict[str, Any], runtime: str, apart: bool,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(doctor, "engine_facts", lambda: {"Runtimes": engine})
    settings = with_runtime(load_settings(data_dir=tmp_path, **given))
    assert (settings.runtime, settings.owners_apart) == (runtime, apart)


def test_as_long_as_no_engine_answers_nothing_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> dict[str, Any]:
        raise SandboxError("No Docker engine answers.")

    monkeypatch.setattr(doctor, "engine_facts", none)
    settings = with_runtime(load_settings(data_dir=tmp_path))
    assert (settings.runtime, settings.owners_apart) == ("auto", True)
