"""The program docker-registry: its plan, and the removal of unused images before it takes requests."""

from __future__ import annotations

import fcntl
import itertools
import os
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from ladder.errors import SandboxError, UserError
from ladder.registry.image_names import OWN, ImageName, in_registry
from ladder.registry.login import RegistryLogin
from ladder.registry.program import ENVIRONMENT, RegistryPlan, is_loopback, registry_program, write_config
from ladder.registry.registry_client import RegistryClient
from ladder.registry.tokens import DELETE, FOLDER, LADDER_SECONDS, Access, registry_key, sign
from ladder.sandbox.process.forked import dying_with_us
from ladder.store.queries.images import image_use

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.settings.settings import Settings

TOKEN_PATH = "api/v1/registry/token"
LOCK = "lock"
REPOSITORIES = "docker/registry/v2/repositories"
"""The folder that the first push makes."""
SWEEP_CONFIG = "sweep.yml"
START_SECONDS = 30.0
LOOK_SECONDS = 0.05


def plan_registry(
    settings: Settings, host: str, port: int, site: str, tls: tuple[Path, Path] | None
) -> tuple[str, RegistryPlan]:
    """
    Decide where the ladder's registry listens; gives the address by which all know it, too.

    Args:
        settings: The ladder's settings; `registry` says the address for contestants.
        host: Where the site listens.
        port: Where the registry is to listen.
        site: The site's address on this machine, with a slash at its end.
        tls: The site's certificate and key.

    Raises:
        UserError: If contestants could not find it.
    """
    address = settings.registry or f"127.0.0.1:{port}"
    if not settings.registry and not is_loopback(f"[{host}]:0" if ":" in host else f"{host}:0"):
        raise UserError(
            f"Contestants on other machines must know the registry by a name: setting registry, such as "
            f"arena.example:{port}."
        )
    if is_loopback(address):
        listen, tls = f"127.0.0.1:{port}", None
    else:
        listen = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        if not settings.site_url:
            raise UserError("The registry sends contestants to the site for tokens: its address is missing (site_url).")
    realm = f"{(settings.site_url or site).rstrip('/')}/{TOKEN_PATH}"
    return address, RegistryPlan(settings.data_dir, listen, realm, tls)


@contextmanager
def sole_registry(data_dir: Path) -> Iterator[None]:
    """
    Make sure that no other process runs this ladder's registry: to remove images while others push would destroy some.

    Raises:
        SandboxError: If the ladder's folder cannot be written.
        UserError: If another one does.
    """
    path = data_dir / FOLDER / LOCK
    registry_key(data_dir)
    with path.open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"The registry of the ladder in {str(data_dir)!r} runs already.") from None
        yield


def check_free(listen: str) -> None:
    """
    Make sure that the registry can listen.

    Raises:
        UserError: If not.
    """
    host, _, port = listen.rpartition(":")
    try:
        family = socket.AF_INET6 if "[" in host else socket.AF_INET
        socket.create_server((host.strip("[]"), int(port)), family=family).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise UserError(f"The registry cannot listen at {listen}: {reason}. Choose another port: --registry") from None


def sweep(ladder: Ladder, address: str, plan: RegistryPlan) -> int:
    """
    Remove images whose versions have retired everywhere, and layers of no image; the registry must not run.

    Images that the ladder has built stay: a submission of the same folder finds them again.

    Args:
        ladder: The ladder.
        address: By which versions name the registry.
        plan: How it would run.

    Returns:
        How many images were removed.

    Raises:
        SandboxError: If the program fails; what it needs is still there.
    """
    if not (plan.images / REPOSITORIES).exists():  # the program would fail
        return 0
    with ladder.database.read() as session:
        use = image_use(session)
    retired = [image for image in _images(use.retired, address) if image.namespace != OWN]
    removed = _delete(plan, retired, _images(use.needed, address), ladder.clock()) if retired else 0
    _collect(write_config(replace(plan, may_delete=True, read_only=True), SWEEP_CONFIG))
    return removed


def _images(references: Iterable[str], address: str) -> list[ImageName]:
    return [image for reference in references if (image := in_registry(reference, address))]


def _delete(plan: RegistryPlan, retired: Iterable[ImageName], needed: Iterable[ImageName], now: float) -> int:
    by_name = sorted(retired, key=attrgetter("repository"))
    wanted = list(needed)
    removed = 0
    with _running(replace(plan, listen=f"127.0.0.1:{_free_port()}", tls=None, may_delete=True)) as address:
        for repository, images in itertools.groupby(by_name, attrgetter("repository")):
            access = Access(repository, ("pull", DELETE))
            token = sign(registry_key(plan.data_dir), "", [access], now, LADDER_SECONDS)
            with RegistryClient(RegistryLogin(address=address, plain=True, token=token)) as client:
                needed_here = (image for image in wanted if image.repository == repository)
                kept = {image.reference if image.is_digest else client.digest(image) for image in needed_here}
                digests = {image.reference for image in images if image.is_digest} - kept
                removed += sum(client.delete(repository, digest) for digest in digests)
    return removed


def _collect(config: Path) -> None:
    """Remove the files that no manifest needs."""
    command = [registry_program(), "garbage-collect", str(config)]
    done = subprocess.run(dying_with_us(command), env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        words = done.stderr.strip().splitlines()[-1:] or ["it does not say why"]
        raise SandboxError(f"The registry could not be cleaned up: {words[0]}")


@contextmanager
def _running(plan: RegistryPlan) -> Iterator[str]:
    """Run the registry for a moment, for this process alone; gives its address."""
    config = write_config(plan, SWEEP_CONFIG)
    with subprocess.Popen(
        dying_with_us([registry_program(), "serve", str(config)]),
        env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as program:  # fmt: skip
        try:
            _wait(program, plan.listen)
            yield plan.listen
        finally:
            program.terminate()


def _wait(program: subprocess.Popen[bytes], listen: str) -> None:
    host, _, port = listen.rpartition(":")
    for _ in range(int(START_SECONDS / LOOK_SECONDS)):
        if program.poll() is not None:
            break
        try:
            socket.create_connection((host, int(port)), START_SECONDS).close()
        except OSError:
            time.sleep(LOOK_SECONDS)
        else:
            return
    raise SandboxError("The registry could not be cleaned up: it does not start. Look into logs/registry.err")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
