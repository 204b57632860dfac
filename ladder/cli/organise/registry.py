"""The registry of images as a process: what `pigpen up --registry` and `pigpen ladder registry` have in common."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.errors import SandboxError
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from contextlib import ExitStack

    from ladder.app.ladder import Ladder
    from ladder.app.supervisor import SupervisedProcess
    from ladder.registry.program import RegistryPlan
    from ladder.site.server.listening import Tls

TlsOption = Annotated[
    tuple[Path, Path] | None,
    typer.Option("--tls", metavar="CERT KEY", help="Serve HTTPS with this certificate and key (PEM files)."),
]


def prepare_registry(
    ladder: Ladder, stack: ExitStack, host: str, port: int, site: str, tls: Tls | None
) -> SupervisedProcess:
    """
    Prepare the registry of images: what is not needed is removed before anyone can push.

    Args:
        ladder: The ladder.
        stack: Holds what keeps other processes from running it.
        host: Where it listens, if other machines know it by a name.
        port: Likewise.
        site: The site's address on this machine.
        tls: Certificate and key.
    """
    from ladder.app import registry_maintenance
    from ladder.app.supervisor import SupervisedProcess
    from ladder.registry.program import ENVIRONMENT, registry_program, write_config

    settings, program = ladder.settings, registry_program()
    files = (tls.certificate, tls.key) if tls else None
    address, plan = registry_maintenance.plan_registry(settings, host, port, site, files)
    stack.enter_context(registry_maintenance.sole_registry(settings.data_dir))
    registry_maintenance.check_free(plan.listen)
    if settings.registry_gc:
        _tidy(ladder, address, plan)
    os.environ["PIGPEN_REGISTRY"] = address  # for the site and the runner
    typer.echo(sanitize(f"The registry of images is at {address}"))
    words, log = ("serve", str(write_config(plan))), settings.data_dir / "logs" / "registry.err"
    return SupervisedProcess("The registry", words, log, program=program, environment=ENVIRONMENT)


def _tidy(ladder: Ladder, address: str, plan: RegistryPlan) -> None:
    """Remove images that are not needed; should that fail, the ladder runs all the same."""
    from ladder.app.registry_maintenance import sweep

    try:
        removed = sweep(ladder, address, plan)
    except SandboxError as error:
        typer.echo(sanitize(str(error)), err=True)
    else:
        if removed:
            typer.echo(sanitize(f"Images removed from the registry, because their versions have retired: {removed}"))
