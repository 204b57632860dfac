"""`pigpen config`, as an organiser types it."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

from ladder.settings.settings import Settings
from referee.records.lines import descriptions
from tests.e2e.command import pigpen

if TYPE_CHECKING:
    from pathlib import Path


def test_it_prints_every_setting_with_its_meaning_and_its_place(tmp_path: Path) -> None:
    (tmp_path / "pigpen.toml").write_text("boards = 3\n")
    done = pigpen("config", folder=tmp_path, PIGPEN_DATA_DIR=str(tmp_path / "data"))
    assert (done.returncode, done.stderr) == (0, "")
    meaning = descriptions(Settings)["boards"]
    assert f"# {meaning}\nboards = 3  # by pigpen.toml\n" in done.stdout
    assert f'data_dir = "{tmp_path}/data"  # by PIGPEN_DATA_DIR\n' in done.stdout
    assert "# concurrency = 0\n" in done.stdout
    for name, meaning in descriptions(Settings).items():
        assert f"\n# {meaning}\n" in done.stdout
        assert f"{name} = " in done.stdout


def test_what_it_prints_is_a_file_that_says_the_same(tmp_path: Path) -> None:
    done = pigpen("config", folder=tmp_path, PIGPEN_BOARDS="7", PIGPEN_CLOCK="5+0")
    assert tomllib.loads(done.stdout) == {"boards": 7, "clock": "5+0"}
    (tmp_path / "pigpen.toml").write_text(done.stdout)
    rows = json.loads(pigpen("config", "--json", folder=tmp_path).stdout)
    assert {row["name"]: row["value"] for row in rows if row["source"] == "file"} == {"boards": 7, "clock": "5+0"}


def test_it_shows_no_password(tmp_path: Path) -> None:
    for words in (["config"], ["config", "--json"]):
        done = pigpen(*words, folder=tmp_path, PIGPEN_DATABASE_URL="postgresql://ada:opensesame@host/ladder")
        assert done.returncode == 0
        assert "postgresql+psycopg://ada:***@host/ladder" in done.stdout
        assert "opensesame" not in done.stdout


def test_a_secret_is_a_comment_that_says_to_put_it_back(tmp_path: Path) -> None:
    (tmp_path / "pigpen.toml").write_text('boards = 3\noidc_secret = "opensesame"\n')
    url = "postgresql://ada:opensesame@host/ladder"
    done = pigpen("config", folder=tmp_path, PIGPEN_DATABASE_URL=url)
    assert (done.returncode, tomllib.loads(done.stdout)) == (0, {"boards": 3})
    back = "; the secret in it is not shown: put it back in the file\n"
    assert f'\n# oidc_secret = "**********"  # by pigpen.toml{back}' in done.stdout
    masked = "postgresql+psycopg://ada:***@host/ladder"
    assert f'\n# database_url = "{masked}"  # by PIGPEN_DATABASE_URL{back}' in done.stdout
    rows = {row["name"]: row for row in json.loads(pigpen("config", "--json", folder=tmp_path).stdout)}
    assert (rows["oidc_secret"]["value"], rows["oidc_secret"]["source"]) == ("**********", "file")


def test_a_url_without_a_password_is_no_secret(tmp_path: Path) -> None:
    done = pigpen("config", folder=tmp_path, PIGPEN_DATABASE_URL="postgresql://ada@host/ladder", PIGPEN_OIDC_SECRET="")
    assert tomllib.loads(done.stdout) == {"database_url": "postgresql+psycopg://ada@host/ladder"}


def test_a_mistake_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "pigpen.toml").write_text("board = 3\n")
    done = pigpen("config", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"pigpen: board in '{tmp_path}/pigpen.toml' ")
    assert done.stderr.endswith(" boards?\n")
