"""Archives that strangers send: what is refused leaves nothing behind, and what is honest comes out as it went in."""

from __future__ import annotations

import functools
import gzip
import io
import os
import struct
import subprocess
import tarfile
import tempfile
import tracemalloc
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.errors import BotRejected
from ladder.sandbox.bots.bot_archive import HEADERS_EACH, LONG_HEADER, MAX_RATIO, REFUSED, ArchiveLimits, unpack
from ladder.sandbox.bots.content import Content, content_hash
from ladder.sandbox.bots.members import MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MIB = 1024 * 1024
MAX_MEMORY = 48 * MIB
"""More than any archive may take while it is unpacked, whatever it claims to hold."""
SMALL = ArchiveLimits(bytes=10_000, members=20, levels=4)
Member = tuple[tarfile.TarInfo, bytes]


def file(name: str, content: bytes = b"pass\n", **fields: object) -> Member:
    return member(name, tarfile.REGTYPE, content, **fields)


def folder(name: str) -> Member:
    return member(name, tarfile.DIRTYPE)


def member(name: str, kind: bytes, content: bytes = b"", **fields: object) -> Member:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.mode = kind, len(content), 0o644
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> Member:
    return member(name, kind, linkname=target)


def tar(members: Iterable[Member], form: int = tarfile.PAX_FORMAT, errors: str = "strict") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form, errors=errors) as archive:
        for info, content in members:
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def packed(*members: Member, form: int = tarfile.PAX_FORMAT, errors: str = "strict") -> bytes:
    return gzip.compress(tar(members, form, errors))


def block(name: bytes, kind: bytes = b"0", size: int | bytes = 0, link: bytes = b"") -> bytes:
    """A header as no program writes it; a size in bytes is written as it is."""
    size_field = size if isinstance(size, bytes) else b"%011o\0" % size
    fields = [name.ljust(100, b"\0"), b"0000644\0", b"0000000\0" * 2, size_field, b"00000000000\0", b" " * 8, kind,
              link.ljust(100, b"\0"), b"ustar\x0000"]  # fmt: skip
    raw = b"".join(fields)
    return (raw[:148] + b"%06o\0 " % sum(raw) + raw[156:]).ljust(512, b"\0")


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 512)


def raw(*parts: bytes) -> bytes:
    """Headers and contents, packed, with the end that an archive has."""
    return gzip.compress(b"".join(map(padded, parts)) + bytes(1024))


def pax(keyword: str, value: str) -> bytes:
    rest = f" {keyword}={value}\n".encode()
    length = len(rest)
    while length != len(rest) + len(str(length)):
        length = len(rest) + len(str(length))
    return str(length).encode() + rest


def unpacked(archive: bytes, to: Path, limits: ArchiveLimits | None = None) -> Path:
    unpack(io.BytesIO(archive), to / "bot", limits)
    return to / "bot"


def refused(archive: bytes, to: Path, limits: ArchiveLimits | None = None) -> str:
    """Give the error for an archive that is refused and leaves no file anywhere."""
    with pytest.raises(BotRejected) as caught:
        unpacked(archive, to, limits)
    assert list(to.iterdir()) == []
    sentence = str(caught.value)
    assert sentence.startswith(REFUSED.partition("{")[0])
    assert sentence.endswith(".")
    assert sentence.isprintable()
    return sentence


LEADS_OUT = ["../bot.py", "a/../../bot.py", "/etc/passwd", "//bot.py", "a/..", "a\\..\\b", "C:\\bot.py", "\\bot"]
UNPRINTABLE = ["bot\n.py", "bot\x1b[2J", "bot\u202eyp.exe", "bot\u2066.py", "\ufeffbot.py", "\x7f", "bot\u200b.py"]
SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.name": "bot.py", "GNU.sparse.realsize": "9000000000"}

