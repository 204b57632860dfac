"""`pigpen serve`: the web site of a ladder."""

from __future__ import annotations

from typing import Annotated

import typer

from ladder.cli.ladder import opened, the_settings


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen at. By default: as the settings say.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="The port; 0: any that is free.")] = None,
) -> None:
    """
    Serve the web site of the ladder: standings, bots, matches, replays, and an API. Ctrl-C ends it.

    It plays nothing: run `pigpen ladder run` beside it, or both with `pigpen up`.

    Examples:
        pigpen serve

        pigpen serve --host 0.0.0.0 --port 80
    """
    from ladder.app.running import event_log
    from ladder.site.server import serve as serve_site

    settings = the_settings()
    with opened(settings, create=True) as ladder, event_log(ladder, "site"):
        serve_site(
            ladder,
            settings.site_host if host is None else host,
            settings.site_port if port is None else port,
            lambda address: typer.echo(f"The site is at {address}"),
            settings.site_proxy,
        )
