"""The Docker engine: how to reach it, and how its errors become sentences."""

from __future__ import annotations

import os
import socket
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

import docker
from docker.errors import APIError, DockerException, ImageNotFound
from requests import ReadTimeout, RequestException
from urllib3.exceptions import HTTPError

from ladder.errors import EngineApart, SandboxError
from ladder.values.sandbox_kind import WITHOUT_ENGINE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from requests import PreparedRequest, Response

T = TypeVar("T")

ENGINE_ERRORS = (DockerException, RequestException, HTTPError)
"""Errors that the docker library raises when the engine refuses a call or does not answer."""

MAX_CONNECTIONS = 32

ENGINE_SECONDS = 30
"""
Seconds after which an engine that has not answered a call is asked whether it is there at all: it may only be slow.

Builds, pulls, and waiting for a container's end have limits of their own.
"""
PING_SECONDS = 10
"""Seconds that it may take for that answer; an engine that gives none has ended or hangs."""
BUSY_SECONDS = 600
"""Seconds that an engine that is there may take for one call."""

WITHOUT_CONTAINERS = (
    f"play bots that you trust with --sandbox {WITHOUT_ENGINE}. (A ladder does where pigpen.toml says "
    'sandbox = "process", before its first bot.)'
)
"""The way out where no container can run, as the end of a sentence."""
NO_FOLDER = "bind source path does not exist"
APART = (
    ". The engine does not see this folder: it runs in a virtual machine or on another machine, or Pigpen runs in a "
    "container. Use an engine on this machine (DOCKER_HOST names one), set TMPDIR to a folder that both see under one "
    f"name, or {WITHOUT_CONTAINERS}"
)
"""Addition to the engine's message where it does not find a folder that a container is to see."""

PULL_SECONDS = 1800.0
"""Seconds that a pull may take; the registry may be a stranger's."""


def connect(instead: str = WITHOUT_CONTAINERS) -> docker.DockerClient:
    """
    Reach the engine that DOCKER_HOST names, or the local one.

    Args:
        instead: What can be done without an engine, as the end of a sentence; empty if nothing can.

    Raises:
        SandboxError: If none answers; the message names the ways out.
    """
    try:
        _probe_socket()
        return _Client.from_env(timeout=_UsualLimit(ENGINE_SECONDS), max_pool_size=MAX_CONNECTIONS)
    except (OSError, *ENGINE_ERRORS) as error:
        start = "No Docker engine answers. Start one (in a checkout: scripts/engine)"
        raise SandboxError(f"{start}, or {instead}" if instead else f"{start}.") from error


class EngineTooBusy(ReadTimeout):
    """The engine is there, and has not done what it was asked to do for too long."""


class _UsualLimit(int):
    """The seconds of a call that names no limit of its own."""


class PatientApi(docker.APIClient):
    """The engine's API: it waits longer than usual for an engine that is slow, and not for one that is not there."""

    ping_seconds: float = PING_SECONDS
    busy_seconds: float = BUSY_SECONDS

    def send(self, request: PreparedRequest, **options: Any) -> Response:
        """
        Send one request.

        Raises:
            RequestException: If there is no answer.
        """
        usual = options.get("timeout")
        if not isinstance(usual, _UsualLimit):
            return super().send(request, **options)
        call = partial(super().send, request, **{**options, "timeout": (usual, self.busy_seconds)})
        answer = in_thread(call)
        while True:
            try:
                return answer.result(usual)
            except ReadTimeout as error:
                raise EngineTooBusy(f"no answer within {self.busy_seconds:g} s, though it answers pings") from error
            except TimeoutError:
                if not self._is_there():
                    raise ReadTimeout(f"no answer within {usual:g} s, nor to a ping") from None

    def _is_there(self) -> bool:
        try:
            return bool(self.get(f"{self.base_url}/_ping", timeout=self.ping_seconds).ok)
        except ENGINE_ERRORS:
            return False


class _Client(docker.DockerClient):
    """The same with the library's names for everything."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.api = PatientApi(*arguments, **options)


def _probe_socket() -> None:
    """Try the local socket first: the library leaves the socket of a connection that failed open."""
    host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if host.startswith("unix://") and hasattr(socket, "AF_UNIX"):  # Python on Windows has none
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(ENGINE_SECONDS)
            probe.connect(host.removeprefix("unix://"))


def within(seconds: float, call: Callable[[], T]) -> T:
    """
    Make a call for which the library knows no time limit, in a thread that may outlive the wait for it.

    Raises:
        TimeoutError: If it takes longer.
        Exception: What the call raises.
    """
    return in_thread(call).result(seconds)


def in_thread(call: Callable[[], T]) -> Future[T]:
    """Make a call in a thread of its own, which holds up no exit."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(call())
        except Exception as error:  # raised where the result is awaited
            answer.set_exception(error)

    Thread(target=run, daemon=True).start()
    return answer


@contextmanager
def engine_errors(doing: str) -> Iterator[None]:
    """Turn the engine's errors into a `SandboxError` that says what could not be done (*doing*: "start a bot")."""
    try:
        yield
    except ImageNotFound as error:
        raise SandboxError(
            f"Docker could not {doing}: {explain(error)}. Was the image deleted? Start again to build or pull it anew."
        ) from error
    except APIError as error:
        apart = APART if NO_FOLDER in explain(error) else ""
        raise SandboxError(f"Docker could not {doing}: {explain(error)}{apart}") from error
    except EngineTooBusy as error:
        raise SandboxError(
            f"The Docker engine is too busy; it could not {doing} ({explain(error)}). Try again when the machine has "
            "less to do; if that does not help, start the engine again (in a checkout: scripts/engine)."
        ) from error
    except ENGINE_ERRORS as error:
        raise SandboxError(
            f"The Docker engine does not answer any more; it could not {doing} ({explain(error)}). "
            "Start it again (in a checkout: scripts/engine)."
        ) from error


@contextmanager
def before_any_bot() -> Iterator[None]:
    """
    Tell an engine that does not see this machine from a folder that is lost later: for containers that start first.

    Raises:
        EngineApart: If the engine does not find a folder of this machine.
    """
    try:
        yield
    except SandboxError as error:
        if NO_FOLDER in str(error):
            raise EngineApart(str(error)) from error
        raise


@contextmanager
def engine(doing: str) -> Iterator[docker.DockerClient]:
    """
    Reach the engine for a few calls; *doing* says what for ("start a bot").

    Raises:
        SandboxError: If none answers, or a call fails.
    """
    client = connect()
    try:
        with engine_errors(doing):
            yield client
    finally:
        client.close()


def explain(error: Exception) -> str:
    """Give the engine's own words, without the library's wrapping."""
    if isinstance(error, APIError) and error.explanation:
        return str(error.explanation).strip()
    return str(error)
