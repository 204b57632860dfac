"""The documentation, built as `make docs` builds it, and read in a browser at /docs of a site."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
import uvicorn

import pigpen
import pigpen.check
import pigpen.rules
from ladder.serving.application import make_app
from ladder.settings.settings import load_settings
from ladder.site.pages.downloads import find_docs
from tests.e2e.command import ROOT
from tests.ladder.ladders import new_ladder
from tests.ladder.site.browser.looking import findings
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind
from tests.ladder.site.serving import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import ModuleType

    from playwright.sync_api import Page

    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.docs]

BROKEN = ("[x](nowhere.md)", "[x](#nowhere)", "[x](/nowhere)")
FETCHED = re.compile(r"<(?:script|img|link|iframe|source|video)\b[^>]*?\b(?:src|href)=\"?((?:https?:)?//[^\s\">]*)")


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder that has the documentation."""
    folder = tmp_path_factory.mktemp("documented")
    done = subprocess.run([ROOT / "scripts" / "docs", folder / "docs"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def address(data_dir: Path) -> Iterator[str]:
    ladder = new_ladder(load_settings(data_dir=data_dir))
    app = make_app(ladder, docs=find_docs(data_dir))
    with running(uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none"))) as port:
        yield f"http://127.0.0.1:{port}"
    ladder.database.close()


@pytest.fixture
def page(address: str, lending: Lending) -> Iterator[Page]:
    """A page in the browser; in the end no script was refused, and nothing was fetched from another host."""
    yield lending.page(Kind(), DESKTOP)
    assert lending.logged(lambda logged: [*logged.errors, *logged.complaints]) == []
    asked = lending.logged(lambda logged: logged.requests)
    assert asked
    assert [each for each in asked if not each.startswith((address, "data:", "blob:"))] == []


def test_a_search_leads_to_the_page(address: str, page: Page) -> None:
    page.goto(f"{address}/docs/")
    page.click(".md-search__input")
    page.keyboard.type("SPRT")
    page.click(".md-search-result__link[href*='#is-it-better-now']")
    page.wait_for_url("**/docs/guide/?h=sprt#is-it-better-now")
    assert page.locator("mark").first.inner_text() == "SPRT"


def test_colours_are_chosen_and_kept(address: str, page: Page) -> None:
    page.goto(f"{address}/docs/records/")
    page.click("label[title='Dark colours']")
    page.goto(f"{address}/docs/adr/")  # the inline scripts of the theme read what is kept
    assert page.get_attribute("body", "data-md-color-scheme") == "slate"


LOOK = """() => {
  const found = getComputedStyle(document.body);
  const link = getComputedStyle(document.querySelector("main p a[href]"));
  return [found.backgroundColor, found.color, found.fontFamily, link.color];
}"""


def test_it_has_the_colours_and_fonts_of_the_site_its_menu_and_a_way_back(address: str, page: Page) -> None:
    for dark, label in ((False, "Light colours"), (True, "Dark colours")):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.goto(f"{address}/help")
        site = page.evaluate(LOOK)
        menu = dict(zip(*[page.locator("header nav a").evaluate_all(f"all => all.map(each => {each})") for each in (
            "each.getAttribute('href')", "each.textContent")], strict=True))  # fmt: skip
        page.evaluate("localStorage.clear()")  # the colours that a reader has chosen
        page.goto(f"{address}/docs/reference/pigpen/")
        assert page.evaluate(LOOK) == site, label
        found = page.locator(".of-site div a")
        links = {each.get_attribute("href"): each.inner_text() for each in found.all()}
        assert links.items() <= menu.items()
        assert len(links) == 9
    assert findings(page, ".of-site") == []
    page.click(".of-site .home")
    page.wait_for_url(f"{address}/")


def test_the_reference_shows_signatures_docstrings_and_examples(address: str, page: Page) -> None:
    page.goto(f"{address}/docs/reference/pigpen/")
    playouts = page.locator(".doc-object:has(> [id='pigpen.View.playouts'])")
    assert "Try each legal card" in playouts.inner_text()
    blocks = playouts.locator("pre").all_inner_texts()
    assert "rng: Bits," in blocks[0]
    assert "scores = view.playouts(20, view.rng)" in blocks[1]


@pytest.mark.parametrize("module", [pigpen, pigpen.check, pigpen.rules], ids=lambda module: module.__name__)
def test_the_reference_has_everything_public(data_dir: Path, module: ModuleType) -> None:
    file = data_dir / "docs" / "reference" / module.__name__.rpartition(".")[2] / "index.html"
    shown = set(re.findall(r'id="([\w.]+)"', file.read_text("utf-8")))
    names = {f"{module.__name__}.{name}" for name in module.__all__ if name != "__version__"}
    if module is pigpen:
        names |= {f"pigpen.View.{name}" for name in dir(pigpen.View) if name[0] != "_"}
    assert names - shown == set()


def test_a_phone_shows_it_without_moving_sideways(address: str, page: Page) -> None:
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.goto(f"{address}/docs/guide/")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_no_page_fetches_anything_from_another_host(data_dir: Path) -> None:
    pages = list((data_dir / "docs").rglob("*.html"))
    assert len(pages) > 60
    assert [found for each in pages for found in FETCHED.findall(each.read_text("utf-8"))] == []
    styles = list((data_dir / "docs").rglob("*.css"))
    assert [each.name for each in styles if re.search(r"@import|url\(['\"]?(?:https?:)?//", each.read_text())] == []


def test_a_broken_link_ends_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Pigpen\n\n{' '.join(BROKEN)}\n")
    (tmp_path / "mkdocs.yml").write_text(f"INHERIT: {ROOT / 'mkdocs.yml'}\nnav: [index.md]\nplugins: []\nhooks: []\n")
    done = subprocess.run(
        [ROOT / ".venv" / "bin" / "mkdocs", "build", "--config-file", tmp_path / "mkdocs.yml", "--site-dir", "built"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert [link for link in BROKEN if re.search(rf"WARNING.*'{link[4:-1]}'", done.stderr) is None] == []
