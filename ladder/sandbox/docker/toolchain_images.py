"""
Toolchain images: one for each language, with its compiler and gRPC for it, made of Debian packages.

An image is made when the first bot in its language is built, like the Python image below the bot base image, and stays.
Its labels name the packages with their versions. To take newer ones, remove it: docker image rm pigpen/toolchain:…
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from docker.errors import ImageNotFound

from ladder.errors import SandboxError
from ladder.sandbox.bots.languages import LANGUAGES, PACKAGES_FILE
from ladder.sandbox.docker.base_image import (
    DEBIAN_LABEL,
    can_make_debian_base,
    debian_release,
    install_bootstrap,
    run_bootstrap,
)
from ladder.sandbox.docker.engine import connect, engine_errors
from ladder.sandbox.docker.image_build import tag_without_times

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import DockerClient

    from ladder.sandbox.bots.languages import Language

REPOSITORY = "pigpen/toolchain"
NPM_SECONDS = 300.0
"""Seconds that fetching the packages of JavaScript may take."""


def toolchain_tag(language: Language) -> str:
    """Give the name of a language's image on this machine: by all that it is made from but the packages' versions."""
    setup = (language.setup,) if language.setup else ()
    parts = (*language.packages, *setup, language.prepare, *(file.read_text() for file in _npm_files(language)))
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
    return f"{REPOSITORY}:{language.name}-{debian_release()}-{key}"


def ensure_toolchain(client: DockerClient, language: Language, report: Callable[[str], None]) -> str:
    """
    Make sure that the engine has the image of a language; make it if it does not.

    Args:
        client: The engine.
        language: Which one.
        report: Called with one line before each step that takes time.

    Returns:
        Its id.

    Raises:
        SandboxError: If the image is missing and cannot be made.
    """
    tag = toolchain_tag(language)
    with engine_errors(f"look up {tag}"):
        try:
            return str(client.images.get(tag).id)
        except ImageNotFound:
            _make(client, language, tag, report)
            return str(client.images.get(tag).id)


def ready_toolchains(client: DockerClient) -> set[str]:
    """
    Give the names of the languages whose images the engine has.

    Raises:
        SandboxError: If the engine fails.
    """
    with engine_errors("list its images"):
        tags = {tag for image in client.images.list(REPOSITORY) for tag in image.tags}
    return {name for name, language in LANGUAGES.items() if toolchain_tag(language) in tags}


def _make(client: DockerClient, language: Language, tag: str, report: Callable[[str], None]) -> None:
    if not can_make_debian_base():
        raise SandboxError(
            f"Bots in {language.title} are built with the image {tag}, which only root on Debian can make from "
            f"packages. Make it there (python -m ladder.sandbox.docker.toolchain_images {language.name}), and load it "
            "into this engine (docker save, docker load)."
        )
    install_bootstrap(report)
    report(f"making the image that builds bots in {language.title} from Debian packages (one to three minutes, once)")
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        folder = Path(name)
        packages = folder / "packages"
        hooks = [language.prepare] if language.prepare else []
        if _npm_files(language):
            _fetch_npm(language, folder / "npm")
            hooks.append(f'cp -r {folder}/npm/node_modules "$1"/ && chmod -R a+rX "$1"/node_modules')
        hooks.append(f"dpkg-query --admindir=\"$1\"/var/lib/dpkg -W -f '${{Package}}=${{Version}} ' > {packages}")
        run_bootstrap(("usr-is-merged", *language.packages), hooks, folder / "root.tar", language.setup)
        repository, _, version = tag.partition(":")
        label = json.dumps(" ".join(sorted(packages.read_text().split())))
        changes = ["CMD true", f"LABEL {DEBIAN_LABEL}={label}"]
        client.api.import_image(src=str(folder / "root.tar"), repository=repository, tag=version, changes=changes)
        tag_without_times(client, tag, tag)


def _npm_files(language: Language) -> list[Path]:
    """List the files that lock a language's packages of npm; none if it needs none."""
    found = [language.folder / name for name in ("package.json", "package-lock.json")]
    return found if all(file.is_file() for file in found) else []


def _fetch_npm(language: Language, folder: Path) -> None:
    """Fetch the packages of the lock, by its hashes; no script of theirs runs."""
    npm = shutil.which("npm")
    if npm is None:
        raise SandboxError(f"The image for bots in {language.title} needs npm on this machine, once, to fetch gRPC.")
    folder.mkdir()
    for file in _npm_files(language):
        shutil.copy(file, folder)
    command = [npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=NPM_SECONDS, umask=0o022
        )
    except subprocess.TimeoutExpired:
        raise SandboxError(f"npm did not fetch the packages for {language.title} within {NPM_SECONDS:g} s.") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise SandboxError(f"npm could not fetch the packages for {language.title}: {last}")


def main(names: list[str]) -> int:
    """Make the images of the named languages, or of all, saying each step; the exit code is 1 if one cannot be made."""
    unknown = [name for name in names if name not in LANGUAGES]
    if unknown:
        print(f"There is no language {unknown[0]!r}; there are {', '.join(LANGUAGES)}.", file=sys.stderr)
        return 2
    try:
        client = connect()
        for name in names or LANGUAGES:
            language = LANGUAGES[name]
            identity = ensure_toolchain(client, language, lambda line: print(line, flush=True))
            size = int(client.images.get(identity).attrs["Size"])
            print(f"{toolchain_tag(language)} is ready: {identity}, {size / 1024**2:,.0f} MiB ({PACKAGES_FILE})")
    except SandboxError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
