"""A folder sent to another machine comes out as it was, or not at all."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content, TooLarge, pack, unpack


@pytest.fixture
def content(tmp_path: Path) -> Content:
    """A folder with everything that a folder can hold."""
    folder = tmp_path / "bot"
    (folder / "data" / "empty").mkdir(parents=True)
    (folder / "bot.py").write_text("print()")
    (folder / "data" / ("long" * 40)).write_bytes(os.urandom(1000))
    (folder / "data" / "猪").write_bytes(b"")
    (folder / "run").write_text("#!/bin/sh")
    (folder / "run").chmod(0o755)
    (folder / "main.py").symlink_to("bot.py")
    return Content.read(folder)


def identity(content: Content) -> str:
    return f"sha256:{content.hash}"


def test_a_folder_comes_out_as_it_went_in(content: Content) -> None:
    assert unpack(pack(content), identity(content)) == content


def test_what_is_another_folder_is_not_taken(content: Content) -> None:
    with pytest.raises(SandboxError, match="another one: sha256:"):
        unpack(pack(content.with_files({"bot.py": b"print('I am another')"})), identity(content))


def archive(*infos: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for info in infos:
            tar.addfile(info)
    return gzip.compress(packed.getvalue())


def pipe() -> tarfile.TarInfo:
    info = tarfile.TarInfo("pipe")
    info.type = tarfile.FIFOTYPE
    return info


@pytest.mark.parametrize(
    ("garbage", "why"),
    [
        (b"", "it is cut off"),
        (b"garbage", "incorrect header check"),
        (gzip.compress(b"garbage"), "truncated header|cut off|invalid|damaged"),
        (archive(pipe()), "neither a file"),
        (archive(tarfile.TarInfo("../../etc/passwd")), "came as another one"),
        (gzip.compress(b"x") + b"more", "has data after its end"),
    ],
    ids=["nothing", "no gzip", "no tar", "pipe", "outside", "more"],
)
def test_garbage_is_refused(content: Content, garbage: bytes, why: str) -> None:
    with pytest.raises(SandboxError, match=why):
        unpack(garbage, identity(content))


def test_a_bomb_is_refused_before_it_fills_the_memory(content: Content) -> None:
    with pytest.raises(SandboxError, match="too large"):
        unpack(gzip.compress(bytes(1_000_000)), identity(content), max_bytes=100_000)


def test_a_folder_that_is_too_large_is_not_sent(content: Content) -> None:
    with pytest.raises(TooLarge, match=" 1,000 "):
        pack(content, max_bytes=1000)
