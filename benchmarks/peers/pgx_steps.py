"""Runs where pgx is: decisions a second of CPU time in one of its games, 1,024 at once, random legal actions."""

from __future__ import annotations

import sys
import time

import jax
import jax.numpy as jnp
import pgx

GAMES, SECONDS = 1024, 2.0


def main(name: str, steps: int) -> None:
    """
    Play by random legal actions, and print the figure.

    All games begin anew together after *steps* steps, which costs less than pgx's wrapper that begins each game anew
    when it is over. Steps of games that are over are not counted.
    """
    env = pgx.make(name)

    def one(carry: tuple[pgx.State, jax.Array], key: jax.Array) -> tuple[tuple[pgx.State, jax.Array], None]:
        state, counted = carry
        counted += jnp.sum(~state.terminated)
        actions = jax.random.categorical(key, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=-1)
        return (jax.vmap(env.step)(state, actions), counted), None

    def play(key: jax.Array) -> jax.Array:
        state = jax.vmap(env.init)(jax.random.split(key, GAMES))
        (_, counted), _ = jax.lax.scan(one, (state, jnp.int32(0)), jax.random.split(key, steps))
        return counted

    many = jax.jit(play)
    jax.block_until_ready(many(jax.random.key(0)))  # compiled now
    decisions, rounds, started = 0, 0, time.process_time()
    while (took := time.process_time() - started) < SECONDS:
        rounds += 1
        decisions += int(many(jax.random.key(rounds)))
    print(decisions / took)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
