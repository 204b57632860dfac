"""A small Python image made from Debian packages, for machines that reach no image registry."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import DockerClient

PACKAGES = ("python3", "libstdc++6", "libgomp1", "usr-is-merged")
"""libgomp1 is what wheels such as lightgbm's expect of a system; usr-is-merged keeps Perl out."""
NOT_NEEDED = ("doc", "info", "locale", "man")
MADE_AT = "0"
"""SOURCE_DATE_EPOCH for all files of the image: the same packages give the same bytes on another day."""
HOOKS = Path("/usr/share/mmdebstrap/hooks/maybe-merged-usr")


def debian_base_tag() -> str:
    """Give the tag of the image on this machine: Debian of the same release as the machine, with these packages."""
    packages = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:8]
    return f"pigpen/python:{_release().get('VERSION_CODENAME', 'none')}-{packages}"


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
    if shutil.which("mmdebstrap") is None:
        report("installing Debian's mmdebstrap package")
        _run(["apt-get", "-qq", "update"])
        _run(["apt-get", "-qq", "install", "-y", "--no-install-recommends", "mmdebstrap"])
    report("making a Python image from Debian packages (about half a minute, once)")
    with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
        tar = Path(folder) / "root.tar"
        _run(["mmdebstrap", *_options(), _release()["VERSION_CODENAME"], str(tar)])
        repository, _, tag = debian_base_tag().partition(":")
        client.api.import_image(src=str(tar), repository=repository, tag=tag, changes=["CMD python"])
    return debian_base_tag()


def _options() -> list[str]:
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in NOT_NEEDED]
    # pip would refuse to install beside Debian's own packages, of which nothing here depends.
    open_for_pip = 'rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED && ln -s python3 "$1"/usr/bin/python'
    return [
        "--quiet",
        "--variant=essential",
        f"--hook-dir={HOOKS}",
        f"--include={','.join(PACKAGES)}",
        *excluded,
        f"--customize-hook={open_for_pip}",
    ]


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
