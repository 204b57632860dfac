"""Machines that may make a Python image from Debian packages; all tests with containers and no registry use one."""

from __future__ import annotations

import re

import pytest

from ladder.sandbox.docker import base_image


@pytest.fixture(autouse=True)
def debian(monkeypatch: pytest.MonkeyPatch) -> None:
    release = {"ID": "debian", "VERSION_CODENAME": "bookworm"}
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: release)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("shutil.which", lambda name: name if name == "apt-get" else None)
    monkeypatch.delenv("PIGPEN_NO_INSTALL", raising=False)


def test_it_is_made_by_root_on_debian() -> None:
    assert base_image.can_make_debian_base()
    assert re.fullmatch("pigpen/python:bookworm-[0-9a-f]{8}", base_image.debian_base_tag())


def test_an_image_with_other_packages_has_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    before = base_image.debian_base_tag()
    monkeypatch.setattr(base_image, "PACKAGES", ("python3",))
    assert base_image.debian_base_tag() != before


def test_nobody_else_makes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert not base_image.can_make_debian_base()


def test_not_on_another_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": "fedora"})
    assert not base_image.can_make_debian_base()


def test_not_where_installing_is_forbidden_unless_the_tool_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIGPEN_NO_INSTALL", "1")
    assert not base_image.can_make_debian_base()
    monkeypatch.setattr("shutil.which", lambda name: name)
    assert base_image.can_make_debian_base()
