"""Who may make a stand-in; that it works is seen by all tests that run a container without a registry."""

from __future__ import annotations

import pytest

from ladder.sandbox.docker import stand_in


@pytest.fixture(autouse=True)
def debian(monkeypatch: pytest.MonkeyPatch) -> None:
    release = {"ID": "debian", "VERSION_CODENAME": "bookworm"}
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: release)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda name: name if name == "apt-get" else None)
    monkeypatch.delenv("PIGPEN_NO_INSTALL", raising=False)


def test_it_is_made_by_root_on_debian() -> None:
    assert stand_in.can_make_stand_in()
    assert stand_in.stand_in_tag() == "pigpen/python:bookworm"


def test_nobody_else_makes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert not stand_in.can_make_stand_in()


def test_not_on_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "fedora"})
    assert not stand_in.can_make_stand_in()


def test_not_where_installing_is_forbidden_unless_the_tool_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_NO_INSTALL", "1")
    assert not stand_in.can_make_stand_in()
    monkeypatch.setattr("shutil.which", lambda name: name)
    assert stand_in.can_make_stand_in()
