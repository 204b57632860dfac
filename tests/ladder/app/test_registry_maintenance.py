"""Images that are not needed are removed from the ladder's registry, and no others."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from ladder.app.ladder import Ladder
from ladder.app.registry_maintenance import check_free, plan_registry, sole_registry, sweep
from ladder.errors import BotRejected, SandboxError, UserError
from ladder.registry.image_names import ImageName
from ladder.registry.program import RegistryPlan
from ladder.registry.registry_client import RegistryClient
from ladder.settings.settings import Settings, load_settings
from ladder.store import models
from ladder.store.commands import submission_queue
from ladder.store.models import State
from ladder.values.submission import SubmissionOrder
from tests.ladder import ladders
from tests.ladder.registries import guarded_registry
from tests.ladder.registry.pushed import Pusher, layer
from tests.ports import free_port

ARENA = "arena.example:5000"
PAIR = Path("cert.pem"), Path("key.pem")


@dataclass
class Store:
    """A ladder with images in a registry, whichever runs just now."""

    ladder: Ladder
    address: str

    @property
    def plan(self) -> RegistryPlan:
        return RegistryPlan(self.ladder.settings.data_dir, self.address, "http://127.0.0.1:1/")

    def push(self, *tags: str) -> dict[str, str]:
        """Put an image of its own for each tag; gives the digests."""
        with guarded_registry(self.plan.data_dir, self.plan.realm, address=self.address):
            pusher = Pusher(self.plan.data_dir, self.address)
            return {tag: pusher.image(layer(1000 + len(tag)), tag.encode() * 99, tag=tag) for tag in tags}

    def is_whole(self, digest: str) -> bool:
        """True if an image can still be pulled, with each of its parts."""
        with guarded_registry(self.plan.data_dir, self.plan.realm, address=self.address):
            login = Pusher(self.plan.data_dir, self.address).login
            with RegistryClient(login) as client:
                try:
                    client.manifest(ImageName("ada/trotter", digest))
                except BotRejected:
                    return False
        return True

    def enter(self, *digests: str, state: State = State.ACTIVE, variant: str = "gongzhu") -> list[int]:
        """Enter versions of a bot with these images."""
        with self.ladder.database.write() as session:
            entered = []
            for digest in digests:
                version = ladders.enter(session, f"bot-{digest[7:15]}", variant, state=state)
                session.get_one(models.Version, version).pinned = f"{self.address}/ada/trotter@{digest}"
                entered.append(version)
            return entered

    def submit(self, image: str) -> None:
        """Have a submission wait."""
        order = SubmissionOrder(name="Waiting", image=f"{self.address}/{image}")
        with self.ladder.database.write() as session:
            submission_queue.add(session, order, self.ladder.clock(), owner="ada", sandbox="docker", remote=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    address = f"127.0.0.1:{free_port()}"
    with Ladder.open(load_settings(data_dir=tmp_path, registry=address), create=True) as ladder:
        yield Store(ladder, address)


def blobs(store: Store) -> set[str]:
    """All files of images."""
    return {path.parent.name for path in store.plan.images.rglob("data")}


@pytest.mark.registry
def test_images_of_versions_that_have_retired_go_and_all_others_stay(store: Store) -> None:
    pushed = store.push("active", "suspended", "retired", "waiting", "by-digest", "new", "both")
    store.enter(pushed["active"])
    store.enter(pushed["suspended"], state=State.SUSPENDED)
    store.enter(pushed["retired"], pushed["waiting"], pushed["by-digest"], state=State.RETIRED)
    store.submit("ada/trotter:waiting")
    store.submit(f"ada/trotter@{pushed['by-digest']}")
    [version] = store.enter(pushed["both"], state=State.RETIRED)
    with store.ladder.database.write() as session:
        ladders.add_variant(session, "hearts")
        plays = models.Rating(variant="hearts", version_id=version, since=0.0, rating=0.0, state=State.SUSPENDED)
        session.add(plays)
    before = blobs(store)
    assert sweep(store.ladder, store.address, store.plan) == 1
    assert {tag: store.is_whole(digest) for tag, digest in pushed.items()} == {tag: tag != "retired" for tag in pushed}
    assert len(before - blobs(store)) == 2  # the manifest and a layer; other images have the other layer, too
    assert sweep(store.ladder, store.address, store.plan) == 0


@pytest.mark.registry
def test_an_image_that_was_removed_can_be_pushed_and_submitted_again(store: Store) -> None:
    digest = store.push("1")["1"]
    store.enter(digest, state=State.RETIRED)
    assert sweep(store.ladder, store.address, store.plan) == 1
    assert not store.is_whole(digest)
    assert store.push("1")["1"] == digest
    assert store.is_whole(digest)


@pytest.mark.registry
def test_a_match_that_waits_keeps_the_images_of_its_bots(store: Store) -> None:
    pushed = store.push("a", "bb", "ccc", "dddd")
    versions = store.enter(*pushed.values(), state=State.RETIRED)
    with store.ladder.database.write() as session:
        ladders.queue(session, versions, "gongzhu")
    assert sweep(store.ladder, store.address, store.plan) == 0
    assert all(store.is_whole(digest) for digest in pushed.values())


@pytest.mark.registry
def test_a_registry_to_which_nobody_has_pushed_is_tidy(store: Store) -> None:
    assert sweep(store.ladder, store.address, store.plan) == 0


@pytest.mark.registry
def test_layers_of_no_image_go(store: Store) -> None:
    with guarded_registry(store.plan.data_dir, store.plan.realm, address=store.address):
        Pusher(store.plan.data_dir, store.address).blob(b"left behind")
    assert len(blobs(store)) == 1
    assert sweep(store.ladder, store.address, store.plan) == 0
    assert blobs(store) == set()


@pytest.mark.registry
def test_a_registry_that_people_reach_deletes_nothing(store: Store) -> None:
    digest = store.push("1")["1"]
    with guarded_registry(store.plan.data_dir, store.plan.realm, address=store.address):
        pusher = Pusher(store.plan.data_dir, store.address)
        login = pusher.login.model_copy(update={"token": pusher.token("pull", "delete")})
        with RegistryClient(login) as client, pytest.raises(SandboxError, match="405"):
            client.delete("ada/trotter", digest)


def test_one_process_at_a_time_has_the_registry(tmp_path: Path) -> None:
    with sole_registry(tmp_path), pytest.raises(UserError, match="runs already"), sole_registry(tmp_path):
        pass
    with sole_registry(tmp_path):
        pass


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UserError, match=f"listen at {listen}: Address already"):
            check_free(listen)
    check_free(listen)


def settings(tmp_path: Path, **given: str) -> Settings:
    return Settings.model_validate({"data_dir": tmp_path} | given)


def test_by_default_the_registry_is_for_this_machine(tmp_path: Path) -> None:
    address, plan = plan_registry(settings(tmp_path), "127.0.0.1", 5000, "http://127.0.0.1:8020/", PAIR)
    assert address == "127.0.0.1:5000"
    realm = "http://127.0.0.1:8020/api/v1/registry/token"
    assert plan == RegistryPlan(tmp_path, "127.0.0.1:5000", realm, tls=None)


def test_for_other_machines_it_has_a_name_and_the_sites_certificate(tmp_path: Path) -> None:
    known = settings(tmp_path, registry=ARENA, site_url="https://arena.example/")
    address, plan = plan_registry(known, "0.0.0.0", 5001, "https://127.0.0.1:443/", PAIR)
    realm = "https://arena.example/api/v1/registry/token"
    assert (address, plan) == (ARENA, RegistryPlan(tmp_path, "0.0.0.0:5001", realm, PAIR))
    assert plan_registry(known, "::", 5001, "", PAIR)[1] == replace(plan, listen="[::]:5001")


def test_a_registry_that_nobody_would_find_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"such as arena\.example:5000"):
        plan_registry(settings(tmp_path), "0.0.0.0", 5000, "", PAIR)
    with pytest.raises(UserError, match=r"missing \(site_url\)"):
        plan_registry(settings(tmp_path, registry=ARENA), "127.0.0.1", 5000, "", None)
