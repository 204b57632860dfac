"""The settings of a ladder, to be shown."""

from __future__ import annotations

from pydantic import SecretStr

from ladder.settings.settings import Settings, source_of
from ladder.values.reports import SettingRow
from referee.records.lines import descriptions


def config(settings: Settings) -> list[SettingRow]:
    """Give every setting, its value, and where that comes from; no password."""
    meanings = descriptions(Settings)
    return [
        SettingRow(name=name, value=_shown(settings, name), source=source_of(name), meaning=meanings.get(name, ""))
        for name in Settings.model_fields
    ]


def hidden(settings: Settings) -> frozenset[str]:
    """Give the names of the settings whose values `config` does not show, or not whole: they hold a secret."""
    values = {name: getattr(settings, name) for name in Settings.model_fields}
    found = {name for name, value in values.items() if isinstance(value, SecretStr) and value}
    if settings.database_url and settings.url.password is not None:
        found.add("database_url")
    return frozenset(found)


def _shown(settings: Settings, name: str) -> str | int | float | bool:
    value = getattr(settings, name)
    if value is None:
        return ""
    if name == "database_url" and value:
        return settings.url.render_as_string(hide_password=True)
    return value if isinstance(value, int | float) else str(value)
