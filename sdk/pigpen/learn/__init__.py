"""
Environments for learning: observations and actions as numbers.

`Encoding` has the observations and actions of a variant, `Steps` a decision action by action. The standard library is
enough for them; numpy only unpacks. docs/learn.md describes every number.
"""

from pigpen.learn.actions import Steps, actions_of
from pigpen.learn.encoding import VERSION, Encoding

__all__ = ["VERSION", "Encoding", "Steps", "actions_of"]
