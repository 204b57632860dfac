"""`pigpen push`, and `pigpen submit` with an image, to a remote ladder: a real engine, registry and site."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import docker
import pytest
from typer.testing import CliRunner

from ladder.app.ladder import Ladder
from ladder.app.remote.connection import Connection
from ladder.app.remote.login import Login, write_login
from ladder.app.remote.pushing import is_on_engine, push_image
from ladder.app.remote.remote_submission import name_in_registry
from ladder.cli.typer_app import app
from ladder.errors import LadderError, UserError
from ladder.settings.settings import load_settings
from ladder.values.accounts import Scope
from tests.ladder.accounts import add_person, token_of
from tests.ladder.registries import guarded_registry
from tests.ladder.site.serving import served
from tests.ladder.trials.tiny import load_tiny
from tests.ports import free_port

pytestmark = [pytest.mark.docker, pytest.mark.registry]


@dataclass
class RemoteLadderWithRegistry:
    """A remote ladder with a registry, and the user's log-in there."""

    ladder: Ladder
    login: Login

    @property
    def registry(self) -> str:
        return self.ladder.settings.registry

    def push(self, image: str, name: str | None = None, token: str = "") -> str:
        """Push an image; gives its name there."""
        login = Login(self.login.address, self.login.name, token or self.login.token)
        with Connection(login.address, login.token) as connection:
            return push_image(connection, login, image, name, lambda words: None)


@contextmanager
def silent(image: str) -> Iterator[Callable[[str], None]]:
    """Show nothing of a push."""
    yield lambda words: None


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteLadderWithRegistry]:
    address = f"127.0.0.1:{free_port()}"
    settings = load_settings(data_dir=tmp_path / "ladder", registry=address)
    with Ladder.open(settings, create=True) as ladder, served(ladder) as port:
        add_person(ladder, "ada")
        site = f"http://127.0.0.1:{port}"
        with guarded_registry(settings.data_dir, f"{site}/api/v1/registry/token", address=address):
            yield RemoteLadderWithRegistry(ladder, Login(site, "ada", token_of(ladder, "ada")))


@pytest.fixture
def image(client: docker.DockerClient, name: str) -> Iterator[str]:
    """An image of this engine's; nothing of it stays."""
    tag = f"{name}:1"
    identity = load_tiny(client, tag, mark=name)
    yield tag
    client.images.remove(identity, force=True)


def test_an_image_is_pushed_under_ones_own_name_and_leaves_no_tag_behind(
    remote: RemoteLadderWithRegistry, image: str, client: docker.DockerClient
) -> None:
    found = remote.push(image, "trotter:2")
    assert found.startswith("ada/trotter@sha256:")
    assert [tag for tag in client.images.get(image).tags if tag.startswith(remote.registry)] == []
    assert remote.push(image) == found.replace("trotter", image.partition(":")[0])


def test_what_is_not_there_or_cannot_be_called_so_is_named(remote: RemoteLadderWithRegistry, image: str) -> None:
    with pytest.raises(UserError, match="no image 'nothing:here' on"):
        remote.push("nothing:here")
    with pytest.raises(UserError, match=r"no name .* lower case"):
        remote.push(image, "Trotter")


def test_a_token_that_is_not_for_submitting_pushes_nothing(remote: RemoteLadderWithRegistry, image: str) -> None:
    with pytest.raises(LadderError, match="lacks the scope 'submit'"):
        remote.push(image, token=token_of(remote.ladder, "ada", Scope.READ))


def test_submit_pushes_an_image_of_this_engines_and_takes_others_as_they_are(
    remote: RemoteLadderWithRegistry, image: str
) -> None:
    assert (is_on_engine(image), is_on_engine("ada/nowhere:1")) == (True, False)
    with Connection(remote.login.address, remote.login.token) as connection:
        pushed = name_in_registry(connection, remote.login, image, silent)
        assert pushed.startswith(f"ada/{image.partition(':')[0]}@sha256:")
        assert name_in_registry(connection, remote.login, "ada/nowhere:1", silent) == "ada/nowhere:1"
        full = f"{remote.registry}/{pushed}"
        assert name_in_registry(connection, remote.login, full, silent) == full


def test_the_command_prints_the_name_and_no_token(
    remote: RemoteLadderWithRegistry, image: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_login(remote.login)
    done = CliRunner().invoke(app, ["push", image, "--name", "trotter"])
    assert (done.exit_code, "\nada/trotter@sha256:" in f"\n{done.stdout}") == (0, True)
    assert remote.login.token not in done.output
