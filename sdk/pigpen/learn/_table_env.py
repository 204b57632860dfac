"""
The environment of PettingZoo: one agent for each seat, one step after the other.

The module is private, as `_seat_env` is: type checkers of contestants, who have neither package, must not look into it.
"""

from __future__ import annotations

import secrets
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from pigpen.learn._spaces import check_render_mode, observation_space
from pigpen.learn.action_numbers import number_of
from pigpen.learn.encoding import VERSION, Encoding
from pigpen.learn.single_table import Table

if TYPE_CHECKING:
    from pigpen.rules import Rules

    Observed = dict[str, Any]


class TableEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """All seats of a table. An episode is a deal."""

    def __init__(self, rules: Rules | str, render_mode: str | None = None) -> None:
        """
        Make the environment of *rules*.

        Raises:
            ValueError: If no preset has that name, or there is no such way to render.
        """
        super().__init__()
        check_render_mode(render_mode)
        self.encoding = Encoding(rules)
        self.render_mode = render_mode
        name = f"pigpen_{self.encoding.rules.name}_v{VERSION}"
        self.metadata = {"name": name, "render_modes": ["ansi", "human"], "render_fps": 4, "is_parallelizable": False}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.encoding.players)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: observation_space(self.encoding, True) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.encoding.actions) for agent in self.possible_agents}
        self._table: Table | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations: the unpacked observation, and the mask of the legal actions."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of actions."""
        return self.action_spaces[agent]

    def __copy__(self) -> TableEnv:
        return deepcopy(self)  # an environment and its copy share no deal

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a deal: the first one of *seed*; without it the next one."""
        if seed is None and self._table is not None:
            self._table.deal_anew()
        else:
            self._table = Table(self.encoding.rules, secrets.randbits(62) if seed is None else seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._table.seat]
        self._show()

    def step(self, action: int | None) -> None:
        """
        Take an action of the selected agent; after the deal None for each agent.

        Raises:
            IllegalAction: If it is not legal, or no whole number; nothing has changed.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        table = self._of_deal()
        agent = self.agent_selection
        table.act(number_of(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if table.deal.is_over:
            self._end(table)
        else:
            self.agent_selection = self.possible_agents[table.seat]
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Observed:
        """Return what an agent knows, also when another one is to act; its mask is then empty."""
        table = self._of_deal()
        seat = self.possible_agents.index(agent)
        if not table.deal.is_over and seat == table.seat:
            packed, is_asked = self.encoding.observe(table.view, table.steps), True
        else:
            packed, is_asked = self.encoding.observe(table.deal.view(seat)), False
        words = np.array(packed, dtype=np.uint64)
        mask = self.encoding.mask(words) if is_asked else np.zeros(self.encoding.actions, dtype=np.int8)
        return {"observation": self.encoding.unpack(words), "action_mask": mask}

    def render(self) -> str | None:
        """Return the table as the selected agent sees it, if the render mode is ``ansi``; ``human`` has printed it."""
        return self._text() if self.render_mode == "ansi" else None

    def _show(self) -> None:
        if self.render_mode == "human":
            print(self._text())

    def _text(self) -> str:
        view = self._of_deal().deal.view(self.possible_agents.index(self.agent_selection))
        trick = " ".join(f"{play.seat}:{play.card}" for play in view.trick)
        return f"{view!r}\ntable {trick or '-'}\nlegal {' '.join(map(str, view.legal)) or '-'}"

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _of_deal(self) -> Table:
        if self._table is None:
            raise ValueError("Call reset() first.")
        return self._table

    def _end(self, table: Table) -> None:
        scores = table.deal.scores()
        for seat, (agent, reward) in enumerate(zip(self.possible_agents, table.rewards(), strict=True)):
            self.rewards[agent], self.terminations[agent] = reward, True
            self.infos[agent] = {"points": scores[seat]}
