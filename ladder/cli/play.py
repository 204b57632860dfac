"""`pigpen play`: a match on this machine, with the referee and the sandbox of the ladder."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ladder.bots import find_bot
from ladder.cli.problems import UserError
from ladder.cli.result_table import print_json, print_result
from ladder.cli.running import run
from ladder.cli.sandboxes import SandboxName, open_sandbox
from ladder.inline import load_bot_class
from ladder.play import Played, play_inline, play_sandboxed
from ladder.sandbox.base import SandboxError
from pigpen import ClockSetting
from pigpen.rules import Rules, new_seed, seed_from
from referee.formats import Format
from referee.match import DEFAULT_CLOCK, MatchSpec
from referee.record import DealLine, to_json
from referee.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import FileIO

    from ladder.bots import BotSource
    from referee.record import AnyLine


MOST_SECONDS = 1_000_000


def play(
    bots: Annotated[list[str], typer.Argument(help="A sample bot's name, a folder or an image, one for each seat.")],
    rules: Annotated[str, typer.Option(help="A preset (see: pigpen rules) or a TOML file.")] = "gongzhu",
    deals: Annotated[int | None, typer.Option(min=1, help="Play N independent deals (16 by default).")] = None,
    game: Annotated[bool, typer.Option("--game", help="Play to the variant's own end.")] = False,
    seed: Annotated[str, typer.Option(help="Any text, or 64 hex digits: the same seed, the same match.")] = "",
    sandbox: Annotated[SandboxName, typer.Option(help="How the bots are kept.")] = SandboxName.DOCKER,
    clock: Annotated[str, typer.Option(help="Seconds in the bank + seconds added for each decision.")] = "60+0.1",
    limit: Annotated[
        float, typer.Option(min=0.001, max=3600, help="Most seconds for one decision.")
    ] = DEFAULT_CLOCK.limit,
    record: Annotated[Path | None, typer.Option(help="Write the match to this file (JSON Lines).")] = None,
    runtime: Annotated[str, typer.Option(help="The OCI runtime of the docker sandbox.")] = "runc",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """
    Let bots play a match on this machine, and show how they did.

    Examples:
        pigpen play random cautious counting ./mybot

        pigpen play random cautious counting ./mybot --rules hearts --deals 64 --seed 7

        pigpen play ./mybot counting --rules gongzhu-partners --game --record match.jsonl
    """
    variant = load_rules(rules)
    if game and deals is not None:
        raise UserError("--game and --deals exclude each other: choose one.")
    sources = _seat(bots, variant)
    spec = MatchSpec(
        variant,
        _names(sources),
        Format() if game else Format(deals or 16),
        _clock(clock, limit),
        seed_from(seed) if seed else new_seed(),
    )
    lines: list[DealLine] = []
    with _recording(record) as write, _progress(spec) as advance:

        def take(line: AnyLine) -> None:
            write(line)
            if isinstance(line, DealLine):
                lines.append(line)
                advance()

        played = run(_play(spec, sources, sandbox, runtime, take), blocks=sandbox is SandboxName.INLINE)
    if as_json:
        print_json(spec, played, lines)
    else:
        print_result(spec, played, lines)


def _seat(words: list[str], rules: Rules) -> list[BotSource]:
    """The bot of each seat; with partners two words are enough, each bot in both chairs of its team."""
    sources = [find_bot(word) for word in words]
    if rules.partners and len(sources) == 2:
        sources *= 2
    if len(sources) != rules.players:
        wanted = "2 bots, one for each team, or 4" if rules.partners else f"{rules.players} bots"
        raise UserError(f"{rules.name} takes {wanted}; {len(sources)} named. The same bot may be named several times.")
    return sources


def _names(sources: list[BotSource]) -> tuple[str, ...]:
    """A name for each seat; a bot that sits in several is numbered."""
    names: list[str] = []
    for source in sources:
        count = sum(name.partition("#")[0] == source.name for name in names)
        names.append(f"{source.name}#{count + 1}" if count else source.name)
    return tuple(names)


def _clock(text: str, limit: float) -> ClockSetting:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?))?", text)
    if not found:
        raise UserError(f"{text!r} is not a clock; write seconds in the bank + seconds for each decision: 60+0.1")
    bank, increment = float(found[1]), float(found[2] or 0)
    if bank + increment > MOST_SECONDS:
        raise UserError(f"The clock {text!r} is too long; at most {MOST_SECONDS} seconds.")
    if not bank + increment:
        raise UserError(
            f"The clock {text!r} leaves no time; write seconds in the bank + seconds for each decision: 60+0.1"
        )
    return ClockSetting(bank, increment, limit, DEFAULT_CLOCK.start_up)


async def _play(
    spec: MatchSpec, sources: list[BotSource], sandbox: SandboxName, runtime: str, write: Callable[[AnyLine], None]
) -> Played:
    if sandbox is SandboxName.INLINE:
        return await play_inline(spec, [load_bot_class(source) for source in sources], write)
    pens = open_sandbox(sandbox, runtime)
    try:
        programs = [await pens.load(source) for source in sources]
        return await play_sandboxed(spec, programs, write)
    finally:
        await pens.close()


@contextmanager
def _recording(path: Path | None) -> Iterator[Callable[[AnyLine], None]]:
    """Give a function that writes a line to *path*, if there is one; overwrites nothing, leaves no empty file."""
    if path is None:
        yield lambda line: None
        return
    try:
        file = path.open("xb", buffering=0)
    except FileExistsError:
        raise UserError(f"{str(path)!r} is there already. Name another file; nothing was changed.") from None
    except OSError as error:
        raise UserError(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    try:
        with file:
            yield lambda line: _write(file, line)
    finally:
        if not path.stat().st_size:
            path.unlink()


def _write(file: FileIO, line: AnyLine) -> None:
    """Write a whole line, or nothing of it."""
    end = file.tell()
    rest = f"{to_json(line)}\n".encode()
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        file.truncate(end)
        raise SandboxError(
            f"The record {str(file.name)!r} cannot be written: {error.strerror}. What it holds is whole; make room."
        ) from error


@contextmanager
def _progress(spec: MatchSpec) -> Iterator[Callable[[], None]]:
    """Give a function to call after each deal; a bar shows on a terminal only."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("deals", total=spec.format.deals)
        yield lambda: progress.advance(task)
