"""
The images of a ladder that runs in containers: of Pigpen, and of PostgreSQL.

The first has Pigpen as it is installed here, Debian's Python, nginx and docker-registry: each process of a ladder, the
proxy before it and the registry of images are containers of it. The second has Debian's PostgreSQL. Both stand on an
image of Debian packages, which stays as it is: remove it, and make them again, to take newer packages.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import ImageNotFound

from ladder.errors import SandboxError
from ladder.sandbox.docker.base_image import (
    CONTENT_LABEL,
    build_with_wheels,
    can_make_debian_base,
    debian_release,
    ensure_base_image,
    import_packages,
)
from ladder.sandbox.docker.built_images import prune
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.sandbox.docker.referee_container import installed_arena

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from docker import DockerClient

REPOSITORY, POSTGRES = "pigpen/ladder", "pigpen/postgres"
DEBIAN = "pigpen/debian"
"""Image of Debian packages below the first one."""
PACKAGES = ("python3", "libstdc++6", "usr-is-merged", "ca-certificates", "nginx-light", "docker-registry")
POSTGRES_PACKAGES = ("postgresql", "usr-is-merged")
DOCKERFILE = Path(__file__).parent / "base_image" / "Ladder.Dockerfile"
LOCK = DOCKERFILE.with_name("ladder.lock")
"""As the lock of the base image: what Pigpen needs with its extra `ladder`."""
SCRIPT = DOCKERFILE.with_name("postgres.sh")
OPEN_FOR_PIP = 'rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED'
PUT_SCRIPT = f'install -m 755 {SCRIPT} "$1"/usr/local/bin/run-postgres && rm -rf "$1"/var/lib/postgresql/*'
POSTGRES_CHANGES = ("USER postgres", 'CMD ["run-postgres"]')


def postgres_tag() -> str:
    """Give the name of PostgreSQL's image on this machine."""
    return f"{POSTGRES}:{debian_release()}"


def ladder_tag() -> str:
    """Give the name of the image with the Pigpen that is installed here."""
    return f"{REPOSITORY}:{installed_arena().version}"


def make_images(report: Callable[[str], None], *, postgres: bool = False) -> dict[str, int]:
    """
    Make the images that the engine does not have, the base image of bots among them.

    Args:
        report: Called with one line before each step that takes time.
        postgres: Make that of PostgreSQL, too.

    Returns:
        Bytes of each by its name.

    Raises:
        SandboxError: If one cannot be made.
    """
    client = connect(instead="")
    try:
        with engine_errors("make the images of a ladder"):
            names = [_ensure_ladder(client, report)]
            if postgres:
                names.append(postgres_tag())
                _ensure_packages(client, names[-1], POSTGRES_PACKAGES, PUT_SCRIPT, POSTGRES_CHANGES, report)
            return {name: int(client.images.get(name).attrs["Size"]) for name in names}
    finally:
        client.close()


def _ensure_ladder(client: DockerClient, report: Callable[[str], None]) -> str:
    base = ensure_base_image(client, report)
    key = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:8]
    below, tag, arena = f"{DEBIAN}:{debian_release()}-{key}", ladder_tag(), installed_arena()
    _ensure_packages(client, below, PACKAGES, OPEN_FOR_PIP, (), report)
    parts = (str(client.images.get(below).id), base, arena.hash, DOCKERFILE.read_text(), LOCK.read_text())
    content = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    try:
        if client.images.get(tag).labels.get(CONTENT_LABEL) == content:
            return tag
    except ImageNotFound:
        pass
    report("collecting the wheels of Pigpen and what it needs")
    labels, arguments = {CONTENT_LABEL: content}, {"BASE_CONTENT": base}
    build_with_wheels(client, tag, below, DOCKERFILE, LOCK, arena.write_wheels, labels, report, arguments)
    prune(client, label=f"{CONTENT_LABEL}={content}")
    return tag


def _ensure_packages(
    client: DockerClient,
    tag: str,
    packages: Sequence[str],
    hook: str,
    changes: Sequence[str],
    report: Callable[[str], None],
) -> None:
    if client.api.images(tag, quiet=True):
        return
    if not can_make_debian_base():
        raise SandboxError(
            f"The image {tag} is made from Debian packages, which only root on Debian can do. Make it there, and load "
            "it into this engine (docker save, docker load)."
        )
    report(f"making {tag} from Debian packages (about a minute, once)")
    import_packages(client, tag, packages, [hook], changes, report)
