"""Plays hearts-short by a net that examples/torch_bot/train.py has trained; other variants by the lowest legal card."""

from pathlib import Path

import pigpen
from pigpen.learn.net_bot import NetBot
from pigpen.learn.onnx_net import OnnxNet
from pigpen.rules import PRESETS


class Trained(NetBot):
    def __init__(self) -> None:
        super().__init__(OnnxNet(Path(__file__).with_name("net.onnx")))

    def play(self, view: pigpen.View) -> pigpen.Card:
        return super().play(view) if view.rules == PRESETS["hearts-short"] else view.legal[0]

    def expose(self, view: pigpen.View) -> dict[pigpen.Card, pigpen.Face]:
        return {}


if __name__ == "__main__":
    pigpen.run(Trained())
