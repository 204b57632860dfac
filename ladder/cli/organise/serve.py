"""`pigpen serve`: the web site of a ladder; `pigpen up`: the site and the ladder's runner together."""

from __future__ import annotations

import signal
import socket
import tempfile
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.organise.doctor import say_what_is_missing
from ladder.cli.organise.registry import TlsOption, prepare_registry
from ladder.errors import UserError
from ladder.terminal.ladder import opened, the_settings
from ladder.terminal.sanitize import sanitize
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.app.supervisor import SupervisedProcess
    from ladder.settings.settings import Settings
    from ladder.site.server.listening import Tls

NO_WHEELS = (
    "The site has no wheels of Pigpen to offer. In a checkout run make wheels; or copy them to {}, and start again."
)

HostOption = Annotated[str | None, typer.Option(help="The address to listen at. By default: as the settings say.")]
PortOption = Annotated[
    int | None, typer.Option(min=0, max=65535, help="The port. 0: port 8020, or a free one if that is taken.")
]

RegistryOption = Annotated[
    int | None,
    typer.Option(
        metavar="PORT", min=1, max=65535, help="Also run a registry of images (docker-registry) at this port."
    ),
]
ClusterOption = Annotated[
    bool, typer.Option("--cluster", help="Play on the machines where pigpen worker runs, and not on this one.")
]


def serve(
    host: HostOption = None,
    port: PortOption = None,
    tls: TlsOption = None,
    descriptor: Annotated[
        int | None, typer.Option("--fd", hidden=True, help="File descriptor of a socket that listens already.")
    ] = None,
) -> None:
    """
    Serve the web site of the ladder: standings, bots, matches, replays, and an API. Ctrl-C ends it.

    It plays no matches, and simulates nothing: run `pigpen ladder run`, `pigpen ladder tables` and
    `pigpen ladder compute` beside it, or all of them with `pigpen up`.

    Examples:
        pigpen serve

        pigpen serve --host 0.0.0.0 --port 443 --tls fullchain.pem privkey.pem
    """
    from ladder.app.event_log import event_log
    from ladder.serving import web_server
    from ladder.site.server.listening import Tls

    settings = the_settings()
    certificate = Tls.of(settings, tls)
    listener = _listen(settings, host, port, certificate) if descriptor is None else socket.socket(fileno=descriptor)
    with closing(listener), opened(settings, True, many_readers=True) as ladder, event_log(ladder, "site"):
        _say_where(settings, listener, certificate)
        web_server.serve(ladder, listener, certificate)


def up(
    host: HostOption = None,
    port: PortOption = None,
    tls: TlsOption = None,
    registry: RegistryOption = None,
    cluster: ClusterOption = False,
) -> None:
    """
    Run a whole ladder on this machine: web site, matches, tables, estimates. A process that dies is restarted.

    Enter bots from another terminal with `pigpen submit`. The first Ctrl-C finishes the running matches and
    then ends the site. The second one stops the matches; the next run plays them again.

    While the ladder has no organiser, each start prints a new link, with which the first organiser makes an account.

    Examples:
        pigpen up

        pigpen up --host 0.0.0.0 --port 443 --tls fullchain.pem privkey.pem

        pigpen up --registry 5000

        pigpen up --cluster --registry 5000 --host 10.0.0.1
    """
    from ladder.app.accounts.links import link_of
    from ladder.app.accounts.provider_settings import check_provider
    from ladder.app.accounts.registering import first_invitation
    from ladder.app.seasons import check_clocks
    from ladder.app.speed import ladder_speed
    from ladder.app.supervisor import SupervisedProcess, Supervisor
    from ladder.cli.entry import main_of_fork
    from ladder.cli.organise.preloading import preload
    from ladder.cli.organise.run import run_computing, run_ladder
    from ladder.people.commands.table import run_tables
    from ladder.sandbox.host.scratch import check_socket_paths
    from ladder.site.server.listening import Tls, address_of

    settings = the_settings()
    check_provider(settings)
    if not cluster:
        check_socket_paths(tempfile.gettempdir())
    certificate = Tls.of(settings, tls)
    logs = settings.data_dir / "logs"
    with closing(_listen(settings, host, port, certificate)) as listener, ExitStack() as stack:
        address = address_of(listener, tls=certificate is not None)
        with opened(settings, create=True) as ladder:
            check_clocks(ladder)
            logs.mkdir(parents=True, exist_ok=True)
            first, speed = first_invitation(ladder), "" if cluster else ladder_speed(ladder)
            _say_where(settings, listener, certificate)
            _say_without_wheels(settings)
            host = str(listener.getsockname()[0])
            images = [] if registry is None else [prepare_registry(ladder, stack, host, registry, address, certificate)]
        number = listener.fileno()
        words = ("serve", "--fd", str(number), *(("--tls", *map(str, tls)) if tls else ()))

        def ours(
            name: str, words: Sequence[str], log: str, command: Callable[[], object], *descriptors: int
        ) -> SupervisedProcess:
            return SupervisedProcess(name, words, logs / log, descriptors, main=partial(main_of_fork, command))

        def runner(name: str, words: Sequence[str], log: str, command: Callable[..., object]) -> SupervisedProcess:
            """Prepare one whose events are in a file already: the one of its stderr is not rotated while it runs."""
            return ours(name, ("ladder", *words, "--no-log-to-stderr"), log, partial(command, log_to_stderr=False))

        site = ours("The site", words, "site.err", partial(serve, tls=tls, descriptor=number), number)
        play = partial(run_ladder, cluster=cluster)
        matches = runner("The runner of matches", ("run", *["--cluster"] * cluster), "ladder.err", play)
        tables = runner("The runner of tables", ("tables",), "tables.err", run_tables)
        computing = runner("The runner of estimates", ("compute",), "computing.err", run_computing)
        parts = [site, *images, computing, tables, matches]
        supervisor = Supervisor(parts, lambda words: typer.echo(sanitize(words), err=True), preload)
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, lambda *_: supervisor.stop())
        if settings.sandbox == SandboxKind.DOCKER and not cluster:
            say_what_is_missing(settings)
        if speed:
            typer.echo(sanitize(speed))
        if first is not None:
            link = link_of(settings, first, address).link
            becomes = "The first visitor who opens this link becomes the organiser"
            typer.echo(sanitize(f"The ladder has no organiser yet. {becomes}: {link}"))
        typer.echo(sanitize(f"The ladder is in {settings.data_dir}; its logs are in {logs}. Ctrl-C ends all."))
        supervisor.run()


def _listen(settings: Settings, host: str | None, port: int | None, tls: Tls | None) -> socket.socket:
    from ladder.site.server.listening import check_reach, listen

    listener = listen(settings.site_host if host is None else host, settings.site_port if port is None else port)
    try:
        check_reach(listener, settings, tls=tls is not None)
    except UserError:
        listener.close()
        raise
    return listener


def _say_without_wheels(settings: Settings) -> None:
    """Say so if visitors cannot install Pigpen from this site."""
    from ladder.app.wheels import find_wheels

    if not find_wheels(settings.data_dir):
        typer.echo(sanitize(NO_WHEELS.format(settings.data_dir / "wheels")))


def _say_where(settings: Settings, listener: socket.socket, tls: Tls | None) -> None:
    from ladder.app.accounts.links import note_address
    from ladder.site.server.listening import address_of

    address = address_of(listener, tls=tls is not None)
    note_address(settings, address)
    typer.echo(sanitize(f"The site is at {address}"))
    if settings.site_url:
        typer.echo(sanitize(f"Visitors reach it at {settings.site_url}/"))
