"""Opening a ladder's database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.store.database import Database
from ladder.store.models import Base
from ladder.store.problems import LadderError

if TYPE_CHECKING:
    from ladder.settings import Settings


def open_ladder(settings: Settings, create: bool = False) -> Database:
    """
    Open the ladder that the settings name.

    Args:
        settings: Where it is.
        create: Make it if there is none.

    Raises:
        LadderError: If there is none.
    """
    file = settings.data_dir / "ladder.db"
    if not settings.database_url and not create and not file.exists():
        raise LadderError(f"There is no ladder in {str(settings.data_dir)!r}; begin one with: pigpen submit FOLDER")
    if create:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    database = Database(settings.url)
    if create:
        Base.metadata.create_all(database.engine)
    return database
