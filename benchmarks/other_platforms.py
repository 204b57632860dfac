"""
Other platforms and environments beside ours, each installed into an environment of its own under .venv/peers.

What is installed stays for the next run; one that cannot be installed is named and left out.

*other_platforms*: decisions a second of python-chess and kaggle-environments, with players that do not think, beside
ours. python-chess has two engines in processes; it checks no rules and writes no record. The Hearts of
kaggle-environments is OpenSpiel's, its agents are functions in its own process.

*environments*, only where it is named: decisions a second of CPU time in environments for learning, random legal
actions. Ours are 1,024 tables of hearts: packed observations, unpacked ones, and unpacked ones with a mask in a new
step; and the environments of PettingZoo and of Gymnasium, the latter against a quick policy. OpenSpiel has hearts too,
from Python: bare, and with its tensor and mask. RLCard and pgx have no Hearts: for each a card game of tricks or of
many cards, and the small game that it plays fastest; pgx plays 1,024 games at once. Ours counts no forced card,
OpenSpiel does.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import numpy as np
import pyspiel

from benchmarks.bots import ENDLESS, INSTANT, instant_spec
from benchmarks.lanes import costs, table
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, in_turn
from ladder.errors import SandboxError
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen import Policy
from pigpen.learn import Tables, aec, against, against_many

PEERS = Path(__file__).resolve().with_name("peers.py")

INSTALLED = Path(__file__).resolve().parents[1] / ".venv" / "peers"

INSTALL_SECONDS, RUN_SECONDS = 300, 300

PACKAGES = {
    "moves, python-chess with two engines": ("chess", [["chess==1.11.2"]]),
    "decisions, kaggle-environments' hearts": (
        "kaggle",
        [
            ["open_spiel==2.0.1", "numpy", "jsonschema", "requests", "flask", "pyjson5", "termcolor", "pyyaml"],
            ["--no-deps", "kaggle-environments==1.33.2"],  # what else it asks for (jax, transformers) is not for hearts
        ],
    ),
}
"""For each peer its word in peers.py, and what is installed for it, in order."""


def ours(kind: type[ProcessSandbox | DockerSandbox]) -> float:
    """Measure decisions a second at one table."""
    return asyncio.run(_ours(kind))


OURS: dict[str, Callable[[], float]] = {
    "decisions, Pigpen, processes": partial(ours, ProcessSandbox),
    "decisions, Pigpen, containers": partial(ours, DockerSandbox),
}


async def _ours(kind: type[ProcessSandbox | DockerSandbox], deals: int = 40) -> float:
    async with AsyncExitStack() as stack:
        sandbox = kind()
        stack.push_async_callback(sandbox.close)
        instant = await sandbox.load(INSTANT)
        lane = await stack.enter_async_context(table(instant_spec(ENDLESS), [instant] * 4))
        (found,) = await costs([[lane]], deals)
    return 1e6 / statistics.median(cost.wall for cost in found)


def theirs(python: Path, script: Path, words: tuple[str, ...] = ()) -> float:
    """Measure decisions a second, as the script of a peer prints them."""
    done = subprocess.run([python, script, *words], capture_output=True, text=True, check=True, timeout=RUN_SECONDS)
    return float(done.stdout.split()[-1])


def installed(peer: str, packages: list[list[str]], into: Path, words: tuple[str, ...] = ()) -> Callable[[], float]:
    """Install a peer below *into*, try it, and give its measure; *words* are its arguments."""
    folder = into / peer
    python = folder / "bin" / "python"
    if not (folder / "bin" / "pip").exists():  # what a venv gets last
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for each in packages:
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *each]
        subprocess.run(command, capture_output=True, check=True, timeout=INSTALL_SECONDS)
    measure = partial(theirs, python, PEERS, (peer, *words))
    return _tried(measure)


def measure(
    rounds: int,
    ours: Mapping[str, Callable[[], float]] = OURS,
    packages: Mapping[str, tuple[str, list[list[str]]]] = PACKAGES,
    into: Path = INSTALLED,
) -> list[Row]:
    """Measure our tables and those who are installed, in turn."""
    makers: dict[str, Callable[[], Callable[[], float]]] = {
        **{name: partial(_tried, each) for name, each in ours.items()},
        **{name: partial(installed, *how, into) for name, how in packages.items()},
    }
    measures, left_out = {}, []
    for name, make in makers.items():
        try:
            measures[name] = make()
        except SandboxError as error:
            left_out.append(Row.left_out(name, error))
        except (OSError, subprocess.SubprocessError):
            left_out.append(Row.left_out(name, "pip could not install it, or it does not run"))
    if not measures:
        return left_out
    return [*compared(list(measures), in_turn(rounds, *measures.values()), "/s", next(iter(measures))), *left_out]


def _tried(measure: Callable[[], float]) -> Callable[[], float]:
    measure()
    return measure


GAMES, SECONDS = 1024, 1.0

OPENSPIEL = "OpenSpiel, hearts"

RLCARD, PGX = ["rlcard==1.2.0"], ["pgx==2.6.0"]

PEER_PACKAGES: Mapping[str, tuple[str, tuple[str, ...], list[list[str]]]] = {
    "RLCard, bridge": ("rlcard", ("bridge",), [RLCARD]),
    "RLCard, leduc": ("rlcard", ("leduc-holdem",), [RLCARD]),
    "pgx, sparrow mahjong": ("pgx", ("sparrow_mahjong", "12"), [PGX]),
    "pgx, leduc": ("pgx", ("leduc_holdem", "5"), [PGX]),
}
"""For each peer its word in peers.py, its arguments, and what is installed for it, in order."""


def per_second(play: Callable[[], int], seconds: float = SECONDS) -> float:
    """Measure decisions a second of CPU time of *play*, which returns how many it made."""
    decisions, started = play(), time.process_time()
    decisions = 0
    while (took := time.process_time() - started) < seconds:
        decisions += play()
    return decisions / took


def tables_rate(unpacked: bool = False, masked: bool = False, seconds: float = SECONDS) -> float:
    """Measure many tables at once."""
    tables = Tables("hearts", GAMES, seed=1)
    out = np.empty((GAMES, tables.encoding.size), dtype=np.uint8)
    mask = np.empty((GAMES, tables.encoding.actions), dtype=np.int8)

    def play() -> int:
        for _ in range(20):
            tables.step(tables.random_actions())
            if unpacked:
                tables.unpack(out)
            if masked:
                tables.mask(mask)
        return 20 * GAMES

    return per_second(play, seconds)


def aec_rate(seconds: float = SECONDS) -> float:
    """Measure the environment of PettingZoo."""
    env, chance = aec("hearts"), random.Random(1)

    def play() -> int:
        decisions = 0
        env.reset(seed=chance.getrandbits(30))
        for _ in env.agent_iter():
            observation, _, over, _, _ = env.last()
            env.step(None if over else int(chance.choice(np.flatnonzero(observation["action_mask"]))))
            decisions += not over
        return decisions

    return per_second(play, seconds)


def seat_rate(seconds: float = SECONDS) -> float:
    """Measure the environment of Gymnasium: steps of one seat; what the others decide does not count."""
    env = against([Policy.CAREFUL] * 3, "hearts")

    def play() -> int:
        _, info = env.reset(seed=1)
        over, steps = False, 0
        while not over:
            *_, over, _, info = env.step(int(info["action_mask"].argmax()))
            steps += 1
        return steps

    return per_second(play, seconds)


def seats_rate(seconds: float = SECONDS) -> float:
    """Measure the vectorised environment of Gymnasium, with observations and masks; steps as in `seat_rate`."""
    env = against_many(Policy.CAREFUL, "hearts", GAMES)
    mask = env.reset(seed=1)[1]["action_mask"]

    def play() -> int:
        nonlocal mask
        mask = env.step(mask.argmax(1))[-1]["action_mask"]
        return GAMES

    return per_second(play, seconds)


def openspiel_rate(with_tensor: bool = False, seconds: float = SECONDS) -> float:
    """Measure OpenSpiel from Python; what is dealt is no decision."""
    game, chance = pyspiel.load_game("hearts"), random.Random(1)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():
                decisions += 1
                if with_tensor:
                    state.information_state_tensor()
                    state.legal_actions_mask()
            state.apply_action(legal[int(chance.random() * len(legal))])
        return decisions

    return per_second(play, seconds)


OUR_RATES: Mapping[str, Callable[[float], float]] = {
    OPENSPIEL: lambda seconds: openspiel_rate(seconds=seconds),
    f"{OPENSPIEL}, with tensor and mask": lambda seconds: openspiel_rate(True, seconds),
    "Pigpen, hearts, packed": lambda seconds: tables_rate(seconds=seconds),
    "Pigpen, hearts, unpacked": lambda seconds: tables_rate(True, seconds=seconds),
    "Pigpen, hearts, unpacked, with mask": lambda seconds: tables_rate(True, True, seconds),
    "Pigpen, hearts, PettingZoo": aec_rate,
    "Pigpen, hearts, Gymnasium, one seat": seat_rate,
    "Pigpen, hearts, Gymnasium, one seat of each table": seats_rate,
}
"""Rates that are measured in this process; all others are compared with the first."""


def measure_environments(
    rounds: int,
    seconds: float = SECONDS,
    peers: Mapping[str, tuple[str, tuple[str, ...], list[list[str]]]] = PEER_PACKAGES,
    into: Path = INSTALLED,
) -> list[Row]:
    """Measure ours and those that are installed, in turn."""
    measures: dict[str, Callable[[], float]] = {name: partial(rate, seconds) for name, rate in OUR_RATES.items()}
    left_out = []
    for name, (peer, words, packages) in peers.items():
        try:
            measures[name] = installed(peer, packages, into, words)
        except (OSError, subprocess.SubprocessError):
            left_out.append(Row.left_out(name, "pip could not install it, or it does not run"))
    return [*compared(list(measures), in_turn(rounds, *measures.values()), "/s", OPENSPIEL), *left_out]


PARTS = (
    Part("other_platforms", __doc__, measure, rounds=5),
    Part("environments", __doc__, measure_environments, rounds=3, in_table=False),
)

if __name__ == "__main__":
    run(__doc__, *PARTS)
