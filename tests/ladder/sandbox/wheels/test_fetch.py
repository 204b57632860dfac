"""pip is held to a time and to a size, and what it says is told as a sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.wheels.cache import sha256_of
from ladder.sandbox.wheels.facts import facts
from ladder.sandbox.wheels.fetch import PipFetch, Unavailable
from ladder.sandbox.wheels.target import target_from, this_interpreter
from tests.ladder.sandbox.wheels.made import index, new_wheel

HERE = this_interpreter()


def says(text: str) -> PipFetch:
    """A pip that fails with these words."""
    return PipFetch(command=(sys.executable, "-c", f"import sys; sys.exit({text!r})"))


def test_wheels_are_fetched_by_name(shelf: Path, tmp_path: Path) -> None:
    new_wheel(shelf, "one", "1.0")
    new_wheel(shelf, "one", "2.0", needs=["nonesuch"])
    index(shelf)(["one"], HERE, tmp_path / "to")
    assert [path.name for path in (tmp_path / "to").glob("*.whl")] == ["one-2.0-py3-none-any.whl"]


def test_the_wheel_is_one_for_the_bots_python_and_machine(shelf: Path, tmp_path: Path) -> None:
    environment = {**facts()["environment"], "platform_machine": "riscv64", "python_version": "3.9"}
    there = target_from({**facts(), "environment": environment, "libc": {"glibc": "2.31"}})
    wheels = [
        new_wheel(shelf, "one", tag=tag)
        for tag in ("cp39-cp39-manylinux_2_31_riscv64", "cp39-cp39-manylinux_2_32_riscv64", "cp310-cp310-any")
    ]
    index(shelf)([f"one==1.0 --hash=sha256:{sha256_of(wheels[0])}"], there, tmp_path / "to")
    assert [path.name for path in (tmp_path / "to").glob("*.whl")] == ["one-1.0-cp39-cp39-manylinux_2_31_riscv64.whl"]


def test_a_package_of_sources_and_wheels_for_others_is_not_to_be_had(shelf: Path, tmp_path: Path) -> None:
    (shelf / "one-1.0.tar.gz").write_bytes(b"")
    new_wheel(shelf, "one", tag="cp39-cp39-manylinux_2_31_riscv64")
    with pytest.raises(Unavailable, match="one"):
        index(shelf)(["one"], HERE, tmp_path / "to")


def test_metadata_that_pip_cannot_read_is_the_bots_fault(tmp_path: Path) -> None:
    with pytest.raises(BotRejected, match="metadata that pip cannot read"):
        says("pip._vendor.packaging.requirements.InvalidRequirement: x")(["one"], HERE, tmp_path / "to")


def test_a_pip_that_takes_for_ever_is_ended(tmp_path: Path) -> None:
    fetch = PipFetch(command=(sys.executable, "-c", "while True: pass"), seconds=0.0)
    with pytest.raises(SandboxError, match="took longer than 0 seconds"):
        fetch(["one"], HERE, tmp_path / "to")


def test_a_fetch_that_grows_too_large_is_ended(tmp_path: Path) -> None:
    grows = "import os\nwith open(os.environ['TMPDIR'] + '/x', 'wb') as file:\n while True: file.write(bytes(1 << 16))"
    fetch = PipFetch(command=(sys.executable, "-c", grows), most_bytes=1 << 20)
    with pytest.raises(BotRejected, match="at least 1,048,577 bytes, packed; the limit is 1,048,576 bytes"):
        fetch(["one"], HERE, tmp_path / "to")


def test_a_wheel_that_is_too_large_is_refused_however_quickly_it_came(shelf: Path, tmp_path: Path) -> None:
    new_wheel(shelf, "one", files={"one.py": bytes(range(256)) * 100})
    fetch = PipFetch("--isolated", "--no-index", f"--find-links={shelf}", most_bytes=1000)
    with pytest.raises(
        BotRejected, match=r"packed; the limit is 1,000 bytes \(the largest: one 1\.0 with [0-9,]+ bytes\)"
    ):
        fetch(["one"], HERE, tmp_path / "to")


def test_an_index_that_cannot_be_reached_is_the_platforms_failure(tmp_path: Path) -> None:
    fetch = PipFetch("--isolated", "--retries=1", "--index-url=http://127.0.0.1:9/simple")
    with pytest.raises(SandboxError, match=r"No matching distribution found for one\. Try again"):
        fetch(["one"], HERE, tmp_path / "to")


def test_no_pip_is_the_platforms_failure(tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match=r"No module named pip\. Try again"):
        says("No module named pip")(["one"], HERE, tmp_path / "to")
    with pytest.raises(SandboxError, match="could not be started: No such file"):
        PipFetch(command=("/nonesuch/pip",))(["one"], HERE, tmp_path / "to2")


def test_a_hash_of_another_wheel_is_the_bots_fault(shelf: Path, tmp_path: Path) -> None:
    new_wheel(shelf, "one")
    with pytest.raises(BotRejected, match="not that of the wheel in the package index"):
        index(shelf)([f"one==1.0 --hash=sha256:{'0' * 64}"], HERE, tmp_path / "to")
