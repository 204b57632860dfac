"""The documentation at /docs. A browser reads the real one in browser/test_documentation.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.pages.downloads import find_docs
from ladder.site.server.headers import POLICY
from ladder.site.server.viewer import NO_PAGE
from tests.ladder.ladders import new_ladder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder

PAGE = '<h1>Pigpen</h1><script>alert(1)</script><script type="application/json">{}</script><script src="x.js"></script>'
ALERT = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"
PAGE_POLICY = f"{POLICY}; script-src 'self' {ALERT}; img-src 'self' data:"


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[Ladder]:
    made = new_ladder(load_settings(data_dir=tmp_path / "ladder"))
    yield made
    made.database.close()


def put(folder: Path, page: str = PAGE) -> Path:
    """Make a folder of documentation."""
    (folder / "guide").mkdir(parents=True)
    (folder / "index.html").write_text(page)
    (folder / "guide" / "index.html").write_text("<h1>First steps</h1>")
    (folder / "search_index.json").write_text('{"docs": []}' * 1000)
    (folder / "404.html").write_text("the page of mkdocs")
    return folder


def client(ladder: Ladder) -> httpx.AsyncClient:
    """A visitor of the ladder's site."""
    app = make_app(ladder, docs=find_docs(ladder.settings.data_dir, ladder.settings.data_dir))
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://site", follow_redirects=True
    )


@pytest.mark.parametrize("path", ["/docs", "/docs/", "/docs/guide/"])
async def test_a_site_without_documentation_says_how_to_build_it(ladder: Ladder, path: str) -> None:
    async with client(ladder) as visitor:
        answer = await visitor.get(path)
        chinese = await visitor.get(path, params={"lang": "zh"})
        assert 'href="/docs/"' not in (await visitor.get("/help")).text
    assert (answer.status_code, chinese.status_code) == (404, 404)
    assert "make docs" in answer.text
    assert "make docs 生成" in chinese.text


async def test_its_pages_are_served_and_linked(ladder: Ladder) -> None:
    put(ladder.settings.data_dir / "docs")
    async with client(ladder) as visitor:
        for path in ("/docs", "/docs/"):
            answer = await visitor.get(path)
            assert (answer.status_code, answer.text, answer.url.path) == (200, PAGE, "/docs/")
        assert "First steps" in (await visitor.get("/docs/guide")).text
        packed = await visitor.get("/docs/search_index.json")
        assert packed.headers["content-encoding"] == "gzip"
        assert 'href="/docs/"' in (await visitor.get("/help")).text


async def test_only_the_inline_scripts_of_a_page_may_run_in_it(ladder: Ladder) -> None:
    put(ladder.settings.data_dir / "docs")
    async with client(ladder) as visitor:
        page = await visitor.get("/docs/")
        known = await visitor.get("/docs/", headers={"If-None-Match": page.headers["etag"]})
        other = await visitor.get("/docs/guide/")
        file = await visitor.get("/docs/search_index.json")
    assert page.headers["content-security-policy"] == PAGE_POLICY
    assert (known.status_code, known.headers["content-security-policy"]) == (304, PAGE_POLICY)
    assert other.headers["content-security-policy"] == f"{POLICY}; script-src 'self'; img-src 'self' data:"
    assert file.headers["content-security-policy"] == POLICY


@pytest.mark.parametrize("path", ["nowhere/", "..%2Fladder.db", "%2e%2e/ladder.db", "%2Fetc%2Fpasswd", "guide%00"])
async def test_nothing_else_is_handed_out(ladder: Ladder, path: str) -> None:
    put(ladder.settings.data_dir / "docs")
    async with client(ladder) as visitor:
        answer = await visitor.get(f"/docs/{path}")
    assert answer.status_code == 404
    assert NO_PAGE in answer.text


async def test_documentation_in_the_ladders_folder_comes_first(tmp_path: Path) -> None:
    data, checkout = tmp_path / "data", tmp_path / "checkout"
    put(checkout / "build" / "docs", "from the checkout")
    assert find_docs(data, checkout) is None  # this is no checkout, but some folder beside the packages
    (checkout / "pyproject.toml").touch()
    assert await served(data, checkout) == "from the checkout"
    put(data / "docs", "from the ladder's folder")
    assert await served(data, checkout) == "from the ladder's folder"


async def served(data: Path, checkout: Path) -> str:
    docs = find_docs(data, checkout)
    assert docs is not None
    async with httpx.AsyncClient(transport=httpx.ASGITransport(docs), base_url="http://docs") as visitor:
        return (await visitor.get("/index.html")).text
