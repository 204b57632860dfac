"""
Registers the environments of all presets with Gymnasium, each under a name such as ``Pigpen/Hearts-v0``.

>>> import gymnasium
>>> import pigpen.learn.registered
>>> env = gymnasium.make("Pigpen/Hearts-v0", mask_in_observation=True)
>>> env.spec.id, env.action_space
('Pigpen/Hearts-v0', Discrete(54))

`gymnasium.make_vec` makes many tables at once. ``gymnasium.make("pigpen.learn.registered:Pigpen/Hearts-v0")`` imports
this module by itself, also in a process that a library starts. The opponents are `Policy.CAREFUL` if no ``bots`` are
given.
"""

from __future__ import annotations

import gymnasium

from pigpen.rules import PRESETS

__all__ = ["NAMES"]

VERSION = 0
"""Of the environments; it grows when results are no longer comparable: other observations, rewards or opponents."""


def _name(preset: str) -> str:
    return f"Pigpen/{''.join(word.capitalize() for word in preset.split('-'))}-v{VERSION}"


NAMES = {preset: _name(preset) for preset in PRESETS}
"""The name of the environment of each preset."""

for _preset, _environment in NAMES.items():
    gymnasium.register(
        id=_environment,
        entry_point="pigpen.learn._seat_env:SeatEnv",
        vector_entry_point="pigpen.learn._seat_vector_env:SeatVectorEnv",
        kwargs={"rules": _preset, "bots": None},
    )
