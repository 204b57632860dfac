"""Images of a few bytes, which nobody is to run."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile

import docker


def load_tiny(client: docker.DockerClient, tag: str, machine: str = "", mark: str = "", size: int = 0) -> str:
    """
    Have an image on the engine, and give its id.

    Args:
        client: The engine.
        tag: What the image is called.
        machine: Its kind of processor; by default the engine's.
        mark: Another mark, another image.
        size: Bytes of a file in it, which no other image has.
    """
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        if size:
            info = tarfile.TarInfo(hashlib.sha256(mark.encode()).hexdigest())
            info.size = size
            tar.addfile(info, io.BytesIO(bytes(size)))
    diff = f"sha256:{hashlib.sha256(layer.getvalue()).hexdigest()}"
    config = {
        "architecture": machine or client.version()["Arch"],
        "os": "linux",
        "config": {"Cmd": ["/bot"], "Labels": {"mark": mark}},
        "rootfs": {"type": "layers", "diff_ids": [diff]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    texts = {"config.json": json.dumps(config), "manifest.json": json.dumps(manifest)}
    files = {name: text.encode() for name, text in texts.items()} | {"layer.tar": layer.getvalue()}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    client.images.load(packed.getvalue())
    return str(client.images.get(tag).id)


def push(client: docker.DockerClient, tag: str) -> str:
    """Send an image to the registry in its tag; gives the digest that it has there."""
    repository, _, word = tag.rpartition(":")
    lines = list(client.api.push(repository, word, stream=True, decode=True))
    return next(str(line["aux"]["Digest"]) for line in lines if "aux" in line)
