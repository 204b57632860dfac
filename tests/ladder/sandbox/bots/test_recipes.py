"""Strangers' Dockerfiles: what is understood is written anew, and whatever else there is gets refused."""

from __future__ import annotations

import json

import pytest

from ladder.sandbox.bots.dockerfile_lines import NotUnderstood
from ladder.sandbox.bots.recipes import PLAIN, read_recipe

BASE = "sha256:" + "5" * 64


def lines(dockerfile: str) -> list[str]:
    return list(read_recipe(f"FROM pigpen/bot\n{dockerfile}".encode()).lines)


def test_the_dockerfile_of_a_sample_bot_is_written_anew_on_our_base() -> None:
    sample = b'FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]\n'
    assert read_recipe(sample).dockerfile(BASE, {"pigpen.folder": "mybot"}).decode().splitlines() == [
        f"FROM {BASE}",
        'LABEL "pigpen.folder"="mybot"',
        'COPY ["files/bot.py", "."]',
        'CMD ["python", "bot.py"]',
    ]


def test_a_folder_without_a_dockerfile_is_copied_and_its_bot_py_run() -> None:
    assert PLAIN.lines == ('COPY ["files", "./"]', 'CMD ["python", "bot.py"]')


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        ("copy a b/c d/", 'COPY ["files/a", "files/b/c", "d/"]'),
        ("COPY . .", 'COPY ["files", "."]'),
        ("COPY / /bot/", 'COPY ["files", "/bot/"]'),
        ("COPY *.py ./lib/?.txt .", 'COPY ["files/*.py", "files/lib/?.txt", "."]'),
        ('COPY ["a name.txt", "./"]', 'COPY ["files/a name.txt", "./"]'),
        ("COPY ../../etc/passwd .", 'COPY ["files/etc/passwd", "."]'),
        ("WORKDIR /bot/work", "WORKDIR /bot/work"),
        ('WORKDIR "/bot"', "WORKDIR /bot"),
        ("ENV A=1 B='two words' C=\"3\"", 'ENV A="1" B="two words" C="3"'),
        ("ENV GREETING hello  world", 'ENV GREETING="hello  world"'),
        ("ENV EMPTY=", 'ENV EMPTY=""'),
        ("USER 65532:65532", "USER 65532:65532"),
        ('CMD [ "python" , "-c", "print(\\"$HOME\\")" ]', 'CMD ["python", "-c", "print(\\"$HOME\\")"]'),
        ("CMD python bot.py", 'CMD ["/bin/sh", "-c", "python bot.py"]'),
        ("ENTRYPOINT exec python bot.py 2>&1", 'ENTRYPOINT ["/bin/sh", "-c", "exec python bot.py 2>&1"]'),
        ('LABEL pigpen.variants="gongzhu, hearts"', 'LABEL "pigpen.variants"="gongzhu, hearts"'),
        ('LABEL "pigpen.variants"=gongzhu', 'LABEL "pigpen.variants"="gongzhu"'),
        ("ENV 名=1", None),
    ],
)
def test_what_is_understood_is_written_in_one_way(written: str, understood: str | None) -> None:
    if understood is None:
        with pytest.raises(NotUnderstood):
            lines(written)
    else:
        assert lines(written) == [understood]


def test_comments_continued_lines_and_blank_lines_are_as_docker_has_them() -> None:
    dockerfile = "# 先来\u3000一句\n\n  COPY \\\n  # a file\n\n    bot.py \\  \n .\r\n#RUN x\nCMD python\\\n bot.py"
    assert lines(dockerfile) == ['COPY ["files/bot.py", "."]', 'CMD ["/bin/sh", "-c", "python bot.py"]']


@pytest.mark.parametrize("top", ["# syntax=docker/dockerfile:1", "# Escape=\\", "#check=skip=all", "\ufeff# mine"])
def test_directives_that_change_nothing_are_read_over(top: str) -> None:
    assert read_recipe(f"{top}\nFROM pigpen/bot\n".encode()).lines == ()


