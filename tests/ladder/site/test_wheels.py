"""The pages that say how to install Pigpen, and what they lead to. A real pip does it in tests/e2e/installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from ladder.app.wheels import ARENA, EXTRAS, find_wheels
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from pigpen.version import __version__
from tests.ladder.ladders import new_ladder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

ADDRESS = "https://arena.example"
NAMES = [f"pigpen_{name}-{__version__}-py3-none-any.whl" for name in ("arena", "sdk")]
LINE = f"pip install -r {ADDRESS}/wheels/requirements.txt\n"


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path).model_copy(update={"site_url": ADDRESS}))
    (tmp_path / "wheels").mkdir()
    for name in NAMES:
        (tmp_path / "wheels" / name).write_text(f"this is {name}")
    yield made
    made.database.close()


@pytest.fixture
async def client(ladder: Ladder) -> AsyncIterator[httpx.AsyncClient]:
    app = make_app(ladder, wheels=find_wheels(ladder.settings.data_dir))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://evil.example") as client:
        yield client


@pytest.mark.parametrize("page", ["/", "/help"])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_line_is_shown_with_the_sites_own_address(
    client: httpx.AsyncClient, page: str, language: str
) -> None:
    text = (await client.get(page, params={"lang": language})).text
    assert f'<pre tabindex="0">{LINE}pigpen new mybot\n' in text
    assert f"pigpen login {ADDRESS}\npigpen submit ./mybot</pre>" in text
    assert "evil.example" not in text


@pytest.mark.parametrize("page", ["/", "/help"])
async def test_without_wheels_nobody_is_sent_to_an_index(ladder: Ladder, page: str) -> None:
    transport = httpx.ASGITransport(make_app(ladder), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
        text = (await client.get(page)).text
    assert "pip install" not in text
    assert "ask the organiser " in text


async def test_the_list_and_the_wheels_are_there(client: httpx.AsyncClient) -> None:
    listed = await client.get("/wheels/requirements.txt")
    assert (listed.status_code, listed.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert "evil.example" not in listed.text
    for line, name in zip(listed.text.splitlines(), reversed(NAMES), strict=True):
        place, _, _ = line.partition(" @ ")[2].partition("#sha256=")
        assert place == f"{ADDRESS}/wheels/{name}"
        answer = await client.get(place.removeprefix(ADDRESS))
        assert (answer.status_code, answer.text) == (200, f"this is {name}")


@pytest.mark.parametrize("extra", EXTRAS)
async def test_there_is_a_list_for_each_extra(client: httpx.AsyncClient, extra: str) -> None:
    plain, with_extra = [(await client.get(f"/wheels/{name}.txt")).text for name in ("requirements", extra)]
    assert with_extra == plain.replace(f"{ARENA} @", f"{ARENA}[{extra}] @")


@pytest.mark.parametrize(
    "name",
    ["nothing.whl", "dev.txt", ".txt", "ladder,worker.txt", "..%2Fladder.db", "%2Fetc%2Fpasswd", NAMES[0].upper()],
)
async def test_nothing_else_is_handed_out(client: httpx.AsyncClient, name: str) -> None:
    assert (await client.get(f"/wheels/{name}")).status_code == 404
