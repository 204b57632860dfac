"""The key of the ladder's registry; Owners of images: namespaces, and the images that may be submitted."""

from __future__ import annotations

import re
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.errors import LadderError, SandboxError, UserError
from ladder.registry.image_names import (
    ImageName,
    in_registry,
    is_address,
    is_repository,
    namespace_of,
    own_image,
    own_repository,
)
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
    with pytest.raises(SandboxError, match=r"registry, .*key.pem', cannot"):
        registry_key(tmp_path)


ARENA = "arena.example:5000"
DIGEST = f"sha256:{'0a' * 32}"
owners = st.text(st.characters(categories=["L", "N"], include_characters="_-."), min_size=1, max_size=12) | st.text(
    "ab-_.x0", min_size=1, max_size=6
)


@settings(deadline=None)
@given(owners, owners)
def test_no_two_owners_have_one_namespace(one: str, other: str) -> None:
    assert (namespace_of(one) == namespace_of(other)) == (one == other)


@settings(deadline=None)
@given(owners)
def test_a_namespace_can_stand_in_the_name_of_an_image(owner: str) -> None:
    assert is_repository(f"{namespace_of(owner)}/trotter")


@pytest.mark.parametrize(
    ("owner", "namespace"),
    [("ada", "ada"), ("a.b_c-9", "a.b_c-9"), ("Ada", "x--416461"), ("a..b", "x--612e2e62"), ("x--41", "x--782d2d3431")],
)
def test_a_name_that_cannot_stand_there_is_written_in_hexadecimal(owner: str, namespace: str) -> None:
    assert namespace_of(owner) == namespace


@pytest.mark.parametrize("owner", ["pigpen", "Pigpen"])
def test_no_owner_has_the_ladder_s_own_namespace(owner: str) -> None:
    assert namespace_of(owner) != own_repository("0" * 64).partition("/")[0]


def test_a_name_that_is_too_long_is_refused() -> None:
    with pytest.raises(LadderError, match=r"too long .*\. Submit a folder"):
        namespace_of("猪" * 64)


@pytest.mark.parametrize(
    ("text", "repository", "reference"),
    [
        ("ada/trotter", "ada/trotter", "latest"),
        ("ada/trotter:v1.2", "ada/trotter", "v1.2"),
        (f"ada/trotter@{DIGEST}", "ada/trotter", DIGEST),
        (f"ada/trotter:v1@{DIGEST}", "ada/trotter", DIGEST),
        (f"{ARENA}/ada/bots/trotter:1", "ada/bots/trotter", "1"),
    ],
)
def test_own_images_are_read(text: str, repository: str, reference: str) -> None:
    assert own_image(text, "ada", ARENA) == ImageName(repository, reference)


@pytest.mark.parametrize(
    "text",
    [
        "trotter",
        "ada",
        "bob/trotter:1",
        f"bob/trotter@{DIGEST}",
        "adam/trotter",
        "ada@evil",
        "ada@evil.example/trotter",
        "127.0.0.1:2375/ada/trotter",
        "127.0.0.1:2375/x",
        "localhost/ada/trotter",
        "evil.example/ada/trotter:1",
        "evil.example:5000/ada/trotter:1",
        f"evil.example/{ARENA}/ada/trotter",
        f"{ARENA}@evil.example/ada/trotter",
        f"{ARENA}/evil.example/trotter",
        f"{ARENA}/{ARENA}/ada/trotter",
        "[::1]:5000/ada/trotter",
        "http://127.0.0.1/ada/trotter",
        "//ada/trotter",
        "/ada/trotter",
        "ada/../bob/trotter",
        "ada/./trotter",
        "ada//trotter",
        "ada/trotter/",
        "ada/trotter:1/../../x",
        "ada/Trotter",
        "ada/trotter:",
        "ada/trotter@sha256:00",
        f"ada/trotter@{DIGEST}x",
        f"ada/trotter@sha512:{'0' * 64}",
        "ada/trotter\n",
        "ada/trotter?x=1",
        "ada/trotter#x",
        "ada/trotter%2f..%2fx",
        "аda/trotter",
        f"ada/{'x' * 300}",
        DIGEST,
        "",
    ],
)
def test_what_is_not_ones_own_image_in_the_ladders_registry_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=re.escape("one of your images")):
        own_image(text, "ada", ARENA)


def test_only_images_of_the_ladders_registry_are_pulled_with_its_token() -> None:
    assert in_registry(f"{ARENA}/ada/trotter@{DIGEST}", ARENA) == ImageName("ada/trotter", DIGEST)
    for other in (f"{ARENA}0/ada/trotter", f"evil.{ARENA}/ada/trotter", "ada/trotter", f"{ARENA}/trotter"):
        assert in_registry(other, ARENA) is None
    assert in_registry("/ada/trotter", "") is None


@pytest.mark.parametrize("text", ["arena.example:5000", "127.0.0.1:5000", "localhost:1", "[::1]:5000"])
def test_an_address_is_a_host_with_a_port(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text", ["arena", "https://arena:5000", "a:0", "a:70000", "a:5/x", "u@a:5000", ":5000", "a b:1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    assert not is_address(text)
