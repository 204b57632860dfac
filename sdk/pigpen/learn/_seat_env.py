"""The environment of Gymnasium: one seat to learn, bots in the others."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from pigpen.bot import Bot, WrongAnswer, decide, notify
from pigpen.learn._spaces import check_render_mode, observation_space
from pigpen.learn.action_numbers import DONE, number_of
from pigpen.learn.encoding import Encoding
from pigpen.learn.single_table import Table
from pigpen.rules import IllegalAction, Phase
from pigpen.sim.playout import Policy
from pigpen.sim.sim_random import SimRandom
from pigpen.values.notices import ClockSetting, DealResult, Welcome
from pigpen.values.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pigpen.rules import Rules

    Observation = NDArray[np.uint8] | dict[str, NDArray[Any]]
    Info = dict[str, Any]

SECONDS = 60.0
"""Limit and bank that the bots are shown. No clock runs."""
ILLEGAL = (
    "An illegal action was replaced by the default one, as the referee does; 'illegal' in the info says where. Choose "
    "only actions that the action mask allows. Each environment gives this warning once."
)


class SeatEnv(gymnasium.Env["Observation", int]):
    """One seat of a table. An episode is a deal; the bots decide within a step."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "human"], "render_fps": 4}  # type: ignore[misc]

    def __init__(
        self,
        bots: Sequence[Callable[[], Bot] | Bot | Policy] | None,
        rules: Rules | str,
        seat: int | None = None,
        render_mode: str | None = None,
        mask_in_observation: bool = False,
    ) -> None:
        """
        Make the environment. See `pigpen.learn.against`.

        Raises:
            ValueError: If the number of bots is not that of the other seats, or there is no such seat or preset.
        """
        self.encoding = Encoding(rules)
        others = self.encoding.players - 1
        bots = [Policy.CAREFUL] * others if bots is None else bots
        if len(bots) != others:
            raise ValueError(f"{self.encoding.rules.name} takes {others} bots beside yours; {len(bots)} are given.")
        if seat is not None and not 0 <= seat <= others:
            raise ValueError(f"There is no seat {seat}. Choose one from 0 to {others}, or None for any.")
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.encoding, mask_in_observation)
        self._with_mask, self._has_warned = mask_in_observation, False
        self.action_space = spaces.Discrete(self.encoding.actions)  # type: ignore[assignment]  # its numbers are numpy's
        self._makers, self._wanted = tuple(bots), seat  # before the bots: a pickle of a maker may bring their class
        self._table: Table | None = None
        self._seat = 0
        self._bots: dict[int, Bot | Policy] = {}
        self._chance = SimRandom(0)
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
        self._show()
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
            self._warn()
            number = DONE if table.deal.phase is Phase.EXPOSE else legal[0]
        table.act(number)
        self._let_bots_decide(table)
        self._show()
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
        """Return what the seat sees, if the render mode is ``ansi``; ``human`` has printed it already."""
        return self._text() if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._text())

    def _warn(self) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(ILLEGAL, UserWarning, stacklevel=3)

    def _text(self) -> str:
        view = self._of_deal().deal.view(self._seat)
        return f"{view!r}, legal {' '.join(map(str, view.legal)) or '-'}"

    def _of_deal(self) -> Table:
        if self._table is None:
            raise ValueError("Call reset() first.")
        return self._table

    def _begin(self, table: Table) -> bool:
        """Seat everybody, and let the bots decide; return whether the seat then has a choice."""
        players = self.encoding.players
        self._seat = int(self.np_random.integers(players)) if self._wanted is None else self._wanted
        self._decisions = 0
        seats = [(self._seat + place) % players for place in range(1, players)]
        self._bots = {
            seat: each if isinstance(each, (Bot, Policy)) else each()
            for seat, each in zip(seats, self._makers, strict=True)
        }
        self._chance = SimRandom(int(self.np_random.integers(1 << 62)))
        clock = ClockSetting(SECONDS, 0.0, SECONDS, start_up=SECONDS)
        for seat, bot in self._bots.items():
            if isinstance(bot, Bot):
                bot.match_started(Welcome(self.encoding.rules, seat, "boards:1", clock))
        self._let_bots_decide(table)
        return not table.deal.is_over

    def _let_bots_decide(self, table: Table) -> None:
        while not table.deal.is_over and table.seat != self._seat:
            bot = self._bots[table.seat]
            if isinstance(bot, Policy):
                table.act(table.action_by(bot, self._chance))
                continue
            self._decisions += 1
            view = View(
                *table.deal.known_to(table.seat), totals=(0,) * self.encoding.players, decision=self._decisions,
                seed=int(self.np_random.integers(1 << 62)), limit=SECONDS, bank=SECONDS,
            )  # fmt: skip
            try:
                table.decide(decide(bot, view))
            except (WrongAnswer, IllegalAction):  # the referee would note a fault, and do the same
                table.decide(table.deal.default_action(table.seat))

    def _tell_bots(self, table: Table) -> None:
        scores = table.deal.scores()
        for seat, bot in self._bots.items():
            if isinstance(bot, Bot):
                notify(bot, DealResult(deal=table.deal.number, seat=seat, scores=scores, totals=scores))

    def _observation(self, table: Table) -> Observation:
        unpacked = self.encoding.unpack(self._packed(table))
        return {"observation": unpacked, "action_mask": self._mask(table)} if self._with_mask else unpacked

    def _packed(self, table: Table) -> NDArray[np.uint64]:
        over = table.deal.is_over
        view, steps = (table.deal.view(self._seat), None) if over else (table.view, table.steps)
        return np.array(self.encoding.observe(view, steps), dtype=np.uint64)

    def _mask(self, table: Table) -> NDArray[np.int8]:
        return self.encoding.mask(self._packed(table))

    def _info(self, table: Table) -> Info:
        return {"seat": self._seat, "action_mask": self._mask(table)}
