"""A new folder with a bot: only where there is nothing yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.app.local.folder import new_folder
from ladder.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    assert "bot.py" in new_folder(tmp_path, "random").files
    assert (tmp_path / "bot.py").is_file()


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
