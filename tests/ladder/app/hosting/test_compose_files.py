"""The files of a ladder in containers: they name only what there is, and the engine's socket is where it must be."""

from __future__ import annotations

import os
import re
import ssl
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from ladder.app.hosting.compose_files import (
    COMPOSE,
    ENVIRONMENT,
    KEY,
    PROXY,
    SETTINGS,
    SUBNET,
    TEMPLATES,
    ComposeOrder,
    write_compose,
)
from ladder.errors import UserError
from ladder.sandbox.docker.ladder_image import ladder_tag, postgres_tag
from ladder.settings.settings import Settings
from ladder.settings.settings_file import FILE
from tests.e2e.command import ROOT, pigpen
from tests.ladder.site import nginx

NAME = "cards.example"
FILES = ["compose.yaml", "nginx.conf", ".env", "pigpen.toml", "tls/fullchain.pem", "tls/privkey.pem"]
WITH_SOCKET = {"run", "tables"}
"""Services that start bots."""
KNOWN = {
    "cap_add", "cap_drop", "command", "depends_on", "environment", "healthcheck", "hostname", "image", "networks",
    "pid", "ports", "profiles", "read_only", "restart", "security_opt", "shm_size", "stop_grace_period", "tmpfs",
    "volumes", "working_dir",
}  # fmt: skip
"""Keys that docker-compose 1.29 and Compose 2 both know."""


def written(folder: Path, **options: bool) -> Path:
    write_compose(folder, ComposeOrder(NAME, Path("/srv/ladder"), **options))
    return folder


def environment(folder: Path) -> dict[str, str]:
    lines = (folder / ENVIRONMENT).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def composed(folder: Path) -> dict[str, Any]:
    """The file with the values of its environment in the places of their names."""
    values = environment(folder)
    text = re.sub(r"\$\{(\w+)\}", lambda found: values[found[1]], (folder / COMPOSE).read_text())
    assert "$" not in text
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@pytest.fixture
def services(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = composed(written(tmp_path / "arena"))["services"]
    return found


def test_the_command_writes_all_of_them_once_and_only_their_owner_comes_to_them(tmp_path: Path) -> None:
    os.umask(before := os.umask(0o077))
    try:
        os.umask(0o077)
        done = pigpen("ladder", "compose", NAME, "arena", "--postgres", folder=tmp_path)
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"arena/{name}" for name in FILES]
    folder = tmp_path / "arena"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # A container's root without capabilities is any other user to the files of an organiser who is not root.
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in FILES} == {0o644}
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in ("tls", "acme")} == {0o755}
    again = pigpen("ladder", "compose", NAME, "arena", folder=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "'arena' is there already" in again.stderr


def test_only_services_that_start_bots_have_the_engine_and_they_see_its_processes(services: dict[str, Any]) -> None:
    socket = f"{environment_socket()}:/var/run/docker.sock"
    has_socket = {name for name, each in services.items() if any("docker.sock" in place for place in each["volumes"])}
    assert has_socket == WITH_SOCKET
    for name, each in services.items():
        assert (socket in each["volumes"]) is (name in WITH_SOCKET)
        assert (each.get("pid") == "host") is (name in WITH_SOCKET)
        assert ("/sys/fs/cgroup:/sys/fs/cgroup" in each["volumes"]) is (name in WITH_SOCKET)
        assert (each.get("cap_drop") == ["ALL"]) is (name not in WITH_SOCKET)
        assert each["security_opt"] == ["no-new-privileges"]
        assert "privileged" not in each


def environment_socket() -> str:
    return os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock").removeprefix("unix://")


def test_the_site_can_write_to_the_ladders_folder_alone(services: dict[str, Any]) -> None:
    site = services["site"]
    assert site["read_only"] is True
    assert [place for place in site["volumes"] if not place.endswith(":ro")] == [
        "/srv/ladder:/srv/ladder", "/srv/ladder/tmp:/srv/ladder/tmp",
    ]  # fmt: skip


def test_folders_with_sockets_have_one_path_inside_and_outside(services: dict[str, Any]) -> None:
    """The engine mounts them into the containers of bots by the path that a container of ours gives it."""
    for name in ("site", *WITH_SOCKET):
        temporary = services[name]["environment"]["TMPDIR"]
        assert f"{temporary}:{temporary}" in services[name]["volumes"]
        assert services[name]["hostname"] == "pigpen"  # by it, processes of ours are known to have ended


def test_each_starts_a_command_that_there_is(services: dict[str, Any]) -> None:
    ours = {name: each["command"] for name, each in services.items() if each.get("command", [""])[0] == "pigpen"}
    assert set(ours) == {"site", "run", "tables", "compute", "registry"}
    for words in ours.values():
        options = [word for word in words[1:] if word.startswith("--")]
        command = [word for word in words[1:3] if not word.startswith("--")]
        shown = pigpen(*command, "--help")
        assert shown.returncode == 0, words
        assert all(option in shown.stdout for option in options), words


def test_only_keys_and_conditions_that_both_programs_know_are_used(services: dict[str, Any]) -> None:
    assert {key for each in services.values() for key in each} <= KNOWN
    for each in services.values():
        for needed, how in each.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert "healthcheck" in services[needed]
            assert "profiles" not in services[needed], "an error where the profile is off"
    assert {name for name, each in services.items() if "profiles" in each} == {"postgres", "registry"}


def test_each_value_of_the_environment_is_used_and_each_image_is_one_that_we_make(tmp_path: Path) -> None:
    folder = written(tmp_path / "arena", postgres=True, registry=True)
    used = set(re.findall(r"\$\{(\w+)\}", (folder / COMPOSE).read_text()))
    values = environment(folder)
    assert {name for name in values if not name.startswith("COMPOSE_")} == used
    assert values["COMPOSE_PROFILES"] == "postgres,registry"
    services = composed(folder)["services"]
    assert {each["image"] for each in services.values()} == {ladder_tag(), postgres_tag()}


def test_the_settings_are_settings_and_name_the_proxys_network_and_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "arena", postgres=True, registry=True)
    assert SETTINGS == FILE
    settings = Settings(**tomllib.loads((folder / SETTINGS).read_text()))
    found = composed(folder)
    (network,) = found["networks"]["ladder"]["ipam"]["config"]
    assert (settings.site_proxy, network["subnet"]) == (SUBNET, SUBNET)
    assert settings.site_url == f"https://{NAME}"
    assert settings.url.password == found["services"]["postgres"]["environment"]["POSTGRES_PASSWORD"]
    assert settings.url.host == "postgres"
    assert settings.registry == f"{NAME}:5000"
    assert settings.site_host in found["services"]
    plain = Settings(**tomllib.loads((written(tmp_path / "plain") / SETTINGS).read_text()))
    assert (plain.database_url, plain.registry) == ("", "")


