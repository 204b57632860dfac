"""Pushing an image of this machine's engine to the registry of a remote ladder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docker.errors import APIError
from docker.utils import parse_repository_tag

from ladder.errors import LadderError, RemoteError, UserError
from ladder.sandbox.docker.bot_images import find_image
from ladder.sandbox.docker.engine import connect, engine_errors, explain
from ladder.values.submission import RegistryPlace

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import DockerClient

    from ladder.app.remote.connection import Connection
    from ladder.app.remote.login import Login

_NAME = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")


def push_image(connection: Connection, login: Login, image: str, name: str | None, tell: Callable[[str], None]) -> str:
    """
    Push an image to the ladder's registry, under a name in the user's namespace.

    Args:
        connection: The ladder.
        login: Who pushes; the token goes to the engine, which shows it to the ladder.
        image: The image on this engine.
        name: What it is to be called there, perhaps with a tag: `trotter:2`; None: as here.
        tell: Hears how far it has come.

    Returns:
        Its name there by digest, as `pigpen submit` takes it: `ada/trotter@sha256:…`.

    Raises:
        LadderError: If the ladder has no registry, or does not take the image.
        RemoteError: If the ladder, or its registry, does not answer.
        SandboxError: If the engine fails.
        UserError: If there is no such image on this engine, or it cannot be called so.
    """
    short, tag = _short_name(name or image)
    place = connection.get("/registry", RegistryPlace)
    repository = f"{place.address}/{place.namespace}/{short}"
    client = connect()
    try:
        with engine_errors(f"push {image}"):
            if not _tagged(client, image, repository, tag):
                raise UserError(f"There is no image {image!r} on this engine. To list all: docker images")
            try:
                digest = _push(client, login, repository, tag, tell)
            finally:
                if image != f"{repository}:{tag}":
                    client.api.remove_image(f"{repository}:{tag}", noprune=True)
    finally:
        client.close()
    return f"{place.namespace}/{short}@{digest}"


def is_on_engine(image: str) -> bool:
    """
    Tell whether this machine's engine has an image of that name, so that it can be pushed.

    Raises:
        SandboxError: If no engine answers, or it fails.
    """
    client = connect()
    try:
        with engine_errors(f"look up {image}"):
            return find_image(client, image) is not None
    finally:
        client.close()


def _short_name(word: str) -> tuple[str, str]:
    """Give the last part of an image's name, and its tag."""
    repository, tag = parse_repository_tag(word)
    short = repository.rpartition("/")[2]
    tag = "latest" if not tag or tag.startswith("sha256:") else tag
    if not _NAME.fullmatch(short) or not _TAG.fullmatch(tag) or short == "sha256":
        raise UserError(f"{word!r} gives no name for the registry. Give one in lower case: --name trotter:1")
    return short, tag


def _tagged(client: DockerClient, image: str, repository: str, tag: str) -> bool:
    try:
        client.api.tag(image, repository, tag)
    except APIError as error:
        if error.is_client_error():
            return False
        raise
    return True


def _push(client: DockerClient, login: Login, repository: str, tag: str, tell: Callable[[str], None]) -> str:
    secret = {"username": login.name, "password": login.token}
    try:
        messages = client.api.push(repository, tag, stream=True, decode=True, auth_config=secret)
        digest = ""
        for message in messages:
            if "error" in message:
                raise _refused(repository, str(message["error"]))
            digest = str((message.get("aux") or {}).get("Digest", digest))
            if words := _words(message):
                tell(words)
    except APIError as error:
        raise _refused(repository, explain(error)) from None
    if not digest:
        raise RemoteError(f"The engine does not say whether {repository}:{tag} was pushed. Push it again.")
    return digest


def _refused(repository: str, why: str) -> LadderError | RemoteError:
    if "denied" in why or "unauthorized" in why:
        return LadderError(
            f"The ladder's registry does not take {repository}: {why.strip()}. Log in again: pigpen login"
        )
    return RemoteError(f"{repository} could not be pushed: {why.strip()}. Try again.")


def _words(message: dict[str, Any]) -> str:
    detail = message.get("progressDetail") or {}
    if detail.get("total"):
        return (
            f"{message.get('status', '')} {message.get('id', '')}: {detail.get('current', 0):,} of {detail['total']:,}"
        )
    return ""
