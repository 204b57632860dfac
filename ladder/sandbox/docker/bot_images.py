"""From a bot's source to the id of the image that will run."""

from __future__ import annotations

import hashlib
import re
import shlex
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from docker.errors import APIError
from docker.utils import parse_repository_tag

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.bots.bot_source import content_of
from ladder.sandbox.bots.dockerignore import without_ignored
from ladder.sandbox.bots.languages import source_of
from ladder.sandbox.bots.plain_copies import copied
from ladder.sandbox.bots.recipes import PLAIN, SCRATCH, image_to_build, recipe_of
from ladder.sandbox.docker.base_image import base_image_id
from ladder.sandbox.docker.built_images import (
    FILES_ONLY,
    FOLDER_LABEL,
    KEPT_IMAGES,
    KEY_LABEL,
    RECIPE_LABEL,
    REPOSITORY,
    TOOLCHAIN_LABEL,
    find_built,
    remove_layers,
    remove_old,
    tag_of,
)
from ladder.sandbox.docker.engine import PULL_SECONDS, engine_errors, explain, within
from ladder.sandbox.docker.image_build import BuildFailed, build_image
from ladder.sandbox.wheels.packages import VENDOR, with_lock
from ladder.values.names import DOCKERFILE, OURS, is_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from docker import DockerClient
    from docker.models.images import Image

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.sandbox.bots.content import Content
    from ladder.sandbox.bots.dockerfile_lines import Instruction
    from ladder.sandbox.bots.languages import Language
    from ladder.sandbox.bots.recipes import Recipe
    from ladder.sandbox.docker.package_images import PackageImages
    from ladder.sandbox.docker.source_build import SourceBuild

BOT = "bot"
"""The bot's folder, from the root of its image."""
NO_SUCH_IMAGE = ("manifest unknown", "name unknown", "repository name not known", "denied", "unauthorized")
"""Beginnings of the engine's message, as if it failed itself, when a registry refuses an image and gives no detail."""


@dataclass(frozen=True)
class Built:
    """The image that a folder was built to."""

    image: str
    """Its id."""
    lock: str | None
    """Packages that it has by its requirements.txt; None: none."""