@pytest.mark.parametrize(
    ("dockerfile", "line", "why"),
    [
        ("FROM python:3.12", 1, "is not FROM pigpen/bot"),
        ("FROM 127.0.0.1:5000/x", 1, "is not FROM pigpen/bot"),
        ("FROM pigpen/entered:0123", 1, "is not FROM pigpen/bot"),
        ("FROM pigpen/bot AS x", 1, "is not FROM pigpen/bot"),
        ("FROM --platform=linux/s390x pigpen/bot", 1, "is not FROM pigpen/bot"),
        ("FROM pigpen/bot@sha256:" + "0" * 64, 1, "is not FROM pigpen/bot"),
        ("FROM PIGPEN/BOT", 1, "is not FROM pigpen/bot"),
        ("ARG BASE=pigpen/bot\nFROM ${BASE}", 1, "is not FROM pigpen/bot"),
        ("", 1, "without instructions"),
        ("# nothing", 1, "without instructions"),
        ("FROM pigpen/bot\nFROM pigpen/bot", 2, "would run or fetch"),
        ("FROM pigpen/bot\nADD http://127.0.0.1:8080/x .", 2, "would run or fetch"),
        ("FROM pigpen/bot\nADD bot.py .", 2, "would run or fetch"),
        ("FROM pigpen/bot\nRUN true", 2, "would run or fetch"),
        ("FROM pigpen/bot\n\n# hello\nrun \\\n true", 4, "would run or fetch"),
        ("FROM pigpen/bot\nONBUILD RUN true", 2, "would run or fetch"),
        ("FROM pigpen/bot\nARG X=1", 2, "would run or fetch"),
        ("FROM pigpen/bot\nVOLUME /data", 2, "would run or fetch"),
        ('FROM pigpen/bot\nSHELL ["/bot/x"]', 2, "would run or fetch"),
        ("FROM pigpen/bot\nHEALTHCHECK CMD true", 2, "would run or fetch"),
        ("FROM pigpen/bot\nCOPY --from=0123456789ab / /", 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY --chown=0 a b", 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY a --from=x b", 2, "has a flag"),
        ('FROM pigpen/bot\nCOPY ["--from=x", "a", "b"]', 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY http://127.0.0.1/x .", 2, "than files of the folder"),
        ("FROM pigpen/bot\nCOPY $HOME .", 2, "than files of the folder"),
        ("FROM pigpen/bot\nCOPY [z-a].py b c", 2, "is no list"),
        ("FROM pigpen/bot\nCOPY x[z-a] b", 2, "than files of the folder"),
        ("FROM pigpen/bot\nCOPY a", 2, "does not say what to copy"),
        ("FROM pigpen/bot\nCOPY <<EOF /bot/x\nRUN true\nEOF", 2, "here-document"),
        ("FROM pigpen/bot\nCMD cat <<EOF\nx\nEOF", 2, "here-document"),
        ("FROM pigpen/bot\nENV A=$B", 2, "has quotes within a word"),
        ("FROM pigpen/bot\nENV A=`id`", 2, "has quotes within a word"),
        ('FROM pigpen/bot\nENV A="x\\"y"', 2, "has quotes within a word"),
        ("FROM pigpen/bot\nENV A=1 B", 2, "has a name without a value"),
        ("FROM pigpen/bot\nENV A", 2, "has no value"),
        ("FROM pigpen/bot\nENV A-B=1", 2, "names 'A-B'"),
        ("FROM pigpen/bot\nWORKDIR /a /b", 2, "says more than one thing"),
        ("FROM pigpen/bot\nWORKDIR", 2, "or says nothing"),
        ("FROM pigpen/bot\nUSER a;b", 2, "names 'a;b'"),
        ("FROM pigpen/bot\nLABEL pigpen=1", 2, "sets another label"),
        ("FROM pigpen/bot\nLABEL pigpen.variants=gongzhu pigpen.owner=x", 2, "says more than one thing"),
        ("FROM pigpen/bot\nCMD [1]", 2, "is no list"),
        ("FROM pigpen/bot\nCMD " + "[" * 5000, 2, "is no list"),
        ('FROM pigpen/bot\nCMD ["a\\nRUN true"]', 2, "is no list"),
        ('FROM pigpen/bot\nCMD ["a\\ud800"]', 2, "is no list"),
        ("FROM pigpen/bot\nCMD", 2, "does not say what to run"),
        ("FROM pigpen/bot\nCMD a\x0bRUN true", 2, "cannot be seen"),
        ("FROM pigpen/bot\nCMD a\u2028RUN true", 2, "cannot be seen"),
        ("FROM pigpen/bot\nCMD a\rRUN true", 2, "cannot be seen"),
        ("FROM pigpen/bot\n&& true", 2, "is no instruction"),
        ("# escape=`\nFROM pigpen/bot\nCOPY a `\n b", 1, "changes the character that continues a line"),
        ("#syntax = evil/frontend:1\nFROM pigpen/bot", 1, "names another program to read the file \\(syntax\\)"),
        ("#syntax=docker/dockerfile.evil\nFROM pigpen/bot", 1, "names another program to read the file \\(syntax\\)"),
        ("#" * 70_000, 1, "begins a file of more than"),
        ("FROM pigpen/bot" + "\nCOPY . /x" * 17, 18, "is one COPY more than 16"),
        ("FROM pigpen/bot\nCOPY" + " a" * 64 + " b/", 2, "names more than 64 files"),
    ],
)
def test_what_runs_or_fetches_something_or_is_not_understood_is_refused(dockerfile: str, line: int, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why) as caught:
        read_recipe(dockerfile.encode())
    assert caught.value.line == line


def test_a_dockerfile_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(NotUnderstood, match="not UTF-8"):
        read_recipe(b"FROM pigpen/bot\nCMD \xff")


@pytest.mark.parametrize("word", ['a"]\nRUN true', "$(id)", "a b", "\\", "'", "拱猪"])
def test_a_command_is_handed_over_letter_by_letter(word: str) -> None:
    printable = word.replace("\n", " ")
    (line,) = lines("CMD " + json.dumps(["run", printable]))
    assert json.loads(line.removeprefix("CMD ")) == ["run", printable]
    assert "\n" not in line


@pytest.mark.parametrize(
    ("dockerfile", "adds_files_only"),
    [
        ('COPY bot.py .\nCMD ["python", "bot.py"]', True),
        ('COPY . /bot/\nWORKDIR /bot\nLABEL pigpen.variants=hearts\nCMD ["python3", "a/main.py", "-v"]', True),
        ('COPY lib vendor/lib\nCMD ["python", "/bot/bot.py"]', True),
        ('COPY site.py /usr/lib/python3/dist-packages/\nCMD ["python", "bot.py"]', False),
        ('COPY site.py ../usr/lib/\nCMD ["python", "bot.py"]', False),
        ('COPY site.py /bottle/\nCMD ["python", "bot.py"]', False),
        ('WORKDIR /usr/lib\nCOPY site.py .\nCMD ["python", "bot.py"]', False),
        ('COPY . .\nENV PYTHONPATH=/bot/lib\nCMD ["python", "bot.py"]', False),
        ('COPY . .\nUSER root\nCMD ["python", "bot.py"]', False),
        ('COPY . .\nENTRYPOINT ["python", "bot.py"]', False),
        ('COPY . .\nCMD ["python", "-c", "import bot"]', False),
        ('COPY . .\nCMD ["python", "-m", "bot.py"]', False),
        ('COPY . .\nCMD ["./bot.py"]', False),
        ("COPY . .\nCMD python bot.py", False),
    ],
)
def test_only_files_in_the_bots_folder_leave_the_interpreter_ours(dockerfile: str, adds_files_only: bool) -> None:
    assert read_recipe(f"FROM pigpen/bot\n{dockerfile}".encode()).adds_files_only == adds_files_only
    assert PLAIN.adds_files_only
