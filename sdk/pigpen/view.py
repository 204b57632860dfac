"""The view a bot gets: what its seat may know, and what the referee adds for the one who must decide."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from pigpen.rules import View as SeatView

if TYPE_CHECKING:
    from pigpen.rules import Phase, Rules
    from pigpen.rules.actions import Exposure


class View(SeatView):
    """
    All that one seat may know, at the moment of a decision.

    Attributes:
        totals: Total, in the game or match before this deal, of whoever sits in each seat.
        decision: Number of the decision in this match, from 1.
        seed: 64-bit number of this bot's own for this deal, the same in every run with the same match seed.
        limit: Seconds that this decision may take.
        bank: Seconds left in the bank before this decision.
    """

    __slots__ = ("_rng", "bank", "decision", "limit", "seed", "totals")

    def __init__(
        self,
        rules: Rules,
        seat: int,
        deal: int,
        phase: Phase,
        hand_mask: int,
        legal_mask: int,
        passed_mask: int,
        received_mask: int,
        exposures: tuple[Exposure, ...],
        hidden: tuple[int, ...],
        plays: bytes,
        leaders: bytes,
        first_leader: int | None,
        totals: tuple[int, ...] = (),
        decision: int = 0,
        seed: int = 0,
        limit: float = 0.0,
        bank: float = 0.0,
    ) -> None:
        super().__init__(
            rules,
            seat,
            deal,
            phase,
            hand_mask,
            legal_mask,
            passed_mask,
            received_mask,
            exposures,
            hidden,
            plays,
            leaders,
            first_leader,
        )
        self.totals = totals
        self.decision = decision
        self.seed = seed
        self.limit = limit
        self.bank = bank
        self._rng: random.Random | None = None

    @property
    def rng(self) -> random.Random:
        """Random numbers for this decision, the same in every run with the same match seed."""
        if self._rng is None:
            self._rng = random.Random(self.seed << 16 | self.phase << 8 | len(self.plays))
        return self._rng
