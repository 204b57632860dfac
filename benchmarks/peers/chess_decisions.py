"""Runs where python-chess is: moves a second of a game between two copies of an engine that does not think."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import chess
import chess.engine

MOVES = 600
ENGINE = [sys.executable, str(Path(__file__).with_name("engine.py"))]


async def main() -> None:
    """Play, and print the figure; a new game every hundred moves keeps the list of moves short."""
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
    print(MOVES / seconds)
    for _, engine in opened:
        await engine.quit()


if __name__ == "__main__":
    asyncio.run(main())
