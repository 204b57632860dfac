"""The check of an image's manifest: one image for one kind of machine, all of it in the registry."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ladder.errors import BotRejected

DOCKER = "application/vnd.docker.distribution.manifest.v2+json"
OCI = "application/vnd.oci.image.manifest.v1+json"
LISTS = (
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.index.v1+json",
)
ACCEPTED = (DOCKER, OCI, *LISTS)
"""The media types that are requested: else a registry would choose one image of a list, or write it in an old way."""
CONFIGS = ("application/vnd.docker.container.image.v1+json", "application/vnd.oci.image.config.v1+json")
PACKED = ("application/vnd.docker.image.rootfs.diff.tar.gzip", "application/vnd.oci.image.layer.v1.tar+gzip")
PLAIN = ("application/vnd.oci.image.layer.v1.tar",)
MAX_MANIFEST, MAX_CONFIG = 256 * 1024, 256 * 1024
"""Bytes."""
MAX_LAYERS = 100
_DIGEST = re.compile("sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Blob:
    """A layer, or the configuration."""

    digest: str
    size: int
    """Bytes, as the manifest says."""
    is_packed: bool = False
    """With gzip."""


@dataclass(frozen=True)
class Manifest:
    """An image that may be looked at more closely."""

    config: Blob
    layers: tuple[Blob, ...]


def read_manifest(name: str, body: bytes, media_type: str, max_bytes: int) -> Manifest:
    """
    Read a manifest, and refuse what the ladder does not take, before anything is pulled.

    Args:
        name: The image, for the message.
        body: The manifest.
        media_type: As the registry names it.
        max_bytes: The most for all layers together, packed as they are.

    Raises:
        BotRejected: If the ladder does not take it.
    """
    if media_type in LISTS:
        raise BotRejected(
            f"{name} is a list of images for several machines. Push one image: docker build --provenance=false "
            "--platform with one platform."
        )
    if media_type not in (DOCKER, OCI):
        raise BotRejected(
            f"{name} has a manifest of a kind that this ladder does not accept ({media_type or 'no kind'})."
        )
    plain = _parsed(name, body)
    if plain.get("mediaType", media_type) != media_type or plain.get("schemaVersion") != 2 or "manifests" in plain:
        raise BotRejected(f"The manifest of {name} contradicts itself.")
    config = _blob(name, plain.get("config"), CONFIGS)
    layers = plain.get("layers")
    if not isinstance(layers, list) or not 0 < len(layers) <= MAX_LAYERS:
        raise BotRejected(f"{name} has no layers, or more than {MAX_LAYERS}. Build it in fewer steps.")
    blobs = tuple(_blob(name, layer, PACKED + PLAIN) for layer in layers)
    if config.size > MAX_CONFIG:
        raise BotRejected(f"The configuration of {name} has more than {MAX_CONFIG:,} bytes.")
    check_bytes(name, sum(layer.size for layer in blobs), max_bytes)
    return Manifest(config, blobs)


def check_bytes(name: str, size: int, max_bytes: int) -> None:
    """
    Refuse an image that is too large.

    Raises:
        BotRejected: If it is.
    """
    if size > max_bytes:
        raise BotRejected(
            f"{name} has more than {max_bytes:,} bytes, the most that this ladder takes (setting image_bytes). "
            "Leave out what the bot does not need to play."
        )


def _parsed(name: str, body: bytes) -> dict[str, Any]:
    try:
        plain = json.loads(body)
    except (ValueError, RecursionError):
        plain = None
    if not isinstance(plain, dict):
        raise BotRejected(f"The manifest of {name} cannot be read.")
    return plain


def _blob(name: str, plain: object, kinds: tuple[str, ...]) -> Blob:
    if not isinstance(plain, dict):
        raise BotRejected(f"The manifest of {name} cannot be read.")
    kind, size, digest = plain.get("mediaType"), plain.get("size"), plain.get("digest")
    if "urls" in plain or kind not in kinds:
        raise BotRejected(
            f"{name} has a part that this ladder does not take: {str(kind)[:100]}. All layers must be in the registry "
            "itself, packed with gzip."
        )
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise BotRejected(f"The manifest of {name} cannot be read.")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise BotRejected(f"The manifest of {name} cannot be read.")
    return Blob(digest, size, kind in PACKED)
