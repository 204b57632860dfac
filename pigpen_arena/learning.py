"""Environments with bots by name, and the data set as they would have seen it."""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ladder.errors import UserError
from ladder.sandbox.inline import InlineProgram, as_program
from pigpen import Bot, margin
from pigpen.learn import Encoding
from pigpen.learn import against as against_bots
from pigpen.rules import Deal
from pigpen_arena.bots import NamedBots
from pigpen_arena.dataset import read_parts
from referee.records.rules_file import load_rules
from referee.records.steps import parse_action

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike
    from pathlib import Path

    import gymnasium
    import numpy as np
    from numpy.typing import NDArray

    from pigpen.rules import Action, Rules
    from pigpen_arena.bots import AnyBot

    Row = dict[str, Any]

NO_NUMPY = "Observations need numpy. Install it: pip install numpy"
DEAL = itemgetter("match", "deal", "rotation")


def against(
    bots: Iterable[AnyBot],
    rules: str | PathLike[str] = "gongzhu",
    seat: int | None = None,
    render_mode: str | None = None,
    mask_in_observation: bool = False,
) -> gymnasium.Env[Any, int]:
    """
    Make an environment of Gymnasium: one seat to learn, bots in the others, which run in this process.

    >>> import pigpen_arena as arena
    >>> env = arena.against(["counting", "cautious", "random"], rules="hearts")
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape, int(info["action_mask"].sum()) > 1
    ((1124,), True)

    Args:
        bots: What sits in each other seat, clockwise: classes, bots, folders or names. Each deal makes new ones, but
            for bots that have been made.
        rules: A preset, or the path of a TOML file.
        seat: The seat to learn; None: any, anew for each deal.
        render_mode: ``ansi``: `render` returns a text. ``human``: each step prints it.
        mask_in_observation: True: an observation is a dictionary, ``observation`` and ``action_mask``.

    Raises:
        UserError, PigpenError: If there is no such bot, variant or seat.
        ImportError: If a package is missing; the message says how to install it.
    """
    named, variant = NamedBots("inline"), load_rules(str(rules))
    makers = [each if isinstance(each, Bot) else _Maker(named, word) for each, word in _with_words(named, bots)]
    try:
        return against_bots(makers, variant, seat, render_mode, mask_in_observation)
    except ValueError as error:
        raise UserError(str(error)) from None


class LearnedDeal(NamedTuple):
    """One deal of a data set as `pigpen.learn` has it: a row for each step in which more than one action was legal."""

    match: int
    """Number of the match."""
    observations: NDArray[np.uint64]
    """Packed, shape (steps, words)."""
    actions: NDArray[np.int64]
    """Actions played, shape (steps,)."""
    seats: NDArray[np.int64]
    """Seats that acted, shape (steps,)."""
    by_bot: NDArray[np.bool_]
    """True where the bot acted, shape (steps,); else it was late, wrong or gone, and the default policy did."""
    rewards: NDArray[np.float32]
    """By how many points each seat was better than the mean of the table, shape (players,)."""


def load_steps(source: str | Path, rules: str | PathLike[str], *, season: str | None = None) -> Iterator[LearnedDeal]:
    """
    Read the deals of one variant of a data set as the environments of `pigpen.learn` would show them.

    `Encoding.steps` encodes each decision: the same version of the same encoding as in every environment.

    Args:
        source: The folder where `pigpen ladder export` has written the data set, or the address of a ladder that has
            one.
        rules: A preset, or the path of a TOML file.
        season: Only matches of the season of that name; None: all, those of events too.

    Yields:
        The deals, match by match.

    Raises:
        LadderError, RemoteError: If the ladder offers no data set, or does not answer.
        UserError: If there is no such data set, a library is not installed, or a deal was played by other rules of
            that name, as in a season before they were changed.
        RulesFileError: If there is no such variant.
    """
    try:
        import numpy  # noqa: F401
    except ModuleNotFoundError:
        raise UserError(NO_NUMPY) from None
    encoding = Encoding(load_rules(str(rules)))
    tables = [read_parts(source, table) for table in ("matches", "deals", "decisions")]
    for matches, deals, decisions in zip(*tables, strict=True):
        formats = {
            row["match"]: row["format"]
            for row in matches
            if row["variant"] == encoding.rules.name and season in (None, row["season"])
        }
        hands = {key: list(rows) for key, rows in groupby(deals, DEAL) if key[0] in formats}
        for key, rows in groupby(decisions, DEAL):
            if key in hands:
                yield _encoded(encoding, key[0], formats[key[0]], hands[key], list(rows))


def _encoded(encoding: Encoding, match: int, form: str, seats: list[Row], rows: list[Row]) -> LearnedDeal:
    rules, number = encoding.rules, rows[0]["deal"] - 1
    leader = next(row["seat"] for row in rows if row["kind"] == "play") if _is_led(rules, form, number) else None
    decisions = [(row["seat"], parse_action(row["kind"], row["choice"]), row["by"] == "bot") for row in rows]
    with suppress(ValueError):  # a RulesError is one
        deal = Deal(rules, [row["hand"] for row in seats], number=number, leader=leader)
        learned = learned_deal(encoding, match, deal, decisions)
        if list(deal.scores()) == [row["score"] for row in seats]:
            return learned
    raise UserError(
        f"deal {number + 1} of match {match} was played by other rules than {rules.name!r} has here; give the file of "
        "the rules of its season, and season=NAME to read that season alone"
    )


def learned_deal(
    encoding: Encoding, match: int, deal: Deal, decisions: Iterable[tuple[int, Action, bool]]
) -> LearnedDeal:
    """
    Encode a deal that was played.

    Args:
        encoding: That of the variant.
        match: Number of the match.
        deal: The deal before the first decision; it is played to its end.
        decisions: All of them in order: the seat, its answer, and whether it was its own.

    Raises:
        RulesError: If one of them is not legal, or another seat's.
    """
    import numpy as np

    steps, rules = [], encoding.rules
    for seat, answer, own in decisions:
        for observation, action in encoding.steps(deal.view(seat), answer):
            steps.append((observation, action, seat, own))
        deal.apply(seat, answer)
    observations, actions, who, by_bot = zip(*steps, strict=True) if steps else ((), (), (), ())
    scores = deal.scores()
    return LearnedDeal(
        match,
        np.array(observations, dtype=np.uint64).reshape(-1, encoding.words),
        np.array(actions, dtype=np.int64),
        np.array(who, dtype=np.int64),
        np.array(by_bot, dtype=np.bool_),
        np.array([margin(rules, scores, seat) / rules.players for seat in range(rules.players)], dtype=np.float32),
    )


def _is_led(rules: Rules, form: str, number: int) -> bool:
    """Tell whether the deal before says who leads to the first trick."""
    return bool(rules.opening.later) and form == "game" and number > 0


def _with_words(named: NamedBots, bots: Iterable[AnyBot]) -> Sequence[tuple[AnyBot, str]]:
    given = list(bots) if not isinstance(bots, str) else []
    return list(zip(given, named.words(given or bots), strict=True))


class _Maker:
    """Makes a bot by name for each deal."""

    def __init__(self, named: NamedBots, word: str) -> None:
        with as_program():
            self._program = InlineProgram(named.find(word))

    def __call__(self) -> Bot:
        with as_program():
            return self._program()
