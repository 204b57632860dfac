"""A new folder with a bot: only where there is nothing yet."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ladder.app.local.folder import new_folder, wire_contract
from ladder.errors import UserError


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    assert "bot.py" in new_folder(tmp_path, "random").files
    assert (tmp_path / "bot.py").is_file()


def test_who_may_read_it_is_up_to_the_users_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not to how Pigpen was installed: `docker build` copies modes, and a bot must be able to read its program."""
    (sample := tmp_path / "samples" / "random").mkdir(parents=True, mode=0o700)
    (sample / "bot.py").touch(0o600)
    monkeypatch.setattr("ladder.app.local.folder.SAMPLES", tmp_path / "samples")
    before = os.umask(0o022)
    try:
        new_folder(tmp_path / "mybot", "random")
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "mybot", tmp_path / "mybot" / "bot.py")]
    assert modes == [0o755, 0o644]


def test_a_bot_in_another_language_gets_the_wire_contract_of_the_installed_sdk(tmp_path: Path) -> None:
    assert "protos" in new_folder(tmp_path, "node").files
    written = {path.name: path.read_bytes() for path in (tmp_path / "protos" / "pigpen" / "v1").iterdir()}
    assert written == {path.name: path.read_bytes() for path in wire_contract()}
    assert set(written) == {"referee.proto", "rules.proto", "view.proto"}


def test_a_bot_in_python_gets_no_wire_contract(tmp_path: Path) -> None:
    assert "protos" not in new_folder(tmp_path, "random").files


@pytest.mark.parametrize("there", ["a file in it", "a file", "a broken link"])
def test_what_is_there_stays_as_it_is(tmp_path: Path, there: str) -> None:
    folder = tmp_path / "mybot"
    if there == "a file":
        folder.write_text("precious")
    elif there == "a broken link":
        folder.symlink_to("nowhere")
    else:
        folder.mkdir()
        (folder / "main.py").write_text("precious")
    before = {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")}
    with pytest.raises(UserError, match="is there already, and not empty"):
        new_folder(folder, "random")
    assert before == {path: path.is_file() and path.read_text() for path in tmp_path.rglob("*")}
