"""Tokens as Debian's docker-registry reads them, and images read in it before an engine pulls them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import requests

from ladder.errors import BotRejected, SandboxError
from ladder.registry import manifests
from ladder.registry.image_names import ImageName
from ladder.registry.manifests import CONFIGS, DOCKER, LISTS, PACKED, read_manifest
from ladder.registry.registry_client import RegistryClient, check_contents
from ladder.registry.tokens import Access, RegistryKey, allowed, registry_key, sign
from ladder.trials.trial_images import fetch, pull
from tests.ladder.registries import guarded_registry
from tests.ladder.registry.pushed import SPARSE, Pusher, layer, member
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from ladder.registry.login import RegistryLogin

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


ROOM = 1_000_000
IMAGE = ImageName("ada/trotter", "1")


@pytest.fixture(scope="module")
def pusher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pusher]:
    folder = tmp_path_factory.mktemp("ladder")
    with guarded_registry(folder, "http://127.0.0.1:1/") as address:
        yield Pusher(folder, address)


def look(login: RegistryLogin, image: ImageName = IMAGE, room: int = ROOM) -> str:
    """Read an image through; gives its digest."""
    with RegistryClient(login) as client:
        digest, body, media_type = client.manifest(image)
        check_contents(client, image, read_manifest(str(image), body, media_type, room), room)
        return digest


def test_an_image_is_read_through_and_known_by_its_digest(pusher: Pusher) -> None:
    digest = pusher.image(layer(), layer(500_000))
    assert look(pusher.login) == digest
    assert look(pusher.login, ImageName("ada/trotter", digest)) == digest


def test_an_image_that_unpacks_to_too_much_is_refused(pusher: Pusher) -> None:
    assert len(layer(50_000_000)) < ROOM // 4
    pusher.image(layer(50_000_000))
    with pytest.raises(BotRejected, match=r"ada/trotter:1 .* 1,000,000 bytes"):
        look(pusher.login)


def test_a_layer_counts_each_time_that_it_stands_in_the_manifest(pusher: Pusher) -> None:
    pusher.image(*[layer(300_000)] * 4)
    with pytest.raises(BotRejected, match="has more than"):
        look(pusher.login)


@pytest.mark.docker
def test_an_image_with_a_sparse_file_is_refused_and_not_pulled(pusher: Pusher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.trials.trial_images.pull", lambda *_: pytest.fail("it was to be pulled"))
    digest = pusher.image(layer(), gzip.compress(SPARSE + bytes(1024)))
    with pytest.raises(BotRejected, match=r"^A layer of ada/trotter:1 .* sparse"):
        fetch(pusher.login, f"{pusher.address}/ada/trotter:1", ROOM)
    with pytest.raises(BotRejected, match="holds a sparse file"):
        fetch(pusher.login, f"{pusher.address}/ada/trotter@{digest}", ROOM)


def test_files_of_all_layers_count_and_those_of_one_as_often_as_it_stands_there(
    pusher: Pusher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifests, "MAX_LAYER_FILES", 2000)
    many = gzip.compress(member() * 1000 + bytes(1024), 1)
    pusher.image(many, many)
    look(pusher.login, room=100 * ROOM)
    pusher.image(many, gzip.compress(member() + bytes(1024)), many)
    with pytest.raises(BotRejected, match=r"^ada/trotter:1 .* 2,000 files"):
        look(pusher.login, room=100 * ROOM)


@pytest.mark.parametrize(
    "content",
    [b"this is no tar archive" * 100, SPARSE[:1000], gzip.compress(bytes(1024))],
    ids=["no tar", "cut off", "packed twice"],
)
def test_a_layer_that_is_no_tar_archive_is_refused(pusher: Pusher, content: bytes) -> None:
    pusher.image(gzip.compress(content))
    with pytest.raises(BotRejected, match=r"^A layer .* cannot be unpacked"):
        look(pusher.login)


def test_members_of_gzip_behind_each_other_all_count(pusher: Pusher) -> None:
    pusher.image(b"".join(gzip.compress(bytes(200_000)) for _ in range(8)))
    with pytest.raises(BotRejected, match="has more than"):
        look(pusher.login)


def lying(pusher: Pusher, size: int) -> dict[str, Any]:
    """A manifest that says another size of a layer than it has."""
    config = {"mediaType": CONFIGS[0]} | pusher.blob(b"{}")
    layer_entry = {"mediaType": PACKED[0]} | pusher.blob(layer(1000)) | {"size": size}
    return {"schemaVersion": 2, "mediaType": DOCKER, "config": config, "layers": [layer_entry]}


@pytest.mark.parametrize("size", [1, 100_000])
def test_a_manifest_that_lies_about_a_size_is_refused(pusher: Pusher, size: int) -> None:
    if pusher.try_manifest(lying(pusher, size)) == 201:
        with pytest.raises(BotRejected, match=r"its manifest|cannot be unpacked"):
            look(pusher.login)


def test_a_layer_that_is_not_packed_as_it_says_is_refused(pusher: Pusher) -> None:
    pusher.image(b"this is no gzip")
    with pytest.raises(BotRejected, match="cannot be unpacked"):
        look(pusher.login)


def test_a_long_configuration_is_refused(pusher: Pusher) -> None:
    config = {"mediaType": CONFIGS[0]} | pusher.blob(b" " * 300_000) | {"size": 2}
    pusher.image(layer(), config=config)
    with pytest.raises(BotRejected, match="has more than 262,144 bytes"):
        look(pusher.login)


def test_a_list_of_images_is_refused_and_nothing_is_chosen_of_it(pusher: Pusher) -> None:
    digest = pusher.image(layer(), tag="alone")
    platform = {"architecture": "amd64", "os": "linux"}
    entry = {"mediaType": DOCKER, "size": 1, "digest": digest, "platform": platform}
    pusher.manifest({"schemaVersion": 2, "mediaType": LISTS[0], "manifests": [entry]})
    with pytest.raises(BotRejected, match="images for several machines"):
        look(pusher.login)


def with_foreign_layer(pusher: Pusher, kind: str) -> dict[str, Any]:
    """A manifest with a layer that an engine would fetch from another address."""
    away = {"mediaType": kind, "size": 5, "digest": f"sha256:{'7' * 64}", "urls": ["http://127.0.0.1:1/"]}
    return lying(pusher, 5) | {"layers": [away]}


def test_a_layer_at_another_address_is_refused_though_the_registry_takes_it(pusher: Pusher) -> None:
    pusher.manifest(with_foreign_layer(pusher, PACKED[0]))
    with pytest.raises(BotRejected, match="in the registry itself"):
        look(pusher.login)


def test_the_registry_itself_takes_no_foreign_layer(pusher: Pusher) -> None:
    foreign = "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"
    assert pusher.try_manifest(with_foreign_layer(pusher, foreign)) >= 400


def test_the_registry_itself_takes_no_manifest_of_the_first_schema(pusher: Pusher) -> None:
    kind = "application/vnd.docker.distribution.manifest.v1+prettyjws"
    assert pusher.try_manifest({"schemaVersion": 1, "mediaType": kind, "name": "ada/trotter", "tag": "1"}) == 400


def test_an_image_that_is_not_there_is_named(pusher: Pusher) -> None:
    with pytest.raises(BotRejected, match="no image ada/trotter:none"):
        look(pusher.login, ImageName("ada/trotter", "none"))


def test_a_login_is_for_the_images_of_one_task(pusher: Pusher) -> None:
    with pytest.raises(SandboxError, match="The ladder's registry failed: 401"):
        look(pusher.login, ImageName("bob/snout", "1"))


def test_a_registry_that_is_gone_is_not_the_bots_fault(pusher: Pusher) -> None:
    with pytest.raises(SandboxError, match="does not answer"):
        look(pusher.login.model_copy(update={"address": "127.0.0.1:1"}))


class Redirecting(BaseHTTPRequestHandler):
    """A registry that redirects every request to itself, under another name."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(307)
        self.send_header("Location", "/redirected")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_no_registry_redirects_the_ladder(pusher: Pusher) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Redirecting) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        login = pusher.login.model_copy(update={"address": f"127.0.0.1:{server.server_address[1]}"})
        with pytest.raises(SandboxError, match="The ladder's registry failed: 307"):
            look(login)
        server.shutdown()
        thread.join()
    assert Redirecting.asked == ["/v2/ada/trotter/manifests/1"]


@pytest.mark.docker
def test_a_registry_that_does_not_let_the_ladder_in_has_not_lost_the_image(pusher: Pusher, tmp_path: Path) -> None:
    pinned = f"{pusher.address}/ada/trotter@{pusher.image(layer())}"
    forged = Pusher(tmp_path, pusher.address).login
    with pytest.raises(SandboxError, match="The ladder's registry failed: 401"):
        pull(forged, pinned)
    with pytest.raises(BotRejected, match="There is no image"):
        pull(pusher.login, f"{pusher.address}/ada/trotter@sha256:{'7' * 64}")


def test_a_login_shows_no_token(pusher: Pusher) -> None:
    login = pusher.login
    assert login.token not in repr(login)
    assert login.token not in str(login)
