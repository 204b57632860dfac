"""Strangers' wheels are unpacked without running anything of them, and bad ones are refused."""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.errors import BotRejected
from ladder.sandbox.wheels import unpack
from ladder.sandbox.wheels.archive import open_wheel
from tests.ladder.sandbox.wheels.made import LINK, PROGRAM, new_wheel

Make = Callable[[Path], Path]


def rewritten(path: Path, change: Callable[[zipfile.ZipInfo], None]) -> Path:
    """Change what the archive says of its files, and nothing else."""
    with zipfile.ZipFile(path) as old:
        entries = [(info, old.read(info)) for info in old.infolist()]
    with zipfile.ZipFile(path, "w") as new:
        for info, content in entries:
            change(info)
            new.writestr(info, content)
    return path


def damaged(folder: Path) -> Path:
    """One bit of the module's bytes is another one."""
    path = new_wheel(folder, "evil", files={"evil.py": b"x = 1\n"})
    content = bytearray(path.read_bytes())
    at = content.index(b"evil.py") + len(b"evil.py")
    content[at] ^= 0x10
    path.write_bytes(content)
    return path


def with_zip64(folder: Path) -> Path:
    """Its end names another list of files than the one that its last bytes speak of."""
    path = new_wheel(folder, "evil")
    content = path.read_bytes()
    path.write_bytes(content[:-22] + b"PK\x06\x07" + bytes(16) + content[-22:])
    return path


def twice(folder: Path) -> Path:
    path = new_wheel(folder, "evil")
    with zipfile.ZipFile(path, "a") as wheel, pytest.warns(UserWarning, match="Duplicate name"):
        wheel.writestr("evil.py", b"other")
    return path


BAD: dict[str, tuple[Make, str]] = {
    "a name above the folder": (lambda to: new_wheel(to, "evil", files={"../x": b""}), "no name of a file inside"),
    "a name deep above": (lambda to: new_wheel(to, "evil", files={"a/../../x": b""}), "no name of a file inside"),
    "an absolute name": (lambda to: new_wheel(to, "evil", files={"/etc/x": b""}), "no name of a file inside"),
    "a name with backslashes": (lambda to: new_wheel(to, "evil", files={"..\\x": b""}), "no name of a file inside"),
    "a name with a control character": (lambda to: new_wheel(to, "evil", files={"\x1b[31m": b""}), "no name of a file"),
    "a name that is too deep": (lambda to: new_wheel(to, "evil", files={"a/" * 30 + "x": b""}), "too deep or too long"),
    "a name that is too long": (lambda to: new_wheel(to, "evil", files={"x" * 250: b""}), "too deep or too long"),
    "a link": (lambda to: new_wheel(to, "evil", files={"x": b"/etc"}, attributes={"x": LINK}), "a link or a device"),
    "a device": (
        lambda to: new_wheel(to, "evil", files={"x": b""}, attributes={"x": (stat.S_IFCHR | 0o644) << 16}),
        "a link or a device",
    ),
    "a FIFO": (
        lambda to: new_wheel(to, "evil", files={"x": b""}, attributes={"x": (stat.S_IFIFO | 0o644) << 16}),
        "a link or a device",
    ),
    "a module that runs at the start": (
        lambda to: new_wheel(to, "evil", files={"sitecustomize.py": b""}),
        "run in every program by itself",
    ),
    "a package that runs at the start": (
        lambda to: new_wheel(to, "evil", files={"usercustomize/__init__.py": b""}),
        "run in every program by itself",
    ),
    "a library that runs at the start": (
        lambda to: new_wheel(to, "evil", files={"evil-1.0.data/platlib/sitecustomize.cpython-311.so": b""}),
        "run in every program by itself",
    ),
    "a file that RECORD does not name": (
        lambda to: new_wheel(to, "evil", unrecorded={"more.py": b""}),
        "do not name the same files: 'more.py'",
    ),
    "a file with another hash": (
        lambda to: new_wheel(to, "evil", files={"evil.py": b"x"}, record={"evil.py": f"sha256={'A' * 43}"}),
        "hash is not the one in its RECORD",
    ),
    "a file with a weak hash": (
        lambda to: new_wheel(to, "evil", files={"evil.py": b"x"}, record={"evil.py": "md5=AAAA"}),
        "no good hash",
    ),
    "a file without a hash": (
        lambda to: new_wheel(to, "evil", files={"evil.py": b"x"}, record={"evil.py": ""}),
        "no good hash",
    ),
    "a bomb": (lambda to: new_wheel(to, "evil", files={"x": bytes(8 << 20)}), "more than 200 times its size"),
    "a file twice": (twice, "twice"),
    "damaged bytes": (damaged, "is damaged"),
    "no archive": (lambda to: _plain(to, b"#!/bin/sh\n"), "is damaged: it is no zip archive"),
    "an empty file": (lambda to: _plain(to, b""), "is damaged"),
    "a second list of files": (with_zip64, "too many files"),
    "two packages in one": (
        lambda to: new_wheel(to, "evil", files={"other-1.0.dist-info/METADATA": b""}),
        "2 folders .dist-info",
    ),
    "a file packed in another way": (
        lambda to: rewritten(new_wheel(to, "evil"), lambda info: setattr(info, "compress_type", zipfile.ZIP_BZIP2)),
        "packed in a way",
    ),
}


