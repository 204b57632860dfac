"""The settings of a ladder, to be shown."""

from __future__ import annotations

from ladder.settings.settings import Settings, source_of
from ladder.values.settings import SettingRow
from referee.records.described import descriptions


def config(settings: Settings) -> list[SettingRow]:
    """Give every setting, its value, and where that comes from; no password."""
    meanings = descriptions(Settings)
    return [
        SettingRow(name=name, value=_shown(settings, name), source=source_of(name), meaning=meanings.get(name, ""))
        for name in Settings.model_fields
    ]


def _shown(settings: Settings, name: str) -> str | int | float | bool:
    value = getattr(settings, name)
    if value is None:
        return ""
    if name == "database_url" and value:
        return settings.url.render_as_string(hide_password=True)
    return value if isinstance(value, int | float) else str(value)
