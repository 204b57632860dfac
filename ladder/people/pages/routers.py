"""All routes of tables for people."""

from __future__ import annotations

from ladder.people.pages import (
    board_pages,
    front_page,
    own_pages,
    practice_requests,
    puzzle_api,
    puzzle_pages,
    replay_pages,
    seat_requests,
    spectator_pages,
    table_api,
    table_pages,
)

PAGES = (
    front_page.router,
    board_pages.router,
    own_pages.router,
    puzzle_pages.router,
    practice_requests.router,
    replay_pages.router,
    table_pages.router,
    seat_requests.router,
    spectator_pages.router,
)
"""In this order they are asked whose an address is."""
API = (table_api.router, puzzle_api.personal)
"""Routes for visitors who have logged in."""
PUBLIC_API = (puzzle_api.router,)