ATTACKS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "ends in the middle"),
    "not gzip": (b"PK\x03\x04 this is a zip file", "not packed with gzip"),
    "tar, but not gzip": (tar([file("bot.py")]), "not packed with gzip"),
    "zlib, but not gzip": (zlib.compress(tar([file("bot.py")])), "not packed with gzip"),
    "gzip, but not tar": (gzip.compress(b"print('hello')\n" * 100), "not a tar archive"),
    "gzip of nothing": (gzip.compress(b""), "ends in the middle"),
    "no members": (packed(), "is empty"),
    "only the folder itself": (packed(folder("."), folder("./")), "is empty"),
    "a wrong checksum": (gzip.compress(tar([file("bot.py")]))[:-8] + bytes(8), "is damaged"),
    "garbage after it": (packed(file("bot.py")) + b"garbage", "has data after its end"),
    "another archive after it": (packed(file("bot.py")) * 2, "has data after its end"),
    "garbage after its end": (gzip.compress(tar([file("bot.py")]) + b"garbage"), "has data after its end"),
    "a symbolic link": (packed(link("bot.py", "/etc/passwd")), "a link, 'bot.py'"),
    "a symbolic link within": (packed(file("a"), link("b", "a")), "a link, 'b'"),
    "a hard link": (packed(file("a"), link("b", "a", tarfile.LNKTYPE)), "a link, 'b'"),
    "a hard link to a path": (packed(link("b", "/etc/shadow", tarfile.LNKTYPE)), "a link, 'b'"),
    "a link in the way": (packed(link("a", "/tmp"), file("a/b")), "a link, 'a'"),
    "a folder, then a link in its place": (packed(folder("a"), link("a", "/tmp"), file("a/b")), "a link, 'a'"),
    "a character device": (packed(member("null", tarfile.CHRTYPE, devmajor=1, devminor=3)), "a device"),
    "a block device": (packed(member("sda", tarfile.BLKTYPE, devmajor=8)), "a device"),
    "a pipe": (packed(member("pipe", tarfile.FIFOTYPE)), "a pipe"),
    "a sparse file of GNU's": (raw(block(b"bot.py", b"S", 512), bytes(512)), "neither a file nor a folder"),
    "a volume's name": (raw(block(b"bot.py", b"V")), "neither a file nor a folder"),
    "a continued file": (raw(block(b"bot.py", b"M", 10), bytes(10)), "neither a file nor a folder"),
    "a long link of GNU's": (raw(block(b"././@LongLink", b"K", 9), b"/etc/motd"), "neither a file nor a folder"),
    "an unknown type": (raw(block(b"bot.py", b"?")), "neither a file nor a folder"),
    "a name that is not UTF-8": (raw(block(b"caf\xe9.py")), "not UTF-8"),
    "a long name that is not UTF-8": (raw(block(b"././@LongLink", b"L", 4), b"\xff\xfe.p", block(b"a")), "no sense"),
    "NUL in a long name": (raw(block(b"././@LongLink", b"L", 4), b"a\0.p", block(b"a")), "leads out"),
    "NUL in a pax name": (raw(block(b"x", b"x", 12), b"12 path=a\0b\n", block(b"a")), "leads out"),
    "a long name that leads out": (raw(block(b"././@LongLink", b"L", 7), b"../../a", block(b"a")), "leads out"),
    "a pax name that leads out": (raw(block(b"x", b"x", 13), b"13 path=../a\n", block(b"a")), "leads out"),
    "a file without a name": (raw(block(b"./", b"0", 3), b"abc"), "a file without a name"),
    "two files of one name": (packed(file("bot.py"), file("bot.py")), "two things of one name, 'bot.py'"),
    "two spellings of one name": (packed(file("a/bot.py"), file("./a//bot.py")), "two things of one name"),
    "a file, then a folder": (packed(file("a"), folder("a")), "two things of one name, 'a'"),
    "a folder, then a file": (packed(folder("a"), file("a")), "two things of one name, 'a'"),
    "a file, then one below it": (packed(file("a"), file("a/b")), "two things of one name, 'a'"),
    "a file where a folder was needed": (packed(file("a/b"), file("a")), "two things of one name, 'a'"),
    "a folder with bytes": (raw(block(b"a/", b"5", 512), bytes(512)), "no sense"),
    "another size by pax": (raw(block(b"x", b"x", 10), b"10 size=9\n", block(b"bot.py")), "no sense"),
    "another link by pax": (raw(block(b"x", b"x", 14), b"14 linkpath=a\n", block(b"bot.py")), "no sense"),
    "sparse by pax": (packed(file("bot.py", pax_headers=SPARSE)), "no sense"),
    "pax of no length": (raw(block(b"x", b"x", 9), b"path=a\n\n\n", block(b"a")), "no sense"),
    "pax of length 0": (raw(block(b"x", b"x", 9), b"0 path=a\n", block(b"a")), "no sense"),
    "pax of length -9": (raw(block(b"x", b"x", 10), b"-9 path=a\n", block(b"a")), "no sense"),
    "pax that is longer than it is": (raw(block(b"x", b"x", 9), b"99 path=a\n", block(b"a")), "no sense"),
    "pax without a value": (raw(block(b"x", b"x", 5), b"5 ab\n", block(b"a")), "no sense"),
    "a pax header of 1 GB": (raw(block(b"x", b"x", 1 << 30)), "a header that is too long"),
    "a long name of 1 GB": (raw(block(b"././@LongLink", b"L", 1 << 30)), "a header that is too long"),
    "a global pax header of 1 GB": (raw(block(b"x", b"g", 1 << 30)), "a header that is too long"),
    "a pax header of -5 bytes": (raw(block(b"x", b"x", b"\xff" * 11 + b"\xfb")), "a header that is too long"),
    "a file of 8 GB, says its header": (raw(block(b"bot.py", b"0", (8 << 30) - 1)), "holds more than"),
    "a file of 2**80 bytes": (raw(block(b"bot.py", b"0", b"\x80" + b"\xff" * 11)), "holds more than"),
    "a file of -1 byte": (raw(block(b"bot.py", b"0", b"\xff" * 12)), "no sense"),
    "a size that is no number": (raw(block(b"bot.py", b"0", b"many bytes..")), "not a tar archive"),
    "folders within each other": (packed(file("/".join("a" * 70) + "/bot.py")), "more than 64 folders"),
    "folders within each other, one by one": (packed(*(folder("/".join("a" * n)) for n in range(1, 70))), "64 folders"),
}  # fmt: skip
ATTACKS |= {f"the name {name!r}": (packed(file(name)), "leads out") for name in LEADS_OUT + UNPRINTABLE}
ATTACKS |= {f"a folder {name!r}": (packed(folder(name)), "leads out") for name in LEADS_OUT}
ATTACKS |= {
    f"the name {name!r} by GNU": (packed(file(name + "x" * 120), form=tarfile.GNU_FORMAT), "leads out")
    for name in ("../", "/", "a\\")
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_not_right_is_refused_with_one_sentence_and_leaves_nothing(attack: str, tmp_path: Path) -> None:
    archive, words = ATTACKS[attack]
    assert words in refused(archive, tmp_path)


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_an_archive_that_is_cut_off_anywhere_is_refused(form: int, tmp_path: Path) -> None:
    whole = packed(file("a/bot.py", os.urandom(3000)), folder("b"), file("c" * 90, os.urandom(700)), form=form)
    assert unpacked(whole, tmp_path)
    (other := tmp_path / "other").mkdir()
    for end in (*range(0, len(whole), 100), *range(len(whole) - 40, len(whole))):
        assert "ends in the middle" in refused(whole[:end], other), end


def test_a_bit_that_has_flipped_is_noticed(tmp_path: Path) -> None:
    whole = packed(file("bot.py", os.urandom(2000)))
    for at in range(0, len(whole), 50):
        if at in range(3, 10):  # the time, and other things that gzip does not look at
            continue
        refused(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], tmp_path)


