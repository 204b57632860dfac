"""The server of one seat, apart from what a stream says."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path
from typing import Any

from referee.seats.seat_server import SeatServer


async def never(*_: object) -> None:
    raise AssertionError("nobody comes")


async def test_a_seat_whose_start_is_cancelled_leaves_no_error_behind(tmp_path: Path) -> None:
    """As when another seat of the table cannot be opened: gRPC's own task would then end with a traceback."""
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    server = SeatServer(tmp_path / "seat.sock", never, never)
    listening = asyncio.ensure_future(server.listen())
    await asyncio.sleep(0)
    listening.cancel()
    await asyncio.wait([listening])
    await server.stop(None)
    assert listening.cancelled()
    del server
    gc.collect()
    await asyncio.sleep(0)
    assert reported == []
