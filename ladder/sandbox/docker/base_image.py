"""
The image that every Python bot stands on: Python, grpcio, protobuf and the SDK, and a user without rights.

`python -m ladder.sandbox.docker.base_image` makes it; every load of a bot makes sure of it, which costs two requests.
For machines that reach no image registry, a small Python image is made from Debian packages.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import APIError, ImageNotFound

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.built_images import OLD, last_used, prune
from ladder.sandbox.docker.engine import ENGINE_ERRORS, connect, engine_errors, explain
from ladder.sandbox.docker.image_build import BuildFailed, build_image, tag_without_times
from ladder.sandbox.docker.installed_sdk import Sdk, installed_sdk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from docker import DockerClient
    from docker.models.images import Image

PACKAGES = ("python3", "libstdc++6", "libgomp1", "usr-is-merged")
"""libgomp1 is what wheels such as lightgbm's expect of a system; usr-is-merged keeps Perl out."""
NOT_NEEDED = ("doc", "info", "locale", "man")
MADE_AT = "0"
"""SOURCE_DATE_EPOCH for all files of the image: the same packages give the same bytes on another day."""
HOOKS = Path("/usr/share/mmdebstrap/hooks/maybe-merged-usr")


def debian_base_tag() -> str:
    """Give the tag of the image on this machine: Debian of the same release as the machine, with these packages."""
    packages = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:8]
    return f"pigpen/python:{debian_release()}-{packages}"


def can_make_debian_base() -> bool:
    """Tell whether this machine can make one: Debian or a relative, root, and mmdebstrap present or installable."""
    release = _release()
    is_debian = "debian" in f"{release.get('ID')} {release.get('ID_LIKE')}"
    may_install = os.environ.get("PIGPEN_NO_INSTALL") != "1" and shutil.which("apt-get") is not None
    has_tool = shutil.which("mmdebstrap") is not None
    return is_debian and "VERSION_CODENAME" in release and os.geteuid() == 0 and (has_tool or may_install)


def make_debian_base(client: DockerClient, report: Callable[[str], None]) -> str:
    """
    Make the image and import it into the engine.

    Returns:
        Its tag.

    Raises:
        SandboxError: If a step fails.
    """
    report("making a Python image from Debian packages (about half a minute, once)")
    # pip would refuse to install beside Debian's own packages, of which nothing here depends.
    open_for_pip = 'rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED && ln -s python3 "$1"/usr/bin/python'
    import_packages(client, debian_base_tag(), PACKAGES, [open_for_pip], ["CMD python"], report)
    return debian_base_tag()


def import_packages(
    client: DockerClient,
    tag: str,
    packages: Sequence[str],
    hooks: Sequence[str],
    changes: Sequence[str],
    report: Callable[[str], None],
) -> None:
    """
    Make an image from Debian packages of this machine's release.

    Args:
        client: The engine.
        tag: Its name.
        packages: Their names; what they need comes with them.
        hooks: As of `run_bootstrap`.
        changes: Lines of a Dockerfile that set what the image says of itself.
        report: Called with one line before each step that takes time.

    Raises:
        SandboxError: If a step fails.
    """
    install_bootstrap(report)
    with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
        tar = Path(folder) / "root.tar"
        run_bootstrap(packages, hooks, tar)
        repository, _, version = tag.partition(":")
        client.api.import_image(src=str(tar), repository=repository, tag=version, changes=list(changes))
        tag_without_times(client, tag, tag)


def install_bootstrap(report: Callable[[str], None]) -> None:
    """
    Install mmdebstrap, if it is missing.

    Raises:
        SandboxError: If it cannot be installed.
    """
    if shutil.which("mmdebstrap") is None:
        report("installing Debian's mmdebstrap package")
        _run(["apt-get", "-qq", "update"])
        _run(["apt-get", "-qq", "install", "-y", "--no-install-recommends", "mmdebstrap"])


