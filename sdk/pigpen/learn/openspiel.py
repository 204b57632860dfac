"""
Games of OpenSpiel: each variant as a Python game, so that OpenSpiel's algorithms learn it.

>>> import pyspiel
>>> import pigpen.learn.openspiel
>>> game = pyspiel.load_game("python_pigpen", {"rules": "hearts"})
>>> game.num_players(), game.num_distinct_actions(), game.max_chance_outcomes()
(4, 54, 52)

Importing the module registers the game. Chance draws the direction in which cards are passed, and deals card by card.
Actions are those of `Encoding`; a step with one legal action is no step. Returns are rewards as in the other
environments, and add up to 0. The tensor of an information state is an unpacked observation, and the plays in order.
"""

from __future__ import annotations

import pigpen.learn._openspiel_game  # noqa: F401 (it registers the game)
