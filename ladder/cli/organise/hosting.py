"""Commands with which a ladder is hosted: units of systemd, the images and files of a ladder in containers."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.organise.registry import TlsOption, prepare_registry
from ladder.terminal.ladder import opened, the_settings
from ladder.terminal.options import say
from ladder.terminal.sanitize import sanitize

FolderArgument = Annotated[Path, typer.Argument(help="Where; it is made if it is not there.")]
PostgresOption = Annotated[bool, typer.Option("--postgres", help="With PostgreSQL as the database.")]


def write_units(folder: FolderArgument = Path("units")) -> None:
    """
    Write units of systemd: one that runs all of a ladder, and four that run its processes as a user without rights.

    They start the pigpen that writes them. docs/deploy.md says what they need, and which to start.

    Examples:
        pigpen ladder units /etc/systemd/system
    """
    from ladder.app.hosting.units import UNITS, is_hidden, own_program
    from ladder.app.hosting.units import write_units as write

    program = own_program()
    for path in write(folder, program):
        typer.echo(sanitize(f"{path}: {UNITS[path.name].about.removeprefix('Pigpen: ')}"))
    if is_hidden(program):
        say(f"Units do not see {program}, because they see no home folders. Install Pigpen in /opt, for example.")


def make_images(postgres: PostgresOption = False) -> None:
    """
    Make the image of a ladder in containers from Debian packages and the Pigpen that is installed here.

    It holds Pigpen, nginx and docker-registry. That takes root, on Debian, and some minutes, once. Images that the
    engine has already stay as they are.

    Examples:
        pigpen ladder image

        pigpen ladder image --postgres
    """
    from ladder.sandbox.docker.ladder_image import make_images as make

    for name, size in make(say, postgres=postgres).items():
        typer.echo(sanitize(f"{name}: {size / 1024**2:,.0f} MiB"))


def write_compose(
    name: Annotated[str, typer.Argument(help="Name of the site, such as arena.example.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")] = Path("arena"),
    postgres: PostgresOption = False,
    registry: Annotated[bool, typer.Option("--registry", help="With a registry of images, at port 5000.")] = False,
    data_dir: Annotated[Path, typer.Option(help="Folder of the ladder, on this machine.")] = Path("/var/lib/pigpen"),
) -> None:
    """
    Write the files of a ladder in containers: compose.yaml, its .env, nginx.conf, pigpen.toml, and a certificate.

    No browser trusts that certificate; put yours into its place. The images are made by: pigpen ladder image

    Examples:
        pigpen ladder compose arena.example

        pigpen ladder compose arena.example /srv/arena --postgres --registry
    """
    from ladder.app.hosting.compose_files import ComposeOrder
    from ladder.app.hosting.compose_files import write_compose as write

    for path in write(folder, ComposeOrder(name, data_dir, postgres=postgres, registry=registry)):
        typer.echo(sanitize(str(path)))


def run_registry(
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 5000,
    tls: TlsOption = None,
) -> None:
    """
    Run the ladder's registry of images (docker-registry) alone; pigpen up --registry runs it beside the site.

    Images that no version needs are removed first. Ctrl-C ends it.

    Examples:
        pigpen ladder registry

        pigpen ladder registry --host 0.0.0.0 --tls fullchain.pem privkey.pem
    """
    from ladder.app.accounts.links import site_address
    from ladder.app.supervisor import STOPPING, Supervisor
    from ladder.site.server.listening import Tls

    settings = the_settings()
    certificate = Tls.of(settings, tls)
    with ExitStack() as stack:
        with opened(settings) as ladder:
            (settings.data_dir / "logs").mkdir(exist_ok=True)
            process = prepare_registry(ladder, stack, host, port, f"{site_address(settings)}/", certificate)
        tell = partial(typer.echo, err=True)
        supervisor = Supervisor([process], lambda words: None if words in STOPPING else tell(sanitize(words)))
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, lambda *_: supervisor.stop())
        supervisor.run()
