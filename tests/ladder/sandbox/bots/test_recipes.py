"""Strangers' Dockerfiles: what is understood is written anew, and whatever else there is gets refused."""

from __future__ import annotations

import json
import re

import pytest

from ladder.sandbox.bots.dockerfile_lines import LEAVE_OUT, NotUnderstood
from ladder.sandbox.bots.recipes import FORMER_PATH, PLAIN, read_recipe
from pigpen.version import __version__

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
    """As a whole folder at the root of the image, which keeps the times of the archive."""
    assert (PLAIN.lines, PLAIN.place) == (('COPY ["files", "/"]', 'CMD ["python", "bot.py"]'), "files/bot")
    assert PLAIN.adds_files_only


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


HARMLESS = [
    "EXPOSE 8080/tcp",
    "STOPSIGNAL SIGINT",
    "HEALTHCHECK NONE",
    "healthcheck none",
    "MAINTAINER Ada <ada@arena.example>",
    'LABEL org.opencontainers.image.source="https://arena.example" version=1.0',
    'LABEL maintainer="Ada \\"the pig\\" $NAME"',
    "LABEL description A bot of ours",
    "RUN pip install -r requirements.txt",
    "RUN pip3 install --no-cache-dir --upgrade -r ./requirements.txt",
    "RUN python -m pip install --no-cache-dir --requirement=requirements.txt",
    "RUN python3.12 -m pip install -q --root-user-action=ignore -rrequirements.txt",
    "RUN pip install --upgrade pip setuptools wheel && pip install -r requirements.txt",
    "RUN --mount=type=cache,target=/root/.cache/pip pip install -r requirements.txt",
    'RUN ["pip", "install", "-r", "requirements.txt"]',
    "RUN uv pip install --system -r requirements.txt",
    "RUN pip install --no-cache-dir \\\n    -r requirements.txt \\\n && pip cache purge",
]


@pytest.mark.parametrize("line", HARMLESS)
def test_a_line_that_changes_nothing_is_left_out(line: str) -> None:
    """The engine gets the same lines, and the same instances can be forked."""
    recipe = read_recipe(f'FROM pigpen/bot\n{line}\nCOPY . .\nCMD ["python", "bot.py"]'.encode())
    assert recipe.lines == ('COPY ["files", "."]', 'CMD ["python", "bot.py"]')
    assert recipe.adds_files_only
    assert [each.line for each in recipe.left_out] == [2]


@pytest.mark.parametrize(
    "base",
    [
        f"pigpen/bot:{__version__}",
        "docker.io/pigpen/bot",
        "localhost/pigpen/bot:latest",
        "pigpen/bot AS final",
        "pigpen/bot as build-1",
        "--platform=linux/amd64 pigpen/bot",
        "--platform=$BUILDPLATFORM pigpen/bot:latest AS bot",
    ],
)
def test_each_name_of_our_base_image_means_the_ladders_own(base: str) -> None:
    assert (
        read_recipe(f"FROM {base}\n".encode()).dockerfile(BASE, {"a": "b"}) == f'FROM {BASE}\nLABEL "a"="b"\n'.encode()
    )


@pytest.mark.parametrize("path", ["/bot/requirements.txt", "/tmp/requirements.txt"])
@pytest.mark.parametrize(
    "copied", ["requirements.txt", "./requirements.txt bot.py", ".", "--chown=bot:bot requirements.txt"]
)
def test_the_folders_own_list_is_known_where_it_was_copied_to(path: str, copied: str) -> None:
    assert len(lines(f"COPY {copied} {path.rpartition('/')[0]}/\nRUN pip install -r {path}")) == 1


@pytest.mark.parametrize(
    "command",
    [
        "pip install numpy",
        "pip install -r requirements.txt numpy",
        "pip install .",
        "pip install -r https://arena.example/requirements.txt",
        "pip install -r dev/requirements.txt",
        "pip install -r requirements-dev.txt",
        "pip install -r /tmp/requirements.txt",
        "pip install --index-url https://arena.example -r requirements.txt",
        "pip install -f wheels -r requirements.txt",
        "pip install -r",
    ],
)
def test_other_packages_are_sent_to_the_list(command: str) -> None:
    with pytest.raises(NotUnderstood, match=re.escape(LEAVE_OUT)):
        lines(f"RUN {command}")