@functools.cache
def zeros(size: int) -> bytes:
    return gzip.compress(block(b"zeros", b"0", size) + bytes(size) + bytes(1024), 9)


def twice(content: bytes) -> bytes:
    """An archive in which there is another one: what is unpacked once is a file like any other."""
    return packed(file("inner.tar.gz", content))


def test_an_archive_within_an_archive_is_a_file_like_any_other(tmp_path: Path) -> None:
    inner = twice(zeros(10 * MIB))
    assert Content.read(unpacked(inner, tmp_path)).size < MIB


MEMBERS = 500
TOO_MANY = f"more than {MEMBERS:,} files and folders"
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "10 MB of zeros": (lambda: zeros(10 * MIB), f"more than {MAX_RATIO} times its size"),
    "100 MB of zeros": (lambda: zeros(100 * MIB), f"more than {MAX_RATIO} times its size"),
    "zeros after the end": (
        lambda: gzip.compress(tar([file("bot.py")]) + bytes(50 * MIB), 9),
        f"more than {MAX_RATIO} times its size",
    ),
    "100,000 files": (lambda: many(lambda n: block(b"%d" % n)), TOO_MANY),
    "100,000 empty folders": (lambda: many(lambda n: block(b"%d/" % n, b"5")), TOO_MANY),
    "100,000 folders that files bring along": (
        lambda: many(lambda n: block(b"%d/a" % n)),
        TOO_MANY,
    ),
    "one folder 100,000 times": (lambda: many(lambda n: block(b"a/", b"5")), TOO_MANY),
    "the folder itself 100,000 times": (lambda: many(lambda n: block(b"./", b"5")), TOO_MANY),
    "100,000 pax headers": (
        lambda: many(lambda n: block(b"x", b"x", 25) + padded(pax("comment", f"{n:013}"))),
        TOO_MANY,
    ),
    "pax headers of 16 KB, 3,000 of them": (
        lambda: many(lambda n: block(b"x", b"x", LONG_HEADER) + b"512 a=%0505d\n" % n * 32, 3000, 300),
        "a header that is too long",
    ),
}


