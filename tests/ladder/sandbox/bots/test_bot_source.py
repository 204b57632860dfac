from __future__ import annotations

import os
from pathlib import Path

import pytest

from ladder.sandbox.bots.bot_source import BotSource, UnknownBot, find_bot, sample_names, unread_packages
from tests.ladder.locked import locked
from tests.typed import typed


@pytest.fixture(autouse=True)
def two_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    samples = tmp_path / "samples"
    for name, file in (("random", "bot.py"), ("cautious", "Dockerfile"), ("notes", "README.md")):
        (samples / name).mkdir(parents=True)
        (samples / name / file).write_text("")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return samples


def make_bot(folder: str, file: str = "bot.py") -> Path:
    Path(folder).mkdir(parents=True)
    (Path(folder) / file).write_text("")
    return Path(folder).resolve()


def test_samples_are_the_folders_with_a_main_file_or_a_dockerfile(two_samples: Path) -> None:
    assert sample_names(two_samples) == ["cautious", "random"]


def test_a_samples_name_is_found(two_samples: Path) -> None:
    assert BotSource("random", folder=two_samples / "random") == find_bot("random", two_samples)


def test_a_sample_wins_over_a_folder_of_its_name(two_samples: Path) -> None:
    mine = make_bot("random")
    assert two_samples / "random" == find_bot("random", two_samples).folder
    assert mine == find_bot("./random", two_samples).folder


@pytest.mark.parametrize("file", ["bot.py", "bot.js", "Dockerfile"])
def test_a_folder_is_a_bot_by_any_of_three_files(file: str) -> None:
    folder = make_bot("deep/mine", file)
    assert BotSource("mine", folder=folder) == find_bot("deep/mine")
    assert BotSource("mine", folder=folder) == find_bot("deep/mine/")


def test_a_folder_that_may_not_be_read_is_a_mistake() -> None:
    folder = make_bot("mine")
    with (
        locked(folder),
        pytest.raises(UnknownBot, match=r"'\./mine' cannot be read"),
    ):
        find_bot("./mine")


def test_a_word_below_a_folder_that_may_not_be_read_names_no_bot(tmp_path: Path) -> None:
    folder = make_bot(str(tmp_path / "mine"))
    for word in (f"{folder}/bot.py", f"{folder}/below/bot"):
        with locked(folder), pytest.raises(UnknownBot, match=f"There is no bot '{word}'"):
            find_bot(word)


@pytest.mark.parametrize("word", [f"./{'a' * 300}/bot", f"{'a' * 300}/Bot", f"./{'a/' * 3000}bot"])
def test_a_word_with_a_name_that_is_too_long_names_no_bot(word: str) -> None:
    with pytest.raises(UnknownBot, match="There is no bot"):
        find_bot(word)


def test_this_folder_takes_its_real_name(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_bot("mine")
    monkeypatch.chdir(folder)
    assert BotSource("mine", folder=folder) == find_bot(".")


def test_home_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_bot("home/mine")
    monkeypatch.setenv("HOME", str(folder.parent))
    assert folder == find_bot("~/mine").folder


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("mybot:latest", "mybot:latest"),
        ("team/mybot", "mybot"),
        ("host.example:5000/team/mybot:1.2", "mybot:1.2"),
        (f"team/mybot@sha256:{'0' * 64}", "mybot"),
        (f"sha256:{'0' * 64}", f"sha256:{'0' * 64}"),
    ],
)
def test_an_image_reference_is_an_image(reference: str, name: str) -> None:
    assert BotSource(name, image=reference) == find_bot(reference)


@pytest.mark.parametrize("word", ["nobody", "./team/mybot:1", "/no/such:1", "~/x:1", "team/mybot/", "A/B", "a b:1"])
def test_a_word_for_nothing_says_what_would_do(word: str, two_samples: Path) -> None:
    with pytest.raises(UnknownBot, match="cautious, random"):
        find_bot(word, two_samples)


@pytest.mark.parametrize("word", ["notes", "..", "../samples", "random/.."])
def test_only_a_name_names_a_sample(word: str, two_samples: Path) -> None:
    with pytest.raises(UnknownBot):
        find_bot(word, two_samples)


def test_a_folder_without_a_bot_says_how_to_make_one() -> None:
    Path("empty").mkdir()
    with pytest.raises(UnknownBot, match="pigpen new empty"):
        find_bot("empty")


@pytest.mark.parametrize(
    ("files", "way_out"),
    [
        (["main.py"], "If this is a bot, rename main.py to bot.py."),
        (["agent.js", "notes.txt"], "If this is a bot, rename agent.js to bot.js."),
        (["a.py", "b.py"], "If this is a bot, rename the file that starts the bot (a.py, b.py) to bot.py."),
        (["mine/bot.py", "notes.txt"], "There is one in it: here/mine"),
        (["notes.txt"], "Make a folder with a bot: pigpen new mybot"),
    ],
)
def test_a_folder_without_a_bot_says_what_to_do_with_what_it_holds(files: list[str], way_out: str) -> None:
    for file in files:
        (Path("here") / file).parent.mkdir(parents=True, exist_ok=True)
        (Path("here") / file).write_text("")
    with pytest.raises(UnknownBot) as caught:
        find_bot("here")
    assert "'here'" in str(caught.value)
    assert str(caught.value).endswith(f". {way_out}")


@pytest.mark.parametrize(
    ("file", "text", "is_named"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["numpy"]\n', True),
        ("pyproject.toml", "[tool.ruff]\nline-length = 120\n", False),
        ("Pipfile", '[packages]\nnumpy = "*"\n', True),
        ("environment.yml", "dependencies:\n  - numpy\n", True),
        ("notes.txt", "dependencies", False),
    ],
)
def test_packages_named_in_files_of_other_tools_are_noticed(file: str, text: str, is_named: bool) -> None:
    folder = make_bot("mine")
    (folder / file).write_text(text)
    assert unread_packages(folder) == (file if is_named else "")
    (folder / "requirements.txt").write_text("numpy\n")
    assert unread_packages(folder) == ""


def test_a_file_of_a_bot_says_to_name_the_folder() -> None:
    make_bot("my bot")
    with pytest.raises(UnknownBot, match=r"is a file\. .*: 'my bot'$"):
        find_bot("my bot/bot.py")


@pytest.mark.parametrize("name", [os.fsdecode(b"b\xff"), "b\x1b[31m", "b\u202e", "b\n"])
def test_a_folder_whose_name_cannot_be_printed_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "bot.py").write_text("")
    with pytest.raises(UnknownBot, match="cannot be printed") as caught:
        find_bot(str(tmp_path / name))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("command", [("check",), ("play", "random", "random", "random")])
def test_a_command_with_a_name_that_is_too_long_is_one_sentence(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = typed(*command, f"./{'a' * 300}/bot", folder=tmp_path)
    assert done.is_one_sentence, done
