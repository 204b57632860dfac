"""Settings of an organiser: values, their sources, and those that cannot be used."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ladder.settings.settings import Settings, load_settings, source_of
from referee.records.lines import descriptions

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_everything_has_a_default(folder: Path) -> None:
    settings = load_settings()
    assert (settings.boards, settings.sandbox, settings.clock_setting.bank) == ("auto", "docker", 60.0)
    assert all(source_of(name) == "default" for name in Settings.model_fields)


def test_the_environment_goes_before_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pigpen.toml").write_text('boards = 2\nclock = "30+0.5"\n')
    monkeypatch.setenv("PIGPEN_BOARDS", "8")
    settings = load_settings()
    assert (settings.boards, settings.clock) == (8, "30+0.5")
    assert [source_of(name) for name in ("boards", "clock", "limit")] == ["environment", "file", "default"]


def test_what_code_says_goes_before_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_BOARDS", "8")
    assert load_settings(boards=1).boards == 1


def test_an_empty_variable_sets_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_BOARDS", "")
    assert load_settings().boards == "auto"
    assert source_of("boards") == "default"


def test_relative_paths_are_from_the_folder_of_the_file(folder: Path) -> None:
    (folder / "pigpen.toml").write_text('data_dir = "data"\ndatabase_url = "sqlite:///db/ladder.db"\n')
    settings = load_settings()
    assert settings.data_dir == folder / "data"
    assert settings.database_file == folder / "db" / "ladder.db"


def test_the_database_is_a_file_in_the_data_folder_whatever_that_is_called(folder: Path) -> None:
    settings = load_settings(data_dir=folder / "50% off? #1")
    assert settings.database_file == folder / "50% off? #1" / "ladder.db"


@pytest.mark.parametrize(
    "text", ["postgres://ada@host/x", "postgresql://ada@host/x", "postgresql+psycopg://ada@host/x"]
)
def test_postgresql_has_one_driver_under_any_of_its_names(text: str) -> None:
    settings = load_settings(database_url=text)
    assert settings.url.render_as_string() == "postgresql+psycopg://ada@host/x"
    assert settings.database_file is None


WRONG = {
    "board = 3": r"board in '.*pigpen.toml' is not a setting\. Did you mean boards\?",
    "colour = 3": r"colour in '.*' is not a setting\. There are: data_dir, database_url,",
    "boards = 0": r"boards in '.*pigpen.toml' cannot be used: .* greater than 0; write .* to \d+, or .auto.\.$",
    "data_dir = 5": r"data_dir in '.*' cannot be used: it is not a path; write one in quotation marks, such as",
    'data_dir = ""': r"data_dir in '.*' cannot be used: it is empty; name a folder, or leave the line out",
    'data_dir = "~no such/x"': r"data_dir in '.*' cannot be used: there is no user of the name 'no such'; write",
    'database_url = "sqlite:///~no one/x"': r"database_url in .* cannot be used: there is no user of the name 'no one'",
    "limit = inf": r"limit in '.*' cannot be used: .* finite",
    "limit = 4000": r"limit in '.*' cannot be used: .* 3600",
    'clock = "fast"': r"clock in '.*' cannot be used: 'fast' is not a clock; write seconds",
    'clock = "0"': r"clock in '.*' cannot be used: The clock '0' leaves no time",
    'sandbox = "jail"': r"sandbox in '.*' cannot be used: .* 'docker' or 'process'",
    'live = "all"': r"live in '.*' cannot be used: .* 'played', 'open' or 'off'",
    "live_delay = -1": r"live_delay in '.*' cannot be used: .* 0",
    "live_delay = 4000": r"live_delay in '.*' cannot be used: .* 3600",
    "boards = ]": r"'.*pigpen.toml' cannot be read: .*line 1",
    'database_url = "sqlite://"': r"database_url in '.*' cannot be used: it names no file; write sqlite:",
    'database_url = "mysql://ada:opensesame@host/x"': r"database_url in '.*' cannot be used: 'mysql' is not a kind of",
    'database_url = "nonsense:opensesame"': r"database_url in '.*' cannot be used: it is not a URL; write sqlite:",
    'database_url = "postgresql://h/x?password=opensesame"': r"database_url in .* cannot be used: .* between user: and",
    'database_url = "postgresql://h/x?sslpassword=opensesame"': r"database_url in .* cannot be used: .*sslpassword",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_makes_no_sense_is_named_with_its_place(folder: Path, line: str) -> None:
    (folder / "pigpen.toml").write_text(line)
    with pytest.raises(ValueError, match=WRONG[line]) as caught:
        load_settings()
    assert "opensesame" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_BOARDS", "many")
    with pytest.raises(ValueError, match=r"^PIGPEN_BOARDS .* cannot be used: .* integer"):
        load_settings()


def test_a_byte_order_mark_is_no_part_of_the_file(folder: Path) -> None:
    (folder / "pigpen.toml").write_text("boards = 2\n", encoding="utf-8-sig")
    assert (load_settings().boards, source_of("boards")) == (2, "file")


def test_a_file_in_another_encoding_is_refused(folder: Path) -> None:
    (folder / "pigpen.toml").write_text("boards = 2\n", encoding="utf-16")
    with pytest.raises(ValueError, match=r"pigpen.toml' cannot .* not UTF-8"):
        load_settings()


def test_a_directory_is_no_file(folder: Path) -> None:
    (folder / "pigpen.toml").mkdir()
    with pytest.raises(ValueError, match=r"pigpen.toml' cannot .* a directory; rename"):
        load_settings()


def test_a_pipe_is_no_file(folder: Path) -> None:
    os.mkfifo(folder / "pigpen.toml")
    with pytest.raises(ValueError, match=r"pigpen.toml' cannot .* regular file"):
        load_settings()


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nowhere", "it is a link to 'nowhere', which leads to no file; make"),
        ("pigpen.toml", "it is a link that leads"),
    ],
)
def test_a_link_that_leads_to_no_file_is_refused(folder: Path, target: str, reason: str) -> None:
    (folder / "pigpen.toml").symlink_to(target)
    with pytest.raises(ValueError, match=f"pigpen.toml' cannot be read: {reason}"):
        load_settings()
    with pytest.raises(ValueError, match=reason):
        source_of("boards")


def test_a_link_to_a_file_is_read(folder: Path) -> None:
    (folder / "mine.toml").write_text("boards = 2\n")
    (folder / "pigpen.toml").symlink_to("mine.toml")
    assert load_settings().boards == 2


def test_in_a_bots_folder_a_directory_of_that_name_does_not_matter(folder: Path) -> None:
    (folder / "bot.py").write_text("")
    (folder / "pigpen.toml").mkdir()
    assert (load_settings().boards, source_of("boards")) == ("auto", "default")


def test_the_current_folder_can_be_named_and_an_empty_certificate_is_none(folder: Path) -> None:
    (folder / "pigpen.toml").write_text('data_dir = "."\ntls_certificate = ""\ntls_key = ""\n')
    settings = load_settings()
    assert (settings.data_dir, settings.tls_certificate, settings.tls_key) == (folder, None, None)


def test_a_user_without_a_home_must_name_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(ValueError, match=r"data_dir in pigpen.toml, or PIGPEN_DATA_DIR"):
        load_settings()


def test_every_setting_stands_in_the_documentation_as_it_says_itself() -> None:
    page = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    meanings = dict(re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", page, re.MULTILINE))
    assert list(meanings) == list(Settings.model_fields) == list(descriptions(Settings))
    for name, text in descriptions(Settings).items():
        meaning = text.rstrip(".").lower().removesuffix("; empty: ladder.db in data_dir")
        assert meaning.replace(",", "") == meanings[name].replace("`", "").replace(",", "").lower()


def test_one_line_names_an_identity_provider() -> None:
    one = load_settings(oidc="https://the%20arena:a%3Ab@id.example:8443/realms/main")
    parts = load_settings(
        registration="oidc", oidc_issuer="https://id.example:8443/realms/main", oidc_client="the arena",
        oidc_secret="a:b",
    )  # fmt: skip
    assert one.model_dump(exclude={"oidc"}) == parts.model_dump(exclude={"oidc"})
    assert "a:b" not in repr(one)
    assert "a%3Ab" not in repr(one)
    assert load_settings(oidc="").registration == "invitation"
    assert load_settings(oidc="https://arena:secret@id.example", registration="open").registration == "open"


@pytest.mark.parametrize(
    "wrong", ["id.example", "https://id.example", "https://arena@id.example", "https://:x@id.example",
              "https://arena:x@id.example/?a=1", "https://arena:x@", "https://arena:x@[id"],
)  # fmt: skip
def test_what_is_no_identity_provider_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="oidc") as caught:
        load_settings(oidc=wrong)
    assert "arena:x" not in str(caught.value)