def image_of_folder(
    client: DockerClient,
    source: BotSource,
    base: str,
    packages: PackageImages,
    kept: int = KEPT_IMAGES,
    build: SourceBuild | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Built:
    """
    Build a bot's folder, or find what it was built to before.

    Args:
        client: The engine.
        source: The bot.
        base: Content of the bot base image: when that changes, the folder is built anew.
        packages: What has those of its requirements.txt.
        kept: How many images of the folder stay.
        build: Builds source in other languages.
        report: Called with one line that names the lines of the Dockerfile that are left out, if any.

    Raises:
        BotRejected: If the folder cannot be read, its Dockerfile is not to be built here, it does not build, or its
            packages are not available.
        SandboxError: If the engine or the package index fails.
    """
    content, folder = source_of(content_of(source)), source.folder
    assert folder is not None
    recipe = recipe_of(source, content)
    if recipe and recipe.language:
        assert build is not None
        return Built(_image_of_source(client, source, content, recipe, base, build, kept), None)
    with engine_errors(f"build {folder.name}"):
        # What has a Dockerfile of its own puts packages where it likes.
        lock = packages.lock_of(client, content, base_image_id(client, base)) if recipe else None
        content = with_lock(content, lock)
        does = FILES_ONLY if recipe and _adds_files_only(recipe, content) else "more"
        key = hashlib.sha256(f"{content.hash} {base} {does}".encode()).hexdigest()[:40]
        image = find_built(client, folder, key) or _found_in_registry(client, source, folder, key)
        if image is None:
            if recipe and recipe.left_out:
                report(left_out(folder.name, recipe.left_out))
            labels = {FOLDER_LABEL: re.sub(r"[^\w.-]", "_", folder.name), KEY_LABEL: key, RECIPE_LABEL: does}
            context = _context(client, folder, content, recipe, base, packages, labels)
            # A recipe has them in its Dockerfile, and each step of a build is a container and a commit of its own.
            _build(client, folder, context, key, *(({}, "") if recipe else (labels, _by_hand(folder))))
            image = client.images.get(f"{REPOSITORY}:{tag_of(folder, key)}")
            remove_old(client, folder, kept)
    return Built(_accept(image, str(folder)), lock)


def _image_of_source(
    client: DockerClient,
    source: BotSource,
    content: Content,
    recipe: Recipe,
    base: str,
    build: SourceBuild,
    kept: int,
) -> str:
    """Give the id of the image of a bot in another language; it is built if this engine does not have it."""
    folder, language = source.folder, recipe.language
    assert folder is not None
    assert language is not None
    toolchain = build.toolchain(client, language)
    with engine_errors(f"build {folder.name}"):
        made_from = f"{content.hash} {toolchain} {recipe} {build.version}{f' {base}' if language.speaks_lines else ''}"
        key = hashlib.sha256(made_from.encode()).hexdigest()[:40]
        image = find_built(client, folder, key) or _found_in_registry(client, source, folder, key)
        if image is None:
            files, stand = without_ignored(content, folder.name), toolchain
            if not language.stands_on_toolchain:
                files, stand = build.run(client, language, toolchain, files, source.name), SCRATCH
            if language.speaks_lines:
                files, stand = _beside_the_bridge(files, language), base_image_id(client, base)
            labels = {
                FOLDER_LABEL: re.sub(r"[^\w.-]", "_", folder.name), KEY_LABEL: key,
                RECIPE_LABEL: FILES_ONLY if recipe.adds_files_only else "more",
                TOOLCHAIN_LABEL: f"{language.name}.{toolchain.removeprefix('sha256:')}",
            }  # fmt: skip
            dockerfile = recipe.dockerfile(stand, labels)
            context = files.below(recipe.place).with_files({DOCKERFILE: dockerfile}).archive()
            _build(client, folder, context, key, {}, "")
            image = client.images.get(f"{REPOSITORY}:{tag_of(folder, key)}")
            remove_old(client, folder, kept)
    return _accept(image, str(folder))


def _beside_the_bridge(files: Content, language: Language) -> Content:
    """
    Add the bot.py that starts the program.

    A stranger's build may have made files for any place of the image. Outside the bot's folder they would be part of
    the interpreter that a fork server runs, so they are left out.
    """
    inside = files.without(lambda member: member.parts[0] != BOT)
    return inside.with_files({f"{BOT}/bot.py": language.main})


def left_out(name: str, lines: Sequence[Instruction]) -> str:
    """Say which lines of a Dockerfile change nothing here."""
    numbers = ", ".join(f"{each.line} ({each.keyword})" for each in lines)
    return f"{name}: left out of its {DOCKERFILE}, as they change nothing here: lines {numbers}"


def _found_in_registry(client: DockerClient, source: BotSource, folder: Path, key: str) -> Image | None:
    """Give the image that another engine has built with that key; its tag here marks it as ours."""
    image = source.find_built(key) if source.find_built else None
    if image is None:
        return None
    client.api.tag(image, REPOSITORY, tag_of(folder, key))
    return client.images.get(image)


def _adds_files_only(recipe: Recipe, content: Content) -> bool:
    return recipe.adds_files_only and (recipe == PLAIN or not content.has_links)


def image_of_reference(client: DockerClient, reference: str) -> str:
    """
    Find the image that *reference* names, pulling it if this engine does not have it.

    Returns:
        The image's id: a tag that moves later does not move the bot.

    Raises:
        BotRejected: If there is no such image.
        SandboxError: If the engine fails, or the image's registry cannot be reached.
    """
    with engine_errors(f"look up {reference}"):
        image = find_image(client, reference) or pull_image(client, reference)
    return _accept(image, reference)


def _context(
    client: DockerClient,
    folder: Path,
    content: Content,
    recipe: Recipe | None,
    base: str,
    packages: PackageImages,
    labels: dict[str, str],
) -> BinaryIO:
    """Pack what is sent to the engine; without a recipe that is the folder as it is, with its own Dockerfile."""
    kept = without_ignored(content, folder.name)
    if recipe is None:
        return kept.with_files({DOCKERFILE: content.file(DOCKERFILE) or b""}).archive()
    below = base_image_id(client, base)
    stand = packages.image_for(client, content, below)
    recipe, kept = copied(recipe, kept, () if stand == below else (VENDOR,)) or (recipe, kept)
    dockerfile = recipe.dockerfile(stand, labels)
    return kept.below(recipe.place).with_files({DOCKERFILE: dockerfile}).archive()


def _build(client: DockerClient, folder: Path, context: BinaryIO, key: str, labels: dict[str, str], hint: str) -> None:
    try:
        build_image(client, context, tag=f"{REPOSITORY}:{tag_of(folder, key)}", labels=labels)
    except BuildFailed as error:
        remove_layers(client, key)
        raise BotRejected(f"{folder.name} does not build:\n{error}{hint}") from error
    except APIError as error:
        if not error.is_client_error():
            raise
        raise BotRejected(f"{folder.name} does not build: {explain(error)}") from error


def _by_hand(folder: Path) -> str:
    """Say how a folder is built whose Dockerfile does more than ours."""
    image, where = image_to_build(folder.name), shlex.quote(str(folder))
    return (
        f"\nFolders are built without a network. To build it yourself: docker build -t {image} {where}. Then give "
        f"{image} in place of the folder."
    )


def find_image(client: DockerClient, reference: str) -> Image | None:
    """Find an image on this engine; None if it is not there, or *reference* is no name for one."""
    try:
        return client.images.get(reference)
    except APIError as error:
        if error.is_client_error():  # there is none, or that is no name for one
            return None
        raise


def pull_image(
    client: DockerClient, reference: str, seconds: float = PULL_SECONDS, login: dict[str, str] | None = None
) -> Image:
    """
    Ask the registry for an image, whether this engine has one of that name or not.

    Args:
        client: The engine.
        reference: The image.
        seconds: Seconds that it may take.
        login: What the engine shows to the registry; None: what this user has logged in with.

    Raises:
        BotRejected: If the registry does not have it.
        SandboxError: If the registry cannot be reached, or breaks off.
    """
    repository, tag = parse_repository_tag(reference)
    if is_ours(repository):
        raise BotRejected(
            f"The image {reference} could not be pulled: names that begin with {OURS} are for images that Pigpen "
            "makes on this machine. Give your image another name."
        )
    try:
        if repository != "sha256":  # an id says nothing about where to pull from
            within(seconds, partial(_pull, client, reference, repository, tag or "latest", login))
        return client.images.get(reference)
    except TimeoutError as error:
        raise _pull_failed(reference, f"it took more than {seconds:g} s") from error
    except APIError as error:
        if not (error.is_client_error() or explain(error).startswith(NO_SUCH_IMAGE)):
            raise _pull_failed(reference, explain(error)) from error
        raise BotRejected(f"The image {reference} could not be pulled: {explain(error)}") from error


def _pull(client: DockerClient, reference: str, repository: str, tag: str, login: dict[str, str] | None) -> None:
    for message in client.api.pull(repository, tag, stream=True, decode=True, auth_config=login):
        if "error" in message:  # it is there, but did not come through
            raise _pull_failed(reference, str(message["error"]))


def _pull_failed(reference: str, reason: str) -> SandboxError:
    return SandboxError(
        f"The image {reference} could not be pulled: {reason.strip()}. "
        "Build or load it here, or try again when its registry can be reached."
    )


def _accept(image: Image, name: str) -> str:
    config = image.attrs["Config"] or {}  # an image need not have any
    if config.get("Volumes"):
        # Each would become a writable folder on the host's disk, without a size limit.
        raise BotRejected(f"{name} declares a VOLUME, which the sandbox does not allow: bots may write to /tmp only.")
    if not (config.get("Cmd") or config.get("Entrypoint")):
        raise BotRejected(f'{name} does not say what to run. Add a line such as: CMD ["python", "bot.py"]')
    return str(image.id)