def test_the_certificate_fits_its_key_and_the_proxy_names_the_site(tmp_path: Path) -> None:
    folder = written(tmp_path / "arena")
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(folder / "tls/fullchain.pem", folder / KEY)
    text = (folder / PROXY).read_text()
    assert "arena.example" not in text
    assert text.count(f"server_name {NAME};") == 2
    settings = tomllib.loads((folder / SETTINGS).read_text())
    assert f"http://{settings['site_host']}:{settings['site_port']};" in text


@pytest.mark.nginx
def test_nginx_takes_its_file(tmp_path: Path) -> None:
    folder = written(tmp_path / "arena")
    text = (folder / PROXY).read_text()
    for inside, outside in (("/etc/pigpen", str(folder)), ("/tmp/", f"{tmp_path}/"), ("/run/", f"{tmp_path}/")):
        text = text.replace(inside, outside)
    (tmp_path / "nginx.conf").write_text(text)
    program = nginx.program()
    assert program
    done = subprocess.run(
        [program, "-t", "-e", "stderr", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.compose
@pytest.mark.parametrize("options", [{}, {"postgres": True, "registry": True}], ids=["plain", "all"])
def test_docker_compose_takes_them(options: dict[str, bool], tmp_path: Path) -> None:
    folder = written(tmp_path / "arena", **options)
    done = subprocess.run(
        ["docker-compose", "config", "--services"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"site", "run", "tables", "compute", "proxy", "registry", "postgres"}


def test_what_the_files_say_of_limits_is_what_the_page_for_other_proxies_says() -> None:
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    proxy = (TEMPLATES / PROXY).read_text()
    for line in ("client_max_body_size 65m;", "limit_conn arena 200;", "proxy_request_buffering off;"):
        assert line in page
        assert line in proxy


@pytest.mark.parametrize(
    "name", ["", "Arena.example", "arena example", "https://arena.example", "-a.example", "a..b", "a;b", "a" * 64]
)
def test_what_is_no_name_of_a_site_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=re.escape(repr(name))):
        write_compose(tmp_path / "arena", ComposeOrder(name, Path("/srv/ladder")))
    assert not (tmp_path / "arena").exists()


@pytest.mark.parametrize("data", ["ladder", "/srv/my ladder", "/srv/a:b", "/srv/$HOME", '/srv/"a"'])
def test_a_folder_that_a_compose_file_would_read_otherwise_is_refused(data: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--data-dir"):
        write_compose(tmp_path / "arena", ComposeOrder(NAME, Path(data)))


def test_without_an_engine_the_way_out_is_an_engine_and_no_kind_of_sandbox() -> None:
    done = pigpen("ladder", "image", DOCKER_HOST="unix:///nonexistent/docker.sock")
    assert done.returncode == 3
    assert done.stderr.startswith("pigpen: No Docker engine answers.")
    assert "--sandbox" not in done.stderr
