"""The environment of Gymnasium: one seat to learn, bots in the others."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces

from pigpen.bot import Bot, WrongAnswer, decide, notify
from pigpen.learn._spaces import observation_box
from pigpen.learn.action_numbers import DONE, number_of
from pigpen.learn.encoding import Encoding
from pigpen.learn.single_table import Table
from pigpen.rules import IllegalAction, Phase
from pigpen.values.notices import ClockSetting, DealResult, Welcome
from pigpen.values.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pigpen.rules import Rules

    Observation = NDArray[np.uint8]
    Info = dict[str, Any]

SECONDS = 60.0
"""Limit and bank that the bots are shown. No clock runs."""


class SeatEnv(gymnasium.Env["Observation", int]):
    """One seat of a table. An episode is a deal; the bots decide within a step."""

    def __init__(
        self,
        bots: Sequence[Callable[[], Bot] | Bot],
        rules: Rules | str,
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """
        Make the environment. See `pigpen.learn.against`.

        Raises:
            ValueError: If the number of bots is not that of the other seats, or there is no such seat or preset.
        """
        self.encoding = Encoding(rules)
        others = self.encoding.players - 1
        if len(bots) != others:
            raise ValueError(f"{self.encoding.rules.name} takes {others} bots beside yours; {len(bots)} are given.")
        if seat is not None and not 0 <= seat <= others:
            raise ValueError(f"There is no seat {seat}. Choose one from 0 to {others}, or None for any.")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"There is no render mode {render_mode!r}. Choose 'ansi', a text, or None.")
        self.metadata = {"render_modes": ["ansi"]}
        self.render_mode = render_mode
        self.observation_space = observation_box(self.encoding)
        self.action_space = spaces.Discrete(self.encoding.actions)  # type: ignore[assignment]  # its numbers are numpy's
        self._makers, self._wanted = tuple(bots), seat  # before the bots: a pickle of a maker may bring their class
        self._table: Table | None = None
        self._seat = 0
        self._bots: dict[int, Bot] = {}
        self._decisions = 0

    def __copy__(self) -> SeatEnv:
        return deepcopy(self)  # an environment and its copy share no deal

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Observation, Info]:
        """Begin a deal: the first one of *seed*; without it the next one."""
        super().reset(seed=seed)
        if seed is not None or self._table is None:
            self._table = Table(self.encoding.rules, int(self.np_random.integers(1 << 62)) if seed is None else seed)
        else:
            self._table.deal_anew()
        while not self._begin(self._table):
            self._table.deal_anew()
        return self._observation(self._table), self._info(self._table)

    def step(self, action: int | np.integer[Any]) -> tuple[Observation, float, bool, bool, Info]:
        """
        Take an action; then the bots decide, until it is the seat's turn again.

        An illegal action is replaced by the default one, as the referee does; ``info["illegal"]`` is then true.

        Raises:
            IllegalAction: If it is no whole number; nothing has changed.
        """
        table = self._of_deal()
        if table.deal.is_over:
            raise ValueError("The deal is over. Call reset() first.")
        number, legal = number_of(action), table.steps.legal()
        is_illegal = number not in legal
        if is_illegal:
            number = DONE if table.deal.phase is Phase.EXPOSE else legal[0]
        table.act(number)
        self._let_bots_decide(table)
        info = self._info(table) | {"illegal": is_illegal}
        if not table.deal.is_over:
            return self._observation(table), 0.0, False, False, info
        self._tell_bots(table)
        info["points"] = table.deal.scores()[self._seat]
        return self._observation(table), table.rewards()[self._seat], True, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions; some libraries, such as sb3-contrib, call this."""
        return self._mask(self._of_deal()).astype(np.bool_)

    def render(self) -> str | None:
        """Return what the seat sees, if the render mode is ``ansi``."""
        if self.render_mode is None:
            return None
        view = self._of_deal().deal.view(self._seat)
        return f"{view!r}, legal {' '.join(map(str, view.legal)) or '-'}"

    def _of_deal(self) -> Table:
        if self._table is None:
            raise ValueError("Call reset() first.")
        return self._table

    def _begin(self, table: Table) -> bool:
        """Seat everybody, and let the bots decide; whether the seat then has a choice."""
        players = self.encoding.players
        self._seat = int(self.np_random.integers(players)) if self._wanted is None else self._wanted
        self._decisions = 0
        seats = [(self._seat + place) % players for place in range(1, players)]
        self._bots = {
            seat: each if isinstance(each, Bot) else each() for seat, each in zip(seats, self._makers, strict=True)
        }
        clock = ClockSetting(SECONDS, 0.0, SECONDS, start_up=SECONDS)
        for seat, bot in self._bots.items():
            bot.match_started(Welcome(self.encoding.rules, seat, "boards:1", clock))
        self._let_bots_decide(table)
        return not table.deal.is_over

    def _let_bots_decide(self, table: Table) -> None:
        while not table.deal.is_over and table.seat != self._seat:
            self._decisions += 1
            view = View(
                *table.deal.known_to(table.seat), totals=(0,) * self.encoding.players, decision=self._decisions,
                seed=int(self.np_random.integers(1 << 62)), limit=SECONDS, bank=SECONDS,
            )  # fmt: skip
            try:
                table.decide(decide(self._bots[table.seat], view))
            except (WrongAnswer, IllegalAction):  # the referee would note a fault, and do the same
                table.decide(table.deal.default_action(table.seat))

    def _tell_bots(self, table: Table) -> None:
        scores = table.deal.scores()
        for seat, bot in self._bots.items():
            notify(bot, DealResult(deal=table.deal.number, seat=seat, scores=scores, totals=scores))

    def _observation(self, table: Table) -> Observation:
        return self.encoding.unpack(self._packed(table))

    def _packed(self, table: Table) -> NDArray[np.uint64]:
        over = table.deal.is_over
        view, steps = (table.deal.view(self._seat), None) if over else (table.view, table.steps)
        return np.array(self.encoding.observe(view, steps), dtype=np.uint64)

    def _mask(self, table: Table) -> NDArray[np.int8]:
        return self.encoding.mask(self._packed(table))

    def _info(self, table: Table) -> Info:
        return {"seat": self._seat, "action_mask": self._mask(table)}
