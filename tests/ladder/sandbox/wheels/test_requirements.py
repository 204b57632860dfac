"""A stranger's requirements.txt names packages, and makes an installer do nothing else."""

from __future__ import annotations

import pytest

from ladder.errors import BotRejected
from ladder.sandbox.wheels.requirements import lock_text, read_lock, read_requirements

A, B = "a" * 64, "b" * 64

REFUSED = {
    "-r other.txt": "option of pip",
    "-c /etc/passwd": "option of pip",
    "-e .": "option of pip",
    "-i http://127.0.0.1/": "option of pip",
    "--index-url http://127.0.0.1/": "option of pip",
    "--extra-index-url=http://127.0.0.1/": "option of pip",
    "--find-links /": "option of pip",
    "--trusted-host x": "option of pip",
    "--no-binary :all:": "option of pip",
    "--pre": "option of pip",
    "numpy --no-binary=:all:": "holds an option",
    "numpy --config-settings=x=y": "holds an option",
    "numpy==1 --hash=md5:00": "holds an option",
    f"numpy==1 --hash=sha256:{A}0": "holds an option",
    f"numpy>1 --hash=sha256:{A}": "not one version",
    f"numpy==1.* --hash=sha256:{A}": "not one version",
    "numpy @ https://127.0.0.1/numpy.whl": "address",
    "numpy@file:///etc/passwd": "address",
    "https://127.0.0.1/numpy-1-py3-none-any.whl": "address",
    "git+https://127.0.0.1/x.git": "address",
    "git+ssh://git@127.0.0.1/x.git": "address",
    "./numpy": "address or a file",
    "../numpy-1.tar.gz": "address or a file",
    "/etc/passwd": "address or a file",
    "~/numpy": "address or a file",
    "numpy-1-py3-none-any.whl": "address or a file",
    "C:\\numpy.zip": "address or a file",
    "numpy=={SECRET}": "versions",
    "numpy===${SECRET}": "===",
    "numpy===1": "===",
    "numpy; python_version > '${SECRET}'": "$",
    "numpy 2": "versions",
    "numpy==1; os_name": "versions",
    "numpy; " + "(" * 400: "versions",
    "numpy; os_name ~= 'posix'": "makes no sense",
    **dict.fromkeys(
        [f"numpy; os_name == 'a{control}b'" for control in "\r\x00\x0b\x0c\x1b\x85\u2028\u202e"]
        + ["numpy==\x1b[31m", "numpy\x00", "\u202enumpy"],
        "control character",
    ),
    "n" * 501: "501 characters",
}


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: ascii(line)[:40])
def test_a_line_that_is_no_plain_requirement_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(BotRejected) as refusal:
        read_requirements(f"# mine\nnumpy>=2\n{line}\n".encode())
    assert "line 3 of requirements.txt" in str(refusal.value).lower()
    assert REFUSED[line] in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_plain_requirements_are_read() -> None:
    text = "\ufeff# packages\r\n\r\nNumPy>=2,<3  # fast\r\nscipy[extra] ~= 1.1 ; python_version > '3'\r\n"
    found = read_requirements(text.encode())
    assert [str(each) for each in found] == [
        "NumPy<3,>=2 (line 3 of requirements.txt)",
        'scipy[extra]~=1.1; python_version > "3" (line 4 of requirements.txt)',
    ]
    assert [each.name for each in found] == ["numpy", "scipy"]


def test_hashes_over_several_lines_are_read() -> None:
    (found,) = read_requirements(f"numpy==2 \\\n    --hash=sha256:{A} \\\n    --hash=sha256:{B}\n".encode())
    assert found.hashes == {A, B}
    assert found.by == "line 1 of requirements.txt"


def test_a_file_that_is_no_text_is_refused() -> None:
    with pytest.raises(BotRejected, match="not UTF-8"):
        read_requirements(b"\xff\xfe")


def test_a_lock_is_read_as_it_was_written() -> None:
    text = f"numpy==2.4.6 --hash=sha256:{A} --hash=sha256:{B}\nscipy==1.0 --hash=sha256:{A}\n"
    assert lock_text(reversed(read_lock(text.encode()))) == text


@pytest.mark.parametrize("line", ["numpy==2", "numpy", f"a==1 --hash=sha256:{A}\nA==1 --hash=sha256:{A}"])
def test_a_lock_names_each_wheel_once_with_its_hash(line: str) -> None:
    with pytest.raises(BotRejected, match=r" requirements\.lock .* pigpen lock"):
        read_lock(line.encode())
