"""
Learn hearts-short by self-play with PyTorch, and write a bot's folder with the net as a file of ONNX.

    pip install torch onnx
    python examples/torch_bot/train.py trained --updates 60

One net plays all seats of 256 tables (advantage actor-critic): its policy chooses, and its values say what each seat
will win; both learn from how the deals end. The folder that is written is a bot that needs numpy and ONNX Runtime.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from pigpen.learn import Tables

HERE = Path(__file__).parent
RULES, GAMES, STEPS, HIDDEN, SCALE = "hearts-short", 256, 64, 256, 10.0


class Net(nn.Module):  # type: ignore[misc]  # PyTorch is no dependency of the tests
    """Two hidden layers; logits of all actions, and rewards of all seats in units of 10 points."""

    def __init__(self, inputs: int, actions: int, players: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        self.policy, self.value = nn.Linear(HIDDEN, actions), nn.Linear(HIDDEN, players)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        hidden = self.body(seen)
        return self.policy(hidden), self.value(hidden)


def play(net: Net, tables: Tables) -> tuple[torch.Tensor, ...]:
    """Play some steps; give what was seen and done in deals that have ended, and the rewards, the actor's first."""
    seen = np.empty((STEPS, GAMES, tables.encoding.size), dtype=np.uint8)
    masks = np.empty((STEPS, GAMES, tables.encoding.actions), dtype=np.int8)
    actions, seats = (np.empty((STEPS, GAMES), dtype=np.int64) for _ in range(2))
    rewards, over = np.empty((STEPS, GAMES, 4), dtype=np.float32), np.empty((STEPS, GAMES), dtype=np.bool_)
    for step in range(STEPS):
        tables.unpack(seen[step])
        tables.mask(masks[step])
        seats[step] = tables.seats
        with torch.no_grad():
            logits, _ = net(torch.from_numpy(seen[step]).float())
        allowed = logits.masked_fill(torch.from_numpy(masks[step]) == 0, -1e9)
        actions[step] = torch.distributions.Categorical(logits=allowed).sample().numpy()
        tables.step(actions[step])
        rewards[step], over[step] = tables.rewards, tables.over
    is_known = np.logical_or.accumulate(over[::-1])[::-1]
    for step in range(STEPS - 2, -1, -1):
        rewards[step] = np.where(over[step, :, None], rewards[step], rewards[step + 1])
    relative = np.take_along_axis(rewards, (seats[..., None] + np.arange(4)) % 4, 2) / SCALE
    return tuple(torch.from_numpy(each[is_known]) for each in (seen, masks, actions, relative))


def train(folder: Path, updates: int, seed: int = 1) -> None:
    """Learn, and write the bot's folder."""
    folder.mkdir(parents=True)
    torch.manual_seed(seed)
    tables = Tables(RULES, GAMES, seed)
    net = Net(tables.encoding.size, tables.encoding.actions, 4)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for update in range(updates):
        seen, masks, actions, rewards = play(net, tables)
        for rows in torch.randperm(len(seen)).split(2048):
            logits, values = net(seen[rows].float())
            chances = torch.distributions.Categorical(logits=logits.masked_fill(masks[rows] == 0, -1e9))
            better = rewards[rows, 0] - values[:, 0].detach()
            loss = ((values - rewards[rows]) ** 2).mean() - 0.003 * chances.entropy().mean()
            loss -= (chances.log_prob(actions[rows]) * better).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if (update + 1) % max(updates // 10, 1) == 0:
            error = ((values - rewards[rows]) ** 2).mean().item() ** 0.5 * SCALE
            print(f"{(update + 1) * GAMES * STEPS:,} decisions, values are off by {error:.2f} points", flush=True)
    write(net, folder)


def write(net: Net, folder: Path) -> None:
    """Write a bot's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    export(net, folder / "net.onnx")
    for name in ("bot.py", "requirements.txt"):
        shutil.copy(HERE / name, folder / name)


def layers_of(net: Net) -> dict[str, nn.Linear]:
    """Name the layers as a file of ONNX does."""
    return {"one": net.body[0], "two": net.body[2], "logits": net.policy, "tenths": net.value}


def load(path: Path) -> Net | None:
    """Read a net that `export` has written; None if the file has another net, or none."""
    try:
        weights = {each.name: numpy_helper.to_array(each) for each in onnx.load(str(path)).graph.initializer}
    except DecodeError:
        return None
    if not {"one.weight", "logits.bias", "tenths.bias"} <= weights.keys():
        return None
    net = Net(weights["one.weight"].shape[1], len(weights["logits.bias"]), len(weights["tenths.bias"]))
    with torch.no_grad():
        for name, layer in layers_of(net).items():
            layer.weight.copy_(torch.from_numpy(weights[f"{name}.weight"].copy()))
            layer.bias.copy_(torch.from_numpy(weights[f"{name}.bias"].copy()))
    return net


def export(net: Net, path: Path) -> None:
    """Write the net as a file of ONNX: unpacked observations in, logits and rewards in points out."""
    weights = [numpy_helper.from_array(np.array(SCALE, dtype=np.float32), "scale")]
    for name, layer in layers_of(net).items():
        weights.append(numpy_helper.from_array(layer.weight.detach().numpy(), f"{name}.weight"))
        weights.append(numpy_helper.from_array(layer.bias.detach().numpy(), f"{name}.bias"))

    def gemm(given: str, name: str) -> onnx.NodeProto:
        return helper.make_node("Gemm", [given, f"{name}.weight", f"{name}.bias"], [name], transB=1)

    nodes = [
        gemm("seen", "one"), helper.make_node("Relu", ["one"], ["first"]), gemm("first", "two"),
        helper.make_node("Relu", ["two"], ["second"]), gemm("second", "logits"), gemm("second", "tenths"),
        helper.make_node("Mul", ["tenths", "scale"], ["rewards"]),
    ]  # fmt: skip
    sizes = {"seen": net.body[0].in_features, "logits": net.policy.out_features, "rewards": net.value.out_features}
    ends = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size]) for name, size in sizes.items()}
    graph = helper.make_graph(nodes, "net", [ends["seen"]], [ends["logits"], ends["rewards"]], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the bot's folder, a new one")
    parser.add_argument("--updates", type=int, default=60, help="each from 64 steps of 256 tables")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.folder.exists():
        parser.error(f"{options.folder} is there already: choose a new folder")
    train(options.folder, options.updates, options.seed)
