"""Playing a match."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from ladder.app.local.match_plan import MatchRequest, new_match
from ladder.app.local.play import play_match
from ladder.terminal.options import DEFAULT_CLOCK_TEXT, opened_sandbox, say, setup_of
from pigpen_arena.bots import NamedBots
from pigpen_arena.match import OWN_FOLDER, Match
from pigpen_arena.options import naming_arguments, requested
from pigpen_arena.running import blocking, shown
from referee.match.formats import DEFAULT_CLOCK

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from pigpen_arena.bots import AnyBot, Sandbox
    from pigpen_arena.running import Progress


@naming_arguments
async def play_async(
    bots: Iterable[AnyBot],
    rules: str | PathLike[str] = "gongzhu",
    *,
    boards: int | None = None,
    deals: int | None = None,
    game: bool = False,
    seed: str = "",
    sandbox: Sandbox = "inline",
    clock: str = DEFAULT_CLOCK_TEXT,
    limit: float = DEFAULT_CLOCK.limit,
    no_clock: bool = False,
    record: str | PathLike[str] | None = None,
    concurrency: int | None = None,
    runtime: str = "runc",
    progress: Progress = True,
) -> Match:
    """
    Let bots play a match on this machine.

    >>> match = play(["counting", "cautious", "random", "random"], "hearts", boards=4, seed="7")
    >>> match.rows()[0]["bot"]
    'counting'

    Args:
        bots: One for each seat; with partners one for each team is enough. A class is made anew for each rotation of a
            board; a bot that has been made plays all of them, one after the other.
        rules: A preset, or the path of a TOML file.
        boards: Number of boards, each played from every seat; 16 if neither deals nor game is given.
        deals: Number of independent deals.
        game: Play deals until the variant's own end.
        seed: Any text, or 64 hex digits: the same seed gives the same cards. Empty: a new one each time.
        sandbox: ``inline``: in this process, without isolation, and without a clock that can stop a bot. ``process``:
            in processes of their own, without isolation. ``docker``: in containers, as on a ladder.
        clock: Seconds in the bank + seconds added for each decision.
        limit: Most seconds for one decision.
        no_clock: Let bots think as long as they want, for example in a debugger, in place of the clock and the limit.
        record: Where to write the record, compressed if its name ends in .gz; None: where it goes with the match.
        concurrency: Number of rotations to play at once outside this process; None: the number of cores, less one.
        runtime: The OCI runtime of containers; ``auto``: gVisor where there is one.
        progress: Whether a bar shows on a terminal; or what is called after each deal with how many are done, and of
            how many (None: unknown).

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the sandbox failed; the match is void.
        UserError: If something that was asked for is not there, or makes no sense.
    """
    named = NamedBots(sandbox)
    folder = None if record else Path(mkdtemp(prefix=OWN_FOLDER))
    path = folder / "match.jsonl.gz" if folder else Path(record or "")
    tell = (lambda line: None) if folder else say  # where the record of an interrupted match is, unless it goes
    try:
        asked = requested(
            MatchRequest, bots=named.words(bots), rules=str(rules), boards=boards, deals=deals, game=game,
            seed=seed, clock=clock, limit=limit, no_clock=no_clock, record=path,
        )  # fmt: skip
        plan = replace(new_match(asked, named.find), can_resume=False)
        opened = opened_sandbox(setup_of(named.sandbox, runtime, fresh=False))
        played = await play_match(plan, opened, shown(progress, "deals", plan.deals), tell, concurrency)
        return Match(path, played, folder)
    except BaseException:
        if folder:
            shutil.rmtree(folder)
        raise


play = blocking(play_async)