def _plain(folder: Path, content: bytes) -> Path:
    path = folder / "evil-1.0-py3-none-any.whl"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_wheel_is_refused(kind: str, tmp_path: Path) -> None:
    make, why = BAD[kind]
    (tmp_path / "in").mkdir()
    with pytest.raises(BotRejected, match=r"evil 1\.0") as refusal:
        unpack.unpack([(make(tmp_path / "in"), "evil 1.0")], tmp_path / "in" / "out")
    assert why in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_a_wheel_with_too_long_a_list_of_files_is_refused_before_the_list_is_read(tmp_path: Path) -> None:
    wheel = new_wheel(tmp_path, "evil", files={f"{number}.py": b"" for number in range(50)})
    with open_wheel(wheel, "evil 1.0") as opened:
        assert len(opened.files) > 50
    with (
        pytest.raises(BotRejected, match=r"evil 1\.0 holds too many files"),
        open_wheel(wheel, "evil 1.0", directory_bytes=2000),
    ):
        pass


def files(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_belongs_among_the_modules_is_unpacked_and_nothing_else(tmp_path: Path) -> None:
    wheel = new_wheel(
        tmp_path,
        "good",
        files={
            "good/__init__.py": b"1",
            "good/tool": b"2",
            "good.pth": b"import os; os.abort()",
            "good-1.0.data/purelib/pure.py": b"3",
            "good-1.0.data/platlib/plat.so": b"4",
            "good-1.0.data/platlib/more.pth": b"import os; os.abort()",
            "good-1.0.data/scripts/tool": b"5",
            "good-1.0.data/data/etc/conf": b"6",
            "good-1.0.data/headers/good.h": b"7",
        },
        attributes={"good/tool": PROGRAM},
    )
    unpack.unpack([(wheel, "good 1.0")], tmp_path / "out")
    found = files(tmp_path / "out")
    modules = {name: held for name, held in found.items() if ".dist-info/" not in name}
    assert modules == {
        "good/__init__.py": (b"1", 0o644),
        "good/tool": (b"2", 0o755),
        "pure.py": (b"3", 0o644),
        "plat.so": (b"4", 0o644),
    }
    assert {"good-1.0.dist-info/METADATA", "good-1.0.dist-info/WHEEL"} == set(found) - set(modules)


def test_two_wheels_may_hold_the_same_file_but_not_two_different_ones(tmp_path: Path) -> None:
    first = new_wheel(tmp_path, "one", files={"shared/__init__.py": b""})
    same = new_wheel(tmp_path, "two", files={"shared/__init__.py": b"", "shared/two.py": b""})
    other = new_wheel(tmp_path, "three", files={"shared/__init__.py": b"other"})
    unpack.unpack([(first, "one 1.0"), (same, "two 1.0")], tmp_path / "out")
    assert (tmp_path / "out/shared/two.py").is_file()
    with pytest.raises(BotRejected, match=r"three 1.0 and that of one 1.0 both hold 'shared/__init__.py'"):
        unpack.unpack([(first, "one 1.0"), (other, "three 1.0")], tmp_path / "out2")


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a")])
def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path, names: tuple[str, str]) -> None:
    wheels = [(new_wheel(tmp_path, f"w{i}", files={name: b""}), f"w{i} 1.0") for i, name in enumerate(names)]
    with pytest.raises(BotRejected, match="file in the place of a folder"):
        unpack.unpack(wheels, tmp_path / "out")


def test_bytes_and_files_of_all_wheels_together_are_bounded(tmp_path: Path) -> None:
    wheels = [new_wheel(tmp_path, name, files={f"{name}.py": bytes(600)}) for name in ("one", "two")]
    few = unpack.Unpacking(tmp_path / "few", most_files=5)
    small = unpack.Unpacking(tmp_path / "small", most_bytes=1000)
    for unpacking, why in (
        (few, "more than 5 files"),
        (small, r"at least 1,\d+ bytes, unpacked; the limit is 1,000 bytes \(the largest: one 1\.0 with"),
    ):
        unpacking.add(wheels[0], "one 1.0")
        with pytest.raises(BotRejected, match=why):
            unpacking.add(wheels[1], "two 1.0")


def test_a_wheel_that_lies_about_its_sizes_is_held_to_what_comes_out(tmp_path: Path) -> None:
    path = new_wheel(tmp_path, "liar", files={"liar.py": bytes(100_000)})
    content = path.read_bytes()
    lie = content.replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lie != content
    path.write_bytes(lie)
    with pytest.raises(BotRejected, match=r"liar 1\.0"):
        unpack.unpack([(path, "liar 1.0")], tmp_path / "out")


def test_the_order_of_files_in_an_archive_does_not_count(tmp_path: Path) -> None:
    there = {"b.py": b"b", "a.py": b"a", "c/d.py": b"d"}
    (tmp_path / "x").mkdir()
    first = new_wheel(tmp_path, "good", files=there)
    second = new_wheel(tmp_path / "x", "good", files=dict(reversed(there.items())))
    for number, path in enumerate((first, second)):
        unpack.unpack([(path, "good 1.0")], tmp_path / f"out{number}")
    one, two = (files(tmp_path / f"out{number}") for number in range(2))
    assert {name: held for name, held in one.items() if "RECORD" not in name} == {
        name: held for name, held in two.items() if "RECORD" not in name
    }


def test_an_archive_opened_by_two_readers_is_the_same_to_both(tmp_path: Path) -> None:
    """What zipfile reads is what was looked at: bytes after the end record hide no other archive."""
    path = new_wheel(tmp_path, "evil")
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as hidden:
        hidden.writestr("../x", b"")
    path.write_bytes(path.read_bytes() + inner.getvalue())
    with pytest.raises(BotRejected, match=r"evil 1\.0"):
        unpack.unpack([(path, "evil 1.0")], tmp_path / "out")
