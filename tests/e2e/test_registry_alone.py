"""`pigpen ladder registry`: the registry of images as a process of its own."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
import requests

from ladder.app.registry_maintenance import TOKEN_PATH
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from tests.e2e.command import PIGPEN, environment
from tests.ports import free_port
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.registry, pytest.mark.sqlite]


def test_it_asks_for_the_sites_tokens_and_ends_when_it_is_told(tmp_path: Path) -> None:
    open_ladder(load_settings(data_dir=tmp_path / "data"), create=True).close()
    port = free_port()
    variables = environment(PIGPEN_DATA_DIR=str(tmp_path / "data"), PIGPEN_SITE_URL="https://arena.example")
    words = [str(PIGPEN), "ladder", "registry", "--port", str(port)]
    with subprocess.Popen(words, env=variables, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as program:
        try:
            found: list[requests.Response] = []

            def answers() -> bool:
                assert program.poll() is None
                try:
                    found.append(requests.get(f"http://127.0.0.1:{port}/v2/", timeout=5))
                except requests.ConnectionError:
                    return False
                return True

            until(answers)
            assert found[0].status_code == 401
            assert f'realm="https://arena.example/{TOKEN_PATH}"' in found[0].headers["WWW-Authenticate"]
            program.send_signal(signal.SIGTERM)
            printed, _ = program.communicate()
        finally:
            program.kill()
    assert program.returncode == 0
    assert f"127.0.0.1:{port}" in printed
