"""
Programs that run where another platform is installed, each on its own; the last line that one prints is its figure.

    python peers.py chess                # moves a second of a game between two engines that do not think
    python peers.py chess-engine         # such an engine: it speaks UCI and knows four moves
    python peers.py kaggle               # decisions a second in the OpenSpiel hearts of kaggle-environments
    python peers.py rlcard GAME          # decisions a second of CPU time in a game of RLCard
    python peers.py pgx GAME STEPS       # the same in a game of pgx, 1,024 at once

What is measured is imported where it is used: no environment has more than one of these packages.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from typing import Any

MOVES = 600
ENGINE = [sys.executable, __file__, "chess-engine"]
REPLIES = {"uci": "id name instant\nuciok", "isready": "readyok"}
EPISODES = 2
GAMES, SECONDS = 1024, 2.0


async def chess_moves() -> float:
    """Play two engines against each other; a new game every hundred moves keeps the list of moves short."""
    import chess.engine

    opened = [await chess.engine.popen_uci(ENGINE) for _ in range(2)]
    board = chess.Board()
    seconds = 0.0
    for number in range(MOVES + 100):
        if number % 100 == 0:
            board.reset()
        started = time.perf_counter()
        result = await opened[number % 2][1].play(board, chess.engine.Limit(time=1.0))
        board.push(result.move)
        if number >= 100:
            seconds += time.perf_counter() - started
    for _, engine in opened:
        await engine.quit()
    return MOVES / seconds


def be_chess_engine() -> None:
    """Answer until the command `quit`; both sides move a knight out and back."""
    moves = 0
    for line in sys.stdin:
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if word == "quit":
            return
        if word == "position":
            moves = len(line.partition(" moves ")[2].split())
        elif word == "go":
            print("bestmove", ("g1f3", "g8f6", "f3g1", "f6g8")[moves % 4], flush=True)
        elif word in REPLIES:
            print(REPLIES[word], flush=True)


def first(observation: Any, configuration: Any) -> dict[str, int]:
    """Play the first legal action; do nothing while others decide."""
    legal = observation.get("legalActions")
    return {"submission": legal[0] if legal else -1}


def kaggle_decisions() -> float:
    """Play Hearts with agents in this process."""
    from kaggle_environments import make

    environment = make("open_spiel_hearts", configuration={"includeLegalActions": True})
    seconds, decisions = 0.0, 0
    for episode in range(EPISODES + 1):
        started = time.perf_counter()
        played = environment.run([first] * 4)
        if episode:
            seconds += time.perf_counter() - started
            assert all(agent.status == "DONE" for agent in played[-1]), "the episode was not played to its end"
            decisions += sum(agent.action["submission"] >= 0 for step in played for agent in step)
    return decisions / seconds


def rlcard_steps(name: str) -> float:
    """Play by random legal actions."""
    import rlcard

    env = rlcard.make(name, config={"seed": 1})
    chance, steps, started = random.Random(1), 0, time.process_time()
    while (took := time.process_time() - started) < SECONDS:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(chance.choice(list(state["legal_actions"])))
            steps += 1
    return steps / took


def pgx_steps(name: str, steps: int) -> float:
    """
    Play by random legal actions.

    All games begin anew together after *steps* steps, which costs less than pgx's wrapper that begins each game anew
    when it is over. Steps of games that are over are not counted.
    """
    import jax
    import jax.numpy as jnp
    import pgx

    env = pgx.make(name)

    def one(carry: tuple[Any, Any], key: Any) -> tuple[tuple[Any, Any], None]:
        state, counted = carry
        counted += jnp.sum(~state.terminated)
        actions = jax.random.categorical(key, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return (jax.vmap(env.step)(state, actions), counted), None

    def play(key: Any) -> Any:
        state = jax.vmap(env.init)(jax.random.split(key, GAMES))
        (_, counted), _ = jax.lax.scan(one, (state, jnp.int32(0)), jax.random.split(key, steps))
        return counted

    many = jax.jit(play)
    jax.block_until_ready(many(jax.random.key(0)))  # compiled now
    decisions, rounds, started = 0, 0, time.process_time()
    while (took := time.process_time() - started) < SECONDS:
        rounds += 1
        decisions += int(many(jax.random.key(rounds)))
    return decisions / took


def main(what: str, *words: str) -> None:
    """Run one of them."""
    if what == "chess":
        print(asyncio.run(chess_moves()))
    elif what == "chess-engine":
        be_chess_engine()
    elif what == "kaggle":
        print(kaggle_decisions())
    elif what == "rlcard":
        print(rlcard_steps(*words))
    else:
        print(pgx_steps(words[0], int(words[1])))


if __name__ == "__main__":
    main(*sys.argv[1:])