def run_bootstrap(packages: Sequence[str], hooks: Sequence[str], tar: Path, setup: str = "") -> None:
    """
    Make the root folder of an image from Debian packages of this machine's release.

    Args:
        packages: Their names; what they need comes with them.
        hooks: Commands of a shell that change it in the end; ``$1`` is that folder.
        tar: File for the archive.
        setup: Commands that prepare the folder while it is empty, or nothing.

    Raises:
        SandboxError: If a step fails.
    """
    options = [
        "--quiet",
        "--variant=essential",
        f"--hook-dir={HOOKS}",
        f"--include={','.join(packages)}",
        *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in NOT_NEEDED),
        *((f"--setup-hook={setup}",) if setup else ()),
        *(f"--customize-hook={hook}" for hook in hooks),
    ]
    _run(["mmdebstrap", *options, debian_release(), str(tar)])


def debian_release() -> str:
    """Give the name of the Debian release of this machine; ``none`` if it is another system."""
    return _release().get("VERSION_CODENAME", "none")


def _release() -> dict[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}


def _run(command: list[str]) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "SOURCE_DATE_EPOCH": MADE_AT}
    # Whatever our umask is: users of containers read what is made.
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, umask=0o022)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise SandboxError(f"{command[0]} failed: {last}")


REPOSITORY = "pigpen/bot"
KEPT = 3
"""Base images with other SDKs that stay, those used last: a ladder that runs may need one of them."""
LATEST = f"{REPOSITORY}:latest"
OFFICIAL_BASE = "python:3.12-slim"
CONTENT_LABEL = "pigpen.content"
BASE_LABEL = "pigpen.base"
"""Label with the Python image below the base image: its name, and its digest in the registry or that of its layers."""
DEBIAN_LABEL = "pigpen.debian"
"""Label with the Debian packages of the image, ``name=version`` each: `docker inspect` shows them."""
MADE_OUTSIDE = "PIGPEN_BASE_CONTENT"
"""
Variable with the content hash of the base image, in a container in which Pigpen itself runs: the image was made from
outside, on a system whose own base may be another one.
"""
DOCKERFILE = Path(__file__).parent / "base_image" / "Dockerfile"
LOCK = DOCKERFILE.with_name("bot.lock")
"""Versions and hashes of what the image holds beside the SDK, in step with requirements-dev.lock: see scripts/lock."""

_FACTS = "import sys, platform; print('%d.%d' % sys.version_info[:2], platform.machine())"
_PACKAGES = """
import email
texts = open("/var/lib/dpkg/status", encoding="utf-8").read().strip().split("\\n\\n")
packages = [email.message_from_string(text) for text in texts]
print(*sorted(f"{each['Package']}={each['Version']}" for each in packages if each["Status"].endswith(" installed")))
"""


@dataclass(frozen=True)
class BaseImage:
    """Content of the image, and its name."""

    sdk: Sdk = field(default_factory=installed_sdk)
    repository: str = REPOSITORY

    @property
    def latest(self) -> str:
        """The name on which people build bots by hand: it means the SDK that was used last."""
        return f"{self.repository}:latest"

    @property
    def tag(self) -> str:
        """Its name with the version of the SDK."""
        return f"{self.repository}:{self.sdk.version}"

    def content(self) -> str:
        """Hash all that the image is made from; of the Python image below, its name."""
        parts = (DOCKERFILE.read_text(), LOCK.read_text(), self.sdk.hash, debian_base_tag())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def ensure_base_image(client: DockerClient, report: Callable[[str], None], image: BaseImage | None = None) -> str:
    """
    Make sure that the engine has the image with this SDK; build it if it does not.

    Args:
        client: The engine.
        report: Called with one line before each step that takes time.
        image: Which one; `pigpen/bot:latest` with the SDK that is installed here if None.

    Returns:
        The content hash of what the image was made from.

    Raises:
        SandboxError: If the image is missing and cannot be made.
    """
    image = image or BaseImage()
    content = os.environ.get(MADE_OUTSIDE) or image.content()
    with engine_errors("look up the bot base image"):
        if not _name_found(client, image, content):
            _make(client, image, content, report)
    return content


def name_of(content: str, repository: str = REPOSITORY) -> str:
    """Give the name of the image with that content, which the image of no other SDK takes."""
    return f"{repository}:of-{content[:12]}"


def layers_digest(client: DockerClient, name: str = LATEST) -> str:
    """
    Hash the layers of an image: all its files, with modes, owners and times.

    The base image's are the same after each build from one checkout and one Python image. So is its id, but for an
    engine that keeps its own (`tag_without_times`).
    """
    layers = client.images.get(name).attrs["RootFS"]["Layers"]
    return hashlib.sha256("\0".join(layers).encode()).hexdigest()


