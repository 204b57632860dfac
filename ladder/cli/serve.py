"""`pigpen serve`: the web site of a ladder; `pigpen up`: the site and the ladder's runner together."""

from __future__ import annotations

import signal
import socket
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.ladder import opened, the_settings
from ladder.cli.sanitize import harmless

if TYPE_CHECKING:
    from ladder.settings.settings import Settings

HostOption = Annotated[str | None, typer.Option(help="The address to listen at. By default: as the settings say.")]
PortOption = Annotated[
    int | None, typer.Option(min=0, max=65535, help="The port; 0: 8020, or any other if that is taken.")
]


def serve(
    host: HostOption = None,
    port: PortOption = None,
    descriptor: Annotated[int | None, typer.Option("--fd", hidden=True, help="Listen there already.")] = None,
) -> None:
    """
    Serve the web site of the ladder: standings, bots, matches, replays, and an API. Ctrl-C ends it.

    It plays nothing: run `pigpen ladder run` beside it, or both with `pigpen up`.

    Examples:
        pigpen serve

        pigpen serve --host 0.0.0.0 --port 80
    """
    from ladder.app.running import event_log
    from ladder.site import server

    settings = the_settings()
    listener = _listen(settings, host, port) if descriptor is None else socket.socket(fileno=descriptor)
    with closing(listener), opened(settings, True, many_readers=True) as ladder, event_log(ladder, "site"):
        typer.echo(harmless(f"The site is at {server.address_of(listener)}"))
        server.serve(ladder, listener, settings.site_proxy)


def up(host: HostOption = None, port: PortOption = None) -> None:
    """
    Run all of a ladder on this machine: the web site, and the matches. Whatever dies is started again.

    Enter bots from another terminal with `pigpen submit`. The first Ctrl-C finishes the matches that are under way
    and then ends the site; the second one gives the matches up: they are played again by the next run.

    Examples:
        pigpen up

        pigpen up --host 0.0.0.0 --port 80
    """
    from ladder.app.supervisor import SupervisedProcess, Supervisor
    from ladder.site.server import address_of

    settings = the_settings()
    logs = settings.data_dir / "logs"
    with closing(_listen(settings, host, port)) as listener:
        with opened(settings, create=True):
            logs.mkdir(parents=True, exist_ok=True)
        number = listener.fileno()
        site = SupervisedProcess("The site", ("serve", "--fd", str(number)), logs / "site.err", (number,))
        matches = SupervisedProcess("The runner of matches", ("ladder", "run"), logs / "ladder.err")
        supervisor = Supervisor([site, matches], lambda words: typer.echo(harmless(words), err=True))
        for sign in (signal.SIGINT, signal.SIGTERM):
            signal.signal(sign, lambda *_: supervisor.stop())
        typer.echo(harmless(f"The site is at {address_of(listener)}"))
        typer.echo(harmless(f"The ladder is in {settings.data_dir}; its logs are in {logs}. Ctrl-C ends both."))
        supervisor.run()


def _listen(settings: Settings, host: str | None, port: int | None) -> socket.socket:
    from ladder.site.server import listen

    return listen(settings.site_host if host is None else host, settings.site_port if port is None else port)
