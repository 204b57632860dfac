"""Rights of a token for the registry; and Debian's docker-registry reads it in the same way."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from ladder.registry.tokens import Access, RegistryKey, allowed, registry_key, sign
from tests.ladder.registries import guarded_registry
from tests.waiting import PATIENCE

REALM = "http://127.0.0.1:1/api/v1/registry/token"
OWN = (Access("ada/trotter", ("pull", "push")),)


@pytest.mark.parametrize(
    ("scope", "access"),
    [
        ("repository:ada/trotter:pull", (Access("ada/trotter", ("pull",)),)),
        ("repository:ada/trotter:pull,push", OWN),
        ("repository:ada/trotter:push,pull,delete,*", OWN),
        ("repository:ada/trotter:pull repository:bob/snout:pull", (Access("ada/trotter", ("pull",)),)),
        ("repository:ada/trotter:*", ()),
        ("repository:ada/trotter:delete", ()),
        ("repository:bob/snout:pull", ()),
        ("repository:adam/snout:pull", ()),
        ("repository:ada:pull", ()),
        ("repository:ada/../bob/snout:pull", ()),
        ("repository(plugin):ada/trotter:pull", ()),
        ("registry:catalog:*", ()),
        ("", ()),
    ],
)
def test_what_is_asked_for_is_cut_down_to_ones_own_names(scope: str, access: tuple[Access, ...]) -> None:
    assert allowed([scope], "ada") == access


@dataclass
class Running:
    """A registry that runs, and the key of its ladder."""

    address: str
    key: RegistryKey

    def ask(self, path: str, token: str, method: str = "GET") -> int:
        """The status with which it answers."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return requests.request(
            method, f"http://{self.address}/v2/{path}", headers=headers, timeout=PATIENCE
        ).status_code


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A registry that takes one ladder's tokens."""
    folder = tmp_path_factory.mktemp("ladder")
    with guarded_registry(folder, REALM) as address:
        yield Running(address, registry_key(folder))


pytestmark = pytest.mark.registry
UPLOAD = "ada/trotter/blobs/uploads/"


def test_a_token_lets_its_owner_push_and_pull_what_it_names(running: Running) -> None:
    token = sign(running.key, "ada", OWN, time.time())
    assert running.ask(UPLOAD, token, "POST") == 202
    assert running.ask("ada/trotter/tags/list", token) == 404  # it may look, and there is nothing yet


def test_nobody_is_let_in_without_a_token(running: Running) -> None:
    assert [running.ask(path, "") for path in ("", "ada/trotter/tags/list", "_catalog")] == [401, 401, 401]


def test_other_names_and_other_actions_are_denied(running: Running) -> None:
    token = sign(running.key, "ada", OWN, time.time())
    manifest = f"ada/trotter/manifests/sha256:{'0' * 64}"
    tried = [
        ("bob/snout/tags/list", "GET"),
        ("bob/snout/blobs/uploads/", "POST"),
        (manifest.replace("ada/trotter", "bob/snout"), "GET"),
        (manifest, "DELETE"),
        ("_catalog", "GET"),
        ("ada/trotter/../../bob/snout/tags/list", "GET"),
        ("ada/trotter2/tags/list", "GET"),
    ]
    assert {(path, running.ask(path, token, method)) for path, method in tried} == {(path, 401) for path, _ in tried}


def test_a_token_to_pull_pushes_nothing(running: Running) -> None:
    token = sign(running.key, "ada", [Access("ada/trotter", ("pull",))], time.time())
    assert running.ask(UPLOAD, token, "POST") == 401


def test_a_layer_is_not_mounted_from_another_owners_repository(running: Running) -> None:
    bobs = sign(running.key, "bob", [Access("bob/snout", ("pull", "push"))], time.time())
    digest = put_blob(running, "bob/snout", bobs, b"bob's secret")
    adas = sign(running.key, "ada", OWN, time.time())
    assert running.ask(f"{UPLOAD}?mount={digest}&from=bob/snout", adas, "POST") == 401
    assert running.ask(f"ada/trotter/blobs/{digest}", adas) == 404


def test_a_token_ends(running: Running) -> None:
    long_ago = time.time() - 600  # the registry allows for a minute between two clocks
    assert running.ask(UPLOAD, sign(running.key, "ada", OWN, long_ago), "POST") == 401
    assert running.ask(UPLOAD, sign(running.key, "ada", OWN, time.time() + 600), "POST") == 401


def test_another_ladders_token_is_forged(running: Running, tmp_path: Path) -> None:
    assert running.ask(UPLOAD, sign(registry_key(tmp_path), "ada", OWN, time.time()), "POST") == 401


def test_a_token_under_another_certificate_is_forged(running: Running, tmp_path: Path) -> None:
    mixed = RegistryKey(registry_key(tmp_path).private, running.key.certificate)
    assert running.ask(UPLOAD, sign(mixed, "ada", OWN, time.time()), "POST") == 401


@pytest.mark.parametrize("changes", [{"aud": "another"}, {"iss": "another"}])
def test_a_token_for_another_service_is_not_taken(
    running: Running, changes: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"aud": "ladder.registry.tokens.SERVICE", "iss": "ladder.registry.tokens.ISSUER"}
    for claim, value in changes.items():
        monkeypatch.setattr(names[claim], value)
    assert running.ask(UPLOAD, sign(running.key, "ada", OWN, time.time()), "POST") == 401


@pytest.mark.parametrize("algorithm", ["none", "None", "HS256", "RS256"])
def test_a_token_that_says_it_is_signed_otherwise_is_not_taken(running: Running, algorithm: str) -> None:
    head, claims, signature = sign(running.key, "ada", OWN, time.time()).split(".")
    header = json.loads(base64.urlsafe_b64decode(head + "=="))
    changed = base64.urlsafe_b64encode(json.dumps(header | {"alg": algorithm}).encode()).decode().rstrip("=")
    for end in (signature, ""):
        assert running.ask(UPLOAD, f"{changed}.{claims}.{end}", "POST") in (400, 401)


def test_a_token_whose_claims_were_changed_is_not_taken(running: Running) -> None:
    head, claims, signature = sign(running.key, "ada", OWN, time.time()).split(".")
    claimed = base64.urlsafe_b64decode(claims + "==").replace(b"ada/trotter", b"bob/trotter")
    changed = base64.urlsafe_b64encode(claimed).decode().rstrip("=")
    assert running.ask("bob/trotter/blobs/uploads/", f"{head}.{changed}.{signature}", "POST") == 401


def put_blob(running: Running, repository: str, token: str, content: bytes) -> str:
    """Put a layer into a repository; gives its digest."""
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    headers = {"Authorization": f"Bearer {token}"}
    base = f"http://{running.address}"
    begun = requests.post(f"{base}/v2/{repository}/blobs/uploads/", headers=headers, timeout=PATIENCE)
    place = requests.compat.urljoin(base, begun.headers["Location"])
    done = requests.put(place, params={"digest": digest}, data=content, headers=headers, timeout=PATIENCE)
    assert done.status_code == 201
    return digest
