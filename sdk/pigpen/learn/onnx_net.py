"""A net in a file of ONNX, as `NetTree` and `NetBot` ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray


class OnnxNet:
    """
    A net that ONNX Runtime computes, with one thread.

    The file has one input of float32, shape (n, size), and two outputs: logits of all actions, and the rewards expected
    for all seats, the one that decides first.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        """
        Read the file.

        Raises:
            ImportError: If ONNX Runtime is missing; the message says how to install it.
            ValueError: If it has another number of inputs or outputs.
        """
        try:
            import onnxruntime
        except ModuleNotFoundError as error:
            raise ImportError("This Python has no ONNX Runtime. Install it: pip install onnxruntime") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        inputs, outputs = self._session.get_inputs(), self._session.get_outputs()
        if (len(inputs), len(outputs)) != (1, 2):
            raise ValueError(
                f"{path}: a net has one input and two outputs, logits and values; this file has {len(inputs)} and "
                f"{len(outputs)}."
            )
        self._input = inputs[0].name

    def __call__(self, observations: NDArray[np.uint8]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return logits and values of unpacked observations."""
        logits, values = self._session.run(None, {self._input: observations.astype(np.float32)})
        return logits, values
