"""
Environments for learning: observations and actions as numbers.

`aec` makes an environment of PettingZoo, `against` one of Gymnasium. `Encoding` has the observations and actions of a
variant, `Steps` a decision action by action; for them the standard library is enough. docs/learn.md describes every
number.
"""

from pigpen.learn.actions import Steps, actions_of
from pigpen.learn.encoding import VERSION, Encoding
from pigpen.learn.environments import aec, against

__all__ = ["VERSION", "Encoding", "Steps", "actions_of", "aec", "against"]
