"""
What an organiser sets: in `pigpen.toml` in the current folder, or in the environment, which goes first.

The names are the same in both: `data_dir` in the file is `PIGPEN_DATA_DIR` in the environment.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from referee.match import DEFAULT_CLOCK

FILE = "pigpen.toml"
PREFIX = "PIGPEN_"
DEFAULT_CLOCK_TEXT = f"{DEFAULT_CLOCK.bank:g}+{DEFAULT_CLOCK.increment:g}"


def default_data_dir() -> Path:
    """Where a ladder lies if nobody says otherwise, as the XDG base directory specification has it."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "pigpen"


class Settings(BaseSettings):
    """The settings of a ladder; every field can stand in `pigpen.toml` and in the environment."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, toml_file=FILE, extra="forbid", frozen=True, use_attribute_docstrings=True
    )

    data_dir: Path = Field(default_factory=default_data_dir)
    """Folder for the database, the records, and the bots that were entered as folders."""
    database_url: str = ""
    """SQLAlchemy URL: sqlite:////path/to/file or postgresql+psycopg://user@host/name; empty: ladder.db in data_dir."""
    sandbox: Literal["docker", "process"] = "docker"
    """How the bots are kept; process is for bots of one's own only."""
    runtime: str = "runc"
    """The OCI runtime of the docker sandbox."""
    concurrency: Annotated[int, Field(ge=0)] = 0
    """Matches at once; 0: one for each core but one."""
    boards: PositiveInt = 4
    """Boards in a match, each played in every rotation."""
    clock: str = DEFAULT_CLOCK_TEXT
    """Seconds in the bank + seconds added for each decision."""
    limit: PositiveFloat = DEFAULT_CLOCK.limit
    """Most seconds for one decision."""
    match_seconds: PositiveFloat = 1800.0
    """A match that takes longer is void, and played again."""
    image_bytes: PositiveInt = 2 * 1024**3
    """The largest image, or folder, that is taken."""
    records: Annotated[int, Field(ge=0)] = 0
    """How many records of matches are kept, the newest ones; 0: all."""
    preflight_boards: PositiveInt = 2
    """Boards that a submitted bot plays against itself in each variant."""

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        return path.expanduser().absolute()

    @property
    def url(self) -> str:
        """The database's URL."""
        return self.database_url or f"sqlite:///{self.data_dir / 'ladder.db'}"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """First what code says, then the environment, then the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load_settings(**given: Any) -> Settings:
    """
    Read the settings; what is *given* goes before all else.

    Raises:
        ValueError: If one makes no sense; the message names it and where it stands.
    """
    try:
        return Settings(**given)
    except ValidationError as error:
        detail = error.errors()[0]
        name = ".".join(map(str, detail["loc"]))
        raise ValueError(
            f"The setting {name} ({FILE}, or {PREFIX}{name.upper()}) cannot be used: {detail['msg']}."
        ) from None
    except (SettingsError, OSError, ValueError) as error:
        raise ValueError(f"{FILE} cannot be read: {error}.") from None
