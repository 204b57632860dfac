"""Manifests that the ladder takes or refuses, and layers counted as an engine would unpack them."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

import ladder.registry.manifests as archive
from ladder.errors import BotRejected
from ladder.registry.manifests import (
    CONFIGS,
    DOCKER,
    LISTS,
    OCI,
    PACKED,
    PLAIN,
    Blob,
    ImageTotal,
    Manifest,
    PlainStream,
    read_layer,
    read_manifest,
)
from ladder.values.names import MAX_FILES
from tests.ladder.registry.pushed import SPARSE, member

ROOM = 10_000_000
END = bytes(1024)
DATA = b"x" * 512


def read(content: bytes) -> ImageTotal:
    """Read a layer; gives what it unpacks to."""
    total = ImageTotal("ada/trotter:1", ROOM)
    read_layer(PlainStream(io.BytesIO(content), total))
    return total


def with_size(field: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    """A member whose header has *field* for its size, and the right checksum."""
    return changed(member(kind=kind), 124, field.ljust(12, b"\0"))


def changed(header: bytes, at: int, field: bytes) -> bytes:
    """A header with other bytes somewhere, and the right checksum."""
    block = bytearray(header)
    block[at : at + len(field)] = field
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def extended(body: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    """A header that says more of the next member."""
    return member(kind=kind, size=len(body)) + body.ljust(-(-len(body) // 512) * 512, b"\0")


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_all_that_images_hold_is_counted(form: int) -> None:
    packed = io.BytesIO()
    long = "long/" * 20 + "n" * (80 if form == tarfile.USTAR_FORMAT else 200)
    kinds = (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE)
    with tarfile.open(fileobj=packed, mode="w", format=form) as tar:
        for kind in kinds:
            info = tarfile.TarInfo(long)
            info.type, info.linkname = kind, "target" * (10 if form == tarfile.USTAR_FORMAT else 50)
            tar.addfile(info)
        info = tarfile.TarInfo(long)
        info.size = 1_500_001
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    content = packed.getvalue()
    found = read(content)
    assert (found.files, found.bytes) == (len(kinds) + 1, len(content))


@pytest.mark.parametrize("end", [b"", bytes(512), END, END + SPARSE])
def test_an_archive_ends_where_an_engine_ends_it(end: bytes) -> None:
    content = member(size=512) + DATA + end
    found = read(content)
    assert (found.files, found.bytes) == (1, len(content))


def test_a_value_of_pax_may_be_binary_and_a_size_long() -> None:
    records = b"37 SCHILY.xattr.security.x=\xff\n\0=\xfe end\n" + b"12 size=512\n"
    assert read(extended(records) + member() + DATA + END).files == 1
    assert read(with_size(b"\x80" + (512).to_bytes(11)) + DATA + END).files == 1


SPARSE_LAYERS = {
    "of pax 1.0": SPARSE,
    "of pax 0.1": member(pax={"GNU.sparse.map": "0,0", "GNU.sparse.size": "9"}),
    "of pax, unknown": member(pax={"GNU.sparse.other": "1"}),
    "of pax, global": extended(b"22 GNU.sparse.major=1\n", tarfile.XGLTYPE) + member(),
    "of GNU": member(kind=tarfile.GNUTYPE_SPARSE),
}


@pytest.mark.parametrize("name", SPARSE_LAYERS)
def test_a_sparse_file_is_refused(name: str) -> None:
    with pytest.raises(BotRejected, match=r"^A layer of ada/trotter:1 .* sparse"):
        read(member() + SPARSE_LAYERS[name] + END)


@pytest.mark.parametrize("header", [member(size=1 << 40), with_size(b"\x80" + (1 << 40).to_bytes(11))])
def test_a_size_counts_before_its_bytes_are_there(header: bytes) -> None:
    with pytest.raises(BotRejected, match="has more than 10,000,000 bytes"):
        read(header)


def test_global_headers_count_as_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_LAYER_FILES", 9)
    assert read(member(kind=tarfile.XGLTYPE) * 9 + END).files == 9
    with pytest.raises(BotRejected, match="has more than 9 files"):
        read(member(kind=tarfile.XGLTYPE) * 10 + END)


HIDDEN = member(size=512) + DATA
"""Bytes that Go would read otherwise: as data of the member before, or as one more member."""
ODD_LAYERS = {
    "no tar": b"this is no tar" * 100,
    "a short header": member()[:300],
    "a wrong checksum": member().replace(b"x", b"y", 1) + END,
    "zeros before a size": with_size(b"\0" + b"00000001000") + HIDDEN + END,
    "text behind a size": with_size(b"1000\0" + b"77") + HIDDEN + END,
    "no octal size": with_size(b"0o1000") + HIDDEN + END,
    "a negative size": with_size(b"\xff" * 12) + HIDDEN + END,
    "a folder with data": with_size(b"1000", tarfile.DIRTYPE) + HIDDEN + END,
    "a link with data": with_size(b"1000", tarfile.SYMTYPE) + HIDDEN + END,
    "an old file with data": with_size(b"1000", tarfile.AREGTYPE) + HIDDEN + END,
    "a member behind one block of zeros": member() + bytes(512) + SPARSE + END,
    "two headers of pax": extended(b"12 size=512\n") * 2 + member() + HIDDEN + END,
    "two long names": extended(b"x", tarfile.GNUTYPE_LONGNAME) * 2 + member() + END,
    "a global header between": extended(b"12 size=512\n") + extended(b"", tarfile.XGLTYPE) + HIDDEN + END,
    "a signed size of pax": extended(b"13 size=+512\n") + member() + HIDDEN + END,
    "no size of pax": extended(b"8 size=\n") + member() + HIDDEN + END,
    "a line of pax that is cut off": extended(b"99 size=512\n") + member() + END,
    "a line of pax without a value": extended(b"7 size\n") + member() + END,
    "a line of pax without a length": extended(b" size=512\n") + member() + END,
    "a long header": extended(bytes((1 << 20) + 1)) + member() + END,
    "a header that is cut off": extended(b"12 size=512\n")[:518],
    "data that is cut off": member(size=512) + DATA[:-1],
    "packed with gzip, and a tar": changed(member(), 0, b"\x1f\x8b\x08") + END,
}


@pytest.mark.parametrize("name", ODD_LAYERS)
def test_an_archive_that_is_not_read_alike_everywhere_is_refused(name: str) -> None:
    with pytest.raises(tarfile.TarError):
        read(ODD_LAYERS[name])


def test_long_headers_are_limited_together(monkeypatch: pytest.MonkeyPatch) -> None:
    headers = (extended(b"12 size=512\n") + member(size=512) + DATA) * 3
    monkeypatch.setattr(archive, "MAX_EXTENSIONS", 36)
    assert read(headers + END).files == 3
    monkeypatch.setattr(archive, "MAX_EXTENSIONS", 35)
    with pytest.raises(tarfile.TarError):
        read(headers + END)


def test_the_program_that_locks_files_has_the_same_number() -> None:
    source = Path("ladder/sandbox/docker/programs/lock_files.c").read_text("utf-8")
    assert re.findall(r"MAX_FILES = (\d+)", source) == [str(MAX_FILES)]


ONE, TWO = (f"sha256:{digit * 64}" for digit in "12")
SCHEMA1 = "application/vnd.docker.distribution.manifest.v1+prettyjws"


def part(kind: object = PACKED[0], size: object = 100, digest: object = ONE, **more: object) -> dict[str, Any]:
    return {"mediaType": kind, "size": size, "digest": digest} | more


def manifest(*layers: object, **changes: object) -> dict[str, Any]:
    config = part(CONFIGS[0], digest=TWO)
    return {"schemaVersion": 2, "mediaType": DOCKER, "config": config, "layers": list(layers or [part()])} | changes


def manifest_of(plain: object, media_type: str = DOCKER, max_bytes: int = 1000) -> Manifest:
    return read_manifest("ada/trotter:1", json.dumps(plain).encode(), media_type, max_bytes)


def test_an_image_of_one_platform_is_taken() -> None:
    layers = Blob(ONE, 100, is_packed=True), Blob(TWO, 7, is_packed=False)
    found = manifest_of(manifest(part(), part(PLAIN[0], 7, TWO), mediaType=OCI), OCI)
    assert found == Manifest(Blob(TWO, 100), layers)


@pytest.mark.parametrize(
    ("plain", "media_type", "why"),
    [
        (manifest(), LISTS[0], "a list of images for several machines"),
        ({"manifests": []}, LISTS[1], "a list of images for several machines"),
        (manifest(), SCHEMA1, "has a manifest of a kind that this ladder does not accept"),
        (manifest(), "", "has a manifest of a kind that this ladder does not accept"),
        (manifest(mediaType=LISTS[0]), DOCKER, "contradicts itself"),
        (manifest(manifests=[part()]), DOCKER, "contradicts itself"),
        (manifest(schemaVersion=1), DOCKER, "contradicts itself"),
        (manifest(layers=[]), DOCKER, "has no layers, or more than 100"),
        (manifest(layers="x"), DOCKER, "has no layers"),
        (manifest(layers=["x"]), DOCKER, "cannot be read"),
        (manifest(config=None), DOCKER, "cannot be read"),
        (manifest(config=part(PACKED[0])), DOCKER, "has a part that this ladder does not take"),
        (manifest(part(urls=["http://127.0.0.1:2375/x"])), DOCKER, "All layers must be in the registry itself"),
        (manifest(part(urls=[])), DOCKER, "All layers must be in the registry itself"),
        (manifest(part("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip")), DOCKER, "foreign"),
        (manifest(part("application/vnd.oci.image.layer.nondistributable.v1.tar+gzip")), DOCKER, "nondistributable"),
        (manifest(part("application/vnd.oci.image.layer.v1.tar+zstd")), DOCKER, "packed with gzip"),
        (manifest(part(["x"])), DOCKER, "has a part that this ladder does not take"),
        (manifest(part(size=-5)), DOCKER, "cannot be read"),
        (manifest(part(size=True)), DOCKER, "cannot be read"),
        (manifest(part(size="5")), DOCKER, "cannot be read"),
        (manifest(part(digest="sha256:../../x")), DOCKER, "cannot be read"),
        (manifest(part(digest=None)), DOCKER, "cannot be read"),
        (manifest(part(size=1001)), DOCKER, "has more than 1,000 bytes"),
        (manifest(part(size=501), part(size=500)), DOCKER, "has more than 1,000 bytes"),
        ([], DOCKER, "cannot be read"),
    ],
)
def test_what_the_ladder_does_not_take_is_refused(plain: object, media_type: str, why: str) -> None:
    with pytest.raises(BotRejected, match=why):
        manifest_of(plain, media_type)


def test_what_is_no_json_is_refused() -> None:
    for body in (b"", b"\xff", b"[" * 100_000):
        with pytest.raises(BotRejected, match="cannot be read"):
            read_manifest("ada/trotter:1", body, DOCKER, 1000)