@pytest.mark.parametrize(
    "command",
    [
        "pip install -r requirements.txt; true",
        "pip install -r requirements.txt || true",
        "pip install -r requirements.txt && apt-get install gcc",
        "true && pip install -r requirements.txt",
        "pip install -r requirements.txt > $(id)",
        "pip install -r `id`/requirements.txt",
        "pip download -r requirements.txt",
        "pip install",
        "pipx install -r requirements.txt",
        "./pip install -r requirements.txt",
        "--mount=type=bind,from=x,target=/y pip install -r requirements.txt",
        "--network=host pip install -r requirements.txt",
        '["pip", "install", "-r", "requirements.txt; true"]',
        '["sh", "-c", "pip install -r requirements.txt"]',
        "[" * 5000,
        "",
    ],
)
def test_a_command_beside_it_is_refused(command: str) -> None:
    with pytest.raises(NotUnderstood, match="run or fetch something"):
        lines(f"RUN {command}")


def test_the_list_of_another_folder_is_not_taken_for_this_one() -> None:
    with pytest.raises(NotUnderstood, match=re.escape(LEAVE_OUT)):
        lines("COPY docker/requirements.txt .\nRUN pip install -r requirements.txt")


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        ("ENV PATH=$PATH:/bot/bin", f'ENV PATH="{FORMER_PATH}:/bot/bin"'),
        ('ENV PATH="/bot/bin:${PATH}" A=1', f'ENV PATH="/bot/bin:{FORMER_PATH}" A="1"'),
        ("ENV PATH /a:$PATH:/b", f'ENV PATH="/a:{FORMER_PATH}:/b"'),
        ("COPY --chown=bot:bot a b", 'COPY ["files/a", "b"]'),
        ('COPY --link --chown=1000 ["a b", "c"]', 'COPY ["files/a b", "c"]'),
        ('LABEL version="1" pigpen.variants=hearts', 'LABEL "pigpen.variants"="hearts"'),
    ],
)
def test_flags_and_labels_that_change_nothing_are_left_out_of_a_line(written: str, understood: str) -> None:
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
        ("FROM pigpen/bot AS", 1, "is not FROM pigpen/bot"),
        ("FROM pigpen/bot AS x y", 1, "is not FROM pigpen/bot"),
        ("FROM pigpen/bot AS $x", 1, "is not FROM pigpen/bot"),
        ("FROM python:3.12 AS pigpen/bot", 1, "is not FROM pigpen/bot"),
        ("FROM --from=pigpen/bot python", 1, "is not FROM pigpen/bot"),
        ("FROM pigpen/bot:9.9", 1, "leave the tag '9.9' out"),
        ("FROM pigpen/bot:", 1, "leave the tag '' out"),
        ("FROM registry.example/pigpen/bot:latest", 1, "the registry registry.example, which may be another one"),
        ("FROM 127.0.0.1:5000/pigpen/bot", 1, "the registry 127.0.0.1:5000, which may be another one"),
        ("FROM stranger/pigpen/bot", 1, "is not FROM pigpen/bot, with which"),
        ("FROM docker.io/library/pigpen/bot", 1, "is not FROM pigpen/bot, with which"),
        ("FROM --platform=linux/s390x pigpen/bot", 1, "is not FROM pigpen/bot"),
        ("FROM pigpen/bot@sha256:" + "0" * 64, 1, "is not FROM pigpen/bot"),
        ("FROM PIGPEN/BOT", 1, "is not FROM pigpen/bot"),
        ("ARG BASE=pigpen/bot\nFROM ${BASE}", 1, "is not FROM pigpen/bot"),
        ("", 1, "without instructions"),
        ("# nothing", 1, "without instructions"),
        ("FROM pigpen/bot\nFROM pigpen/bot", 2, "would run or fetch"),
        ("FROM pigpen/bot\nADD http://127.0.0.1:8080/x .", 2, "would run or fetch"),
        ("FROM pigpen/bot\nADD bot.py .", 2, "would run or fetch something, or is not known; write COPY"),
        ("FROM pigpen/bot\nRUN true", 2, "would run or fetch"),
        ("FROM pigpen/bot\n\n# hello\nrun \\\n true", 4, "would run or fetch"),
        ("FROM pigpen/bot\nONBUILD RUN true", 2, "would run or fetch"),
        ("FROM pigpen/bot\nARG X=1", 2, "would run or fetch"),
        ("FROM pigpen/bot\nVOLUME /data", 2, "would run or fetch"),
        ('FROM pigpen/bot\nSHELL ["/bot/x"]', 2, "would run or fetch"),
        ("FROM pigpen/bot\nHEALTHCHECK CMD true", 2, "would run or fetch"),
        ("FROM pigpen/bot\nCOPY --from=0123456789ab / /", 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY --chmod=777 a b", 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY --chown=bot --from=x a b", 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY --link --parents a b", 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY a --chown=bot b", 2, "has a flag"),
        ("FROM pigpen/bot\nCOPY --chown=bot", 2, "does not say what to copy"),
        ('FROM pigpen/bot\nCOPY --chown=bot ["--from=x", "a", "b"]', 2, "has a flag"),
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
        ("FROM pigpen/bot\nENV A=$PATH:/x", 2, "in another place than among the folders of PATH"),
        ("FROM pigpen/bot\nENV PATH=/x$PATH", 2, "in another place than among the folders of PATH"),
        ("FROM pigpen/bot\nENV PATH=$PATH:$PATH", 2, "in another place than among the folders of PATH"),
        ("FROM pigpen/bot\nENV PATH=$PATHS:/x", 2, "has quotes within a word"),
        ("FROM pigpen/bot\nENV PATH=${PATH:-/x}", 2, "has quotes within a word"),
        ("FROM pigpen/bot\nENV PATH='$PATH:/x'", 2, "has quotes within a word"),
        ("FROM pigpen/bot\nENV $PATH=x", 2, "names"),
        ("FROM pigpen/bot\nENV A=`id`", 2, "has quotes within a word"),
        ('FROM pigpen/bot\nENV A="x\\"y"', 2, "has quotes within a word"),
        ("FROM pigpen/bot\nENV A=1 B", 2, "has a name without a value"),
        ("FROM pigpen/bot\nENV A", 2, "has no value"),
        ("FROM pigpen/bot\nENV A-B=1", 2, "names 'A-B'"),
        ("FROM pigpen/bot\nWORKDIR /a /b", 2, "says more than one thing"),
        ("FROM pigpen/bot\nWORKDIR", 2, "or says nothing"),
        ("FROM pigpen/bot\nUSER a;b", 2, "names 'a;b'"),
        ("FROM pigpen/bot\nLABEL pigpen=1", 2, "sets another label"),
        ("FROM pigpen/bot\nLABEL pigpen.variants=gongzhu pigpen.owner=x", 2, "sets another label"),
        ('FROM pigpen/bot\nLABEL a=b "pigpen.recipe"=files', 2, "sets another label"),
        ("FROM pigpen/bot\nLABEL pigpen.recipe files", 2, "sets another label"),
        ("FROM pigpen/bot\nLABEL a=b PIGPEN.KEY=1", 2, "sets another label"),
        ('FROM pigpen/bot\nLABEL a="\\" pigpen.key=b"', 2, "has quotes within a word"),
        ("FROM pigpen/bot\nLABEL pigpen.variants=a pigpen.variants=b", 2, "says more than one thing"),
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
        ("FROM pigpen/bot" + "\nCOPY . /x" * 17, 18, "is one COPY more than 16"),
        ("FROM pigpen/bot\nCOPY" + " a" * 64 + " b/", 2, "names more than 64 files"),
    ],
)
def test_what_runs_or_fetches_something_or_is_not_understood_is_refused(dockerfile: str, line: int, why: str) -> None:
    with pytest.raises(NotUnderstood, match=why) as caught:
        read_recipe(dockerfile.encode())
    assert caught.value.line == line
    assert "\0" not in caught.value.text


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