def base_identity(client: DockerClient, base: str) -> str:
    """
    Name an image by what does not move: its digest in the registry it came from, or, if it came from none, its layers.

    The official image's tag floats, so two builds at different times may stand on different images.
    """
    digests = client.images.get(base).attrs.get("RepoDigests") or ()
    digest = min((str(each).partition("@")[2] for each in digests), default="")
    return f"{base}@{digest}" if digest else f"{base}, layers sha256:{layers_digest(client, base)}"


def debian_packages(client: DockerClient, base: str) -> str:
    """List the Debian packages of an image with their versions: ``name=version``, in order, a space between two."""
    output = client.containers.run(base, ["python3", "-c", _PACKAGES], network_mode="none", remove=True)
    return str(output.decode().strip())


def base_image_id(client: DockerClient, content: str, repository: str = REPOSITORY) -> str:
    """
    Give the id of the bot base image: a name could come to mean another one between two looks.

    Args:
        client: The engine.
        content: What `ensure_base_image` gave.
        repository: Of the image's name.

    Raises:
        SandboxError: If the engine does not have it any more.
    """
    image = _find(client, name_of(content, repository), content)
    if image is None:
        raise SandboxError(
            "The bot base image has been removed. Make it again: python -m ladder.sandbox.docker.base_image"
        )
    return str(image.id)


def has_base_image(client: DockerClient, content: str, repository: str = REPOSITORY) -> bool:
    """
    Tell whether the engine has the image, and note that it is used: other versions of Pigpen remove what is not.

    Args:
        client: The engine.
        content: What `ensure_base_image` gave.
        repository: Of the image's name.

    Raises:
        SandboxError: If the engine fails.
    """
    with engine_errors("look up the bot base image"):
        return _use(client, name_of(content, repository), content) is not None


def _find(client: DockerClient, name: str, content: str) -> Image | None:
    """Find the image of that name; None if there is none, or it was made from something else."""
    try:
        found = client.images.get(name)
    except ImageNotFound:
        return None
    return found if found.labels.get(CONTENT_LABEL) == content else None


def _use(client: DockerClient, name: str, content: str) -> Image | None:
    """Find the image of its own name, and give it that name again: the engine notes when."""
    found = _find(client, name, content)
    if found is not None:
        repository, _, tag = name.rpartition(":")
        client.api.tag(str(found.id), repository, tag)
    return found


def _name_found(client: DockerClient, image: BaseImage, content: str) -> bool:
    """Find the image with that content, and let all its names mean it; false if there is none."""
    found = _use(client, name_of(content, image.repository), content)
    if found is None:
        return False
    for each in {image.latest, image.tag}.difference(found.tags):
        client.api.tag(str(found.id), image.repository, each.rpartition(":")[2])
    return True


def _make(client: DockerClient, image: BaseImage, content: str, report: Callable[[str], None]) -> None:
    base = find_base(client, report)
    labels = {
        CONTENT_LABEL: content,
        BASE_LABEL: base_identity(client, base),
        DEBIAN_LABEL: debian_packages(client, base),
    }
    report("collecting the wheels of the SDK and what it needs")
    own = name_of(content, image.repository)
    build_with_wheels(client, own, base, DOCKERFILE, LOCK, image.sdk.write_wheel, labels, report)
    # The build's first stage. No build uses the new image yet, and Docker spares what a running build uses.
    prune(client, label=f"{CONTENT_LABEL}={content}")
    for tag in (image.tag, image.latest):
        client.api.tag(own, image.repository, tag.rpartition(":")[2])
    _remove_old(client, image.repository, own)
    prune(client, label=CONTENT_LABEL, until=OLD)


def _remove_old(client: DockerClient, repository: str, own: str) -> None:
    """Remove base images with other SDKs, but for those used last and those that a container uses."""
    with suppress(ImageNotFound):  # another process removes some
        found = [
            client.images.get(each["Id"]) for each in client.api.images(filters={"reference": f"{repository}:of-*"})
        ]
        for image in sorted(found, key=last_used, reverse=True)[KEPT + 1 :]:
            for tag in image.tags:
                if tag.startswith(f"{repository}:of-") and tag != own:
                    with suppress(APIError):
                        client.api.remove_image(tag)