def many(one: Callable[[int], bytes], times: int = 100_000, different: int = 10_000) -> bytes:
    """
    Make *times* members, packed so badly that the limit of the ratio does not apply.

    After the *different* ones, more than any limit lets be read, come the same ones again, as they were packed first.
    """
    blocks, end, checksum = b"".join(one(number) for number in range(different)), bytes(1024), 0
    packer = zlib.compressobj(1, wbits=-zlib.MAX_WBITS)
    first = packer.compress(blocks) + packer.flush(zlib.Z_FULL_FLUSH)
    last = packer.compress(end) + packer.flush()
    for part in (*[blocks] * (times // different), end):
        checksum = zlib.crc32(part, checksum)
    size = len(blocks) * (times // different) + len(end)
    return gzip.compress(b"")[:10] + first * (times // different) + last + struct.pack("<LL", checksum, size)


@pytest.mark.parametrize(
    "bomb", [pytest.param(bomb, marks=pytest.mark.long if bomb == "100 MB of zeros" else []) for bomb in BOMBS]
)
def test_a_bomb_is_refused_while_it_is_read_in_little_memory(bomb: str, tmp_path: Path) -> None:
    make, words = BOMBS[bomb]
    archive = make()
    # What keeps most bombs out is the ratio; the other limits must hold alone.
    limits = ArchiveLimits() if "its size" in words else ArchiveLimits(members=MEMBERS, ratio=10**9)
    tracemalloc.start()
    try:
        assert words in refused(archive, tmp_path, limits)
        assert tracemalloc.get_traced_memory()[1] < MAX_MEMORY
    finally:
        tracemalloc.stop()


def test_of_a_bomb_the_beginning_is_read_alone(tmp_path: Path) -> None:
    archive = io.BytesIO(zeros(100 * MIB))
    with pytest.raises(BotRejected, match=f"{MAX_RATIO} times"):
        unpack(archive, tmp_path / "bot")
    assert archive.tell() < MIB


@pytest.mark.long
def test_of_more_files_than_the_ladder_takes_nothing_is_left(tmp_path: Path) -> None:
    archive = many(lambda n: block(b"%d" % n), 20_100, 20_100)
    assert "20,000 files and folders" in refused(archive, tmp_path, ArchiveLimits(ratio=10**9))


LIMITED: dict[str, tuple[int, Callable[[int], list[Member]]]] = {
    "bytes of one file": (SMALL.bytes, lambda n: [file("a", bytes(n))]),
    "bytes of two files": (SMALL.bytes, lambda n: [file("a", bytes(6_000)), file("b", bytes(n - 6_000))]),
    "files": (SMALL.members, lambda n: [file(str(number), b"") for number in range(n)]),
    "files and the folder that they bring along": (
        SMALL.members,
        lambda n: [file(f"a/{number}", b"") for number in range(n - 1)],
    ),
    "headers": (SMALL.members * HEADERS_EACH, lambda n: [folder("a")] * n),
    "levels of a file": (SMALL.levels, lambda n: [file("/".join("a" * n))]),
    "levels of a folder": (SMALL.levels, lambda n: [folder("/".join("a" * n))]),
    "bytes of a name": (255, lambda n: [file("b" * n)]),
    "bytes of a folder's name": (255, lambda n: [file("b" * n + "/bot.py")]),
    "bytes of a Chinese name": (255, lambda n: [file("猪" * 80 + "b" * (n - 240))]),
    "bytes of a path": (MAX_NAME, lambda n: [file("/".join(["b" * 249] * 3) + "/" + "b" * (n - 750))]),
}
"""Limits, and members with a number of what is limited."""


@pytest.mark.parametrize("what", LIMITED)
def test_one_more_than_a_limit_is_refused_and_the_limit_is_taken(what: str, tmp_path: Path) -> None:
    limit, members = LIMITED[what]
    for number in (limit - 1, limit):
        (to := tmp_path / str(number)).mkdir()
        assert Content.read(unpacked(packed(*members(number)), to, SMALL)).members
    (over := tmp_path / "over").mkdir()
    named = SMALL.members if what == "headers" else limit
    assert f"more than {named} " in refused(packed(*members(limit + 1)), over, SMALL).replace(",", "")


def test_a_stranger_s_name_comes_back_harmless_and_short(tmp_path: Path) -> None:
    sentence = refused(packed(link("\x1b[31m" + "a" * 900, "/")), tmp_path)
    assert "\x1b" not in sentence
    assert len(sentence) < 300


def test_no_folder_that_is_there_is_touched(tmp_path: Path) -> None:
    there = unpacked(packed(file("bot.py", b"first")), tmp_path)
    with pytest.raises(FileExistsError):
        unpacked(packed(file("bot.py", b"second")), tmp_path)
    assert (there / "bot.py").read_bytes() == b"first"


NAMES = (
    "bot.py",
    "a" * 255,
    "/".join(["long" * 20] * 9) + "/x",
    "猪/拱猪 规则.txt",
    "café.py",
    "with space",
    ".hidden",
    "-rf",
)


def write_tree(root: Path) -> Path:
    """A bot's folder with odd but honest names; one file can be run."""
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "run").write_bytes(os.urandom(200_000))
    (root / "run").chmod(0o755)
    (root / "empty").mkdir()
    return root


def is_executable(path: Path) -> bool:
    return os.access(path, os.X_OK)


@pytest.mark.parametrize("form", ["gnu", "pax", "oldgnu", "posix"])
def test_a_folder_packed_by_tar_comes_out_as_it_was(form: str, tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "tree")
    archive = tmp_path / "tree.tgz"
    subprocess.run(["tar", "czf", archive, f"--format={form}", "-C", tree, "."], check=True)
    bot = unpacked(archive.read_bytes(), tmp_path)
    assert content_hash(bot) == content_hash(tree)
    assert (is_executable(bot / "run"), is_executable(bot / "bot.py")) == (True, False)


def test_what_python_packs_by_default_comes_out_as_it_was(tmp_path: Path) -> None:
    tree = write_tree(tmp_path / "tree")
    with tarfile.open(tmp_path / "tree.tgz", "w:gz") as archive:
        archive.add(tree, ".")
    assert content_hash(unpacked((tmp_path / "tree.tgz").read_bytes(), tmp_path)) == content_hash(tree)


def test_what_git_packs_with_its_global_header_is_taken(tmp_path: Path) -> None:
    archive = gzip.compress(
        padded(block(b"pax_global_header", b"g", 52) + pax("comment", "0" * 40)[:52].ljust(52, b"\n"))
        + tar([file("bot.py", b"good")])
    )
    assert (unpacked(archive, tmp_path) / "bot.py").read_bytes() == b"good"


def test_nobody_else_reads_what_was_unpacked_whatever_modes_it_has(tmp_path: Path) -> None:
    bot = unpacked(packed(file("bot.py", mode=0o6777), file("data", mode=0o000), folder("a")), tmp_path)
    assert [path.stat().st_mode & 0o7777 for path in (bot, bot / "bot.py", bot / "data", bot / "a")] == [
        0o700, 0o700, 0o600, 0o700
    ]  # fmt: skip


parts = st.text(st.sampled_from("ab猪é .-"), min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
paths = st.lists(parts, min_size=1, max_size=4).map("/".join)
trees = st.dictionaries(paths, st.tuples(st.binary(max_size=2000), st.booleans()), min_size=1, max_size=12)


@given(trees, st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]))
@settings(max_examples=30, deadline=None)
def test_any_tree_comes_out_with_the_hash_with_which_it_went_in(tree: dict[str, tuple[bytes, bool]], form: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "tree"
        for path, (inside, can_run) in tree.items():
            if not any((root / above).is_file() for above in (path, *map(str, Path(path).parents))):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                if not (root / path).exists():
                    (root / path).write_bytes(inside)
                    (root / path).chmod(0o755 if can_run else 0o644)
        content = Content.read(root)
        assert content_hash(unpacked(gzip.compress(content.archive().read()), Path(name))) == content.hash
        with tarfile.open(Path(name) / "tree.tgz", "w:gz", format=form) as archive:
            archive.add(root, ".")
        (Path(name) / "bot").rename(Path(name) / "first")
        assert content_hash(unpacked((Path(name) / "tree.tgz").read_bytes(), Path(name))) == content.hash
