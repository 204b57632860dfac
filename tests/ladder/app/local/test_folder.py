"""A new folder with a bot: only where there is nothing yet."""

from __future__ import annotations

from pathlib import Path

import pytest

import pigpen.v1
from ladder.app.local.folder import new_folder
from ladder.errors import UserError


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    assert "bot.py" in new_folder(tmp_path, "random").files
    assert (tmp_path / "bot.py").is_file()


def test_a_bot_in_another_language_gets_the_wire_contract_of_the_installed_sdk(tmp_path: Path) -> None:
    assert "protos" in new_folder(tmp_path, "node").files
    contract = Path(pigpen.v1.__path__[0])
    written = {path.name: path.read_bytes() for path in (tmp_path / "protos" / "pigpen" / "v1").iterdir()}
    assert written == {path.name: path.read_bytes() for path in contract.glob("*.proto")}
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
