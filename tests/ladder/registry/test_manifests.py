"""Manifests that the ladder takes; those that it refuses it has not pulled."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ladder.errors import BotRejected
from ladder.registry.manifests import CONFIGS, DOCKER, LISTS, OCI, PACKED, PLAIN, Blob, Manifest, read_manifest

ONE, TWO = (f"sha256:{digit * 64}" for digit in "12")
SCHEMA1 = "application/vnd.docker.distribution.manifest.v1+prettyjws"


def part(kind: object = PACKED[0], size: object = 100, digest: object = ONE, **more: object) -> dict[str, Any]:
    return {"mediaType": kind, "size": size, "digest": digest} | more


def manifest(*layers: object, **changes: object) -> dict[str, Any]:
    config = part(CONFIGS[0], digest=TWO)
    return {"schemaVersion": 2, "mediaType": DOCKER, "config": config, "layers": list(layers or [part()])} | changes


def read(plain: object, media_type: str = DOCKER, max_bytes: int = 1000) -> Manifest:
    return read_manifest("ada/trotter:1", json.dumps(plain).encode(), media_type, max_bytes)


def test_an_image_of_one_platform_is_taken() -> None:
    layers = Blob(ONE, 100, is_packed=True), Blob(TWO, 7, is_packed=False)
    found = read(manifest(part(), part(PLAIN[0], 7, TWO), mediaType=OCI), OCI)
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
        (manifest(*[part(size=0)] * 101), DOCKER, "has no layers, or more than 100"),
        (manifest(layers="x"), DOCKER, "has no layers"),
        (manifest(layers=["x"]), DOCKER, "cannot be read"),
        (manifest(config=None), DOCKER, "cannot be read"),
        (manifest(config=part(PACKED[0])), DOCKER, "has a part that this ladder does not take"),
        (manifest(config=part(CONFIGS[0], 1 << 20)), DOCKER, "The configuration of ada/trotter:1 has more than"),
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
        read(plain, media_type)


def test_what_is_no_json_is_refused() -> None:
    for body in (b"", b"\xff", b"[" * 100_000):
        with pytest.raises(BotRejected, match="cannot be read"):
            read_manifest("ada/trotter:1", body, DOCKER, 1000)
