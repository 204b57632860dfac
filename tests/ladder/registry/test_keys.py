"""The key of the ladder's registry."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ladder.errors import SandboxError
from ladder.registry.tokens import certificate_file, registry_key

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_made_once_for_this_users_eyes_only(tmp_path: Path) -> None:
    first = registry_key(tmp_path)
    assert registry_key(tmp_path).certificate == first.certificate
    assert stat.S_IMODE((tmp_path / "registry" / "key.pem").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "registry").stat().st_mode) == 0o700
    assert [path.name for path in (tmp_path / "registry").iterdir()] == ["key.pem"]


def test_who_comes_at_the_same_time_gets_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(registry_key, [tmp_path] * 16))
    assert len({key.certificate.serial_number for key in keys}) == 1


def test_the_registry_is_given_no_secret(tmp_path: Path) -> None:
    assert b"PRIVATE" not in certificate_file(tmp_path).read_bytes()


def test_a_key_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "key.pem").write_text("nonsense")
    with pytest.raises(SandboxError, match=r"The key of the ladder's registry, .*key.pem', cannot be used"):
        registry_key(tmp_path)
