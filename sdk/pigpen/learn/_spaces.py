"""Common parts of the environments of PettingZoo and Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from gymnasium import spaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pigpen.learn.encoding import Encoding


def observation_space(encoding: Encoding, with_mask: bool) -> spaces.Space[Any]:
    """Make the space of unpacked observations, alone or in a dictionary with the mask of the legal actions."""
    if not with_mask:
        return observation_box(encoding)
    mask = spaces.Box(0, 1, (encoding.actions,), np.int8)
    return spaces.Dict({"observation": observation_box(encoding), "action_mask": mask})


def observation_box(encoding: Encoding) -> spaces.Space[NDArray[np.uint8]]:
    """Make the space of unpacked observations: bits, and at the end counts of cards."""
    high = np.ones(encoding.size, dtype=np.uint8)
    high[-encoding.players :] = encoding.rules.hand_size
    return cast("spaces.Space[NDArray[np.uint8]]", spaces.Box(np.zeros_like(high), high, dtype=np.uint8))


def check_render_mode(mode: str | None) -> None:
    """
    Check a render mode.

    Raises:
        ValueError: If there is none of that name.
    """
    if mode not in (None, "ansi", "human"):
        raise ValueError(
            f"There is no render mode {mode!r}. Choose 'ansi', a text, 'human', a text that is printed, or None."
        )