def build_with_wheels(
    client: DockerClient,
    tag: str,
    base: str,
    dockerfile: Path,
    lock: Path,
    write: Callable[[Path], Path],
    labels: Mapping[str, str],
    report: Callable[[str], None],
    arguments: Mapping[str, str] | None = None,
) -> None:
    """
    Build an image in which wheels are installed: those of ours, and what is locked.

    Args:
        client: The engine.
        tag: Its name.
        base: The image below, which the Dockerfile gets as its argument ``BASE``.
        dockerfile: What to do with the wheels, in the folder ``wheels`` beside it.
        lock: As of `collect_wheels`.
        write: Likewise.
        labels: The image's labels.
        report: Called with one line before the build.
        arguments: Further arguments of the Dockerfile.

    Raises:
        SandboxError: If it cannot be built.
    """
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        folder = Path(name)
        shutil.copy(dockerfile, folder / "Dockerfile")
        collect_wheels(folder / "wheels", write, lock, *python_of(client, base))
        report(f"building {tag} on {base}")
        try:
            given = {"BASE": base, **(arguments or {})}
            build_image(client, archive(folder), tag=tag, labels=labels, arguments=given)
        except BuildFailed as error:
            raise SandboxError(f"The image {tag} could not be built:\n{error}") from error


def find_base(client: DockerClient, report: Callable[[str], None], official: str = OFFICIAL_BASE) -> str:
    """
    Find, pull or make the Python image below the base image, and give its tag.

    Raises:
        SandboxError: If the *official* image cannot be pulled, and none can be made on this machine.
    """
    for tag in (official, debian_base_tag()):
        if client.api.images(tag, quiet=True):
            return tag
    try:
        report(f"looking for {official}")
        repository, _, tag = official.partition(":")
        client.api.pull(repository, tag)
    except ENGINE_ERRORS as error:
        if can_make_debian_base():
            return make_debian_base(client, report)
        raise SandboxError(
            f"The bot base image needs {official}, which could not be pulled ({explain(error)}), and only root "
            "on Debian can make one from packages. Load that image into the engine, or use the process sandbox."
        ) from error
    return official


def python_of(client: DockerClient, base: str) -> tuple[str, str]:
    """Ask which Python an image has, such as ``3.12``, and for which machine, as `uname -m` calls it."""
    output = client.containers.run(base, ["python3", "-c", _FACTS], network_mode="none", remove=True)
    python, machine = output.decode().split()
    return python, machine


def collect_wheels(folder: Path, write: Callable[[Path], Path], lock: Path, python: str, machine: str) -> None:
    """
    Put wheels for another Python into *folder*, which is made: one of ours, and what is locked.

    Args:
        folder: Where to.
        write: Writes the wheel into a folder, and what it needs of ours.
        lock: Names everything else, with the hash of each file.
        python: The Python that they are for, such as ``3.12``.
        machine: Its machine, as `uname -m` calls it.

    Raises:
        SandboxError: If pip fails.
    """
    folder.mkdir()
    write(folder)
    platforms = [f"--platform=manylinux{tag}_{machine}" for tag in ("2014", "_2_17", "_2_28")]
    # For the Python inside the base, which need not be the one that runs here.
    target = ["--only-binary=:all:", f"--python-version={python}", *platforms]
    _pip("download", "--dest", str(folder), "--no-deps", "--require-hashes", f"--requirement={lock}", *target)


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise SandboxError(f"pip could not collect the wheels for an image: {last}")


def main(image: BaseImage | None = None) -> int:
    """Make the base image, saying each step; the exit code is 1 if it cannot be made."""
    image = image or BaseImage()
    try:
        client = connect()
        ensure_base_image(client, lambda line: print(line, flush=True), image)
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    made = client.images.get(image.tag)
    print(f"{image.tag} is ready: {made.id}; its files: sha256:{layers_digest(client, image.tag)}")
    labels = made.labels
    if below := labels.get(BASE_LABEL):
        print(f"It stands on {below}, with {len(labels[DEBIAN_LABEL].split())} Debian packages (label {DEBIAN_LABEL}).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
