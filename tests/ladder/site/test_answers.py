"""Answers of the site to any request: sent once, compressed, in the reader's language, with all headers."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from ladder.app import overview
from ladder.errors import StoreError
from ladder.sandbox.host import scratch
from ladder.site.rendering import translations
from ladder.site.rendering.cache import CachedAnswer
from ladder.site.rendering.static_files import FOLDER, digest
from ladder.site.server.headers import FAILED
from ladder.store.commands import computations, submission_queue
from ladder.store.commands.computations import NewQuestion
from ladder.store.commands.coordinators import database_time, note_alive
from ladder.store.computing_models import Computation
from ladder.values.submission import SubmissionOrder
from tests.ladder.site.visitor import BASE

if TYPE_CHECKING:
    import httpx

    from tests.ladder.site.visitor import Visitor

KEPT = ["/", "/v/gongzhu", "/b/Mud", "/m", "/m/2", "/help", "/api/v1/standings/gongzhu",
        "/api/v1/standings/gongzhu.csv", "/api/v1/matches"]  # fmt: skip
STATIC = f"/static/{digest()}"
VISIT = re.compile(r"^(pigpen_visit=0-)\d+")


@pytest.mark.parametrize("path", KEPT)
def test_what_is_known_already_is_not_sent_again(site: Visitor, path: str) -> None:
    first = site.get(path)
    etag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    for known in (etag, etag.removeprefix("W/"), f'"other", {etag}', "*"):
        again = site.get(path, if_none_match=known)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    for unknown in ('"other"', "", etag[:-2]):
        assert site.get(path, if_none_match=unknown).status_code == 200


@pytest.mark.parametrize("path", [*KEPT, f"{STATIC}/site.css", "/healthz", "/nowhere"])
def test_a_look_at_the_headers_alone_tells_what_the_answer_would(site: Visitor, path: str) -> None:
    looked, answered = site.get(path, method="HEAD"), site.get(path)
    assert (looked.status_code, without_times(looked)) == (answered.status_code, without_times(answered))


def main_of(page: str) -> str:
    """The content of a page, without header and footer."""
    return page.partition("<main")[2].partition("</main>")[0]


def without_times(response: httpx.Response) -> list[tuple[str, str]]:
    """The headers; the cookie of a visit has the second at which it was made."""
    return [(name, VISIT.sub(r"\1", value)) for name, value in response.headers.multi_items()]


@pytest.mark.parametrize("path", KEPT)
def test_a_text_is_compressed_for_whoever_takes_that(site: Visitor, path: str) -> None:
    plain = site.get(path, accept_encoding="identity")
    assert "content-encoding" not in plain.headers
    packed = site.get(path, accept_encoding="br, gzip")
    if len(plain.content) >= 1024:
        assert packed.headers["content-encoding"] == "gzip"
        assert int(packed.headers["content-length"]) < len(plain.content)
    assert packed.content == plain.content
    assert packed.headers["vary"] == "Accept-Encoding, Accept-Language, Cookie"
    assert "content-encoding" not in site.get(path, accept_encoding="gzip;q=0, identity").headers


def test_the_language_is_asked_for_by_link_by_cookie_or_by_the_browser(site: Visitor) -> None:
    for language, path, headers in (
        ("en", "/help", {}),
        ("zh-Hans", "/help", {"accept_language": "fr, zh-CN;q=0.8, en;q=0.5"}),
        ("en", "/help", {"accept_language": "zh;q=0.2, en;q=0.5"}),
        ("en", "/help", {"accept_language": "*;;q=x,,-"}),
        ("zh-Hans", "/help", {"cookie": "pigpen_lang=zh"}),
        ("en", "/help", {"cookie": "pigpen_lang=xx"}),
        ("zh-Hans", "/help?lang=zh", {"cookie": "pigpen_lang=en"}),
        ("en", "/help?lang=xx", {}),
    ):
        text = site.page(path, **headers)
        assert re.findall(r'<html lang="([^"]+)"', text) == [language], (path, headers)
        assert site.get("/nothing" + path.removeprefix("/help"), **headers).status_code == 404


def test_the_link_to_a_language_keeps_what_else_is_asked_for(site: Visitor) -> None:
    for query, link in (
        ("", "?lang=zh"),
        ("?q=a%26b%22&all=1&by=points&lang=en", "?q=a%26b%22&amp;all=1&amp;by=points&amp;lang=zh"),
    ):
        assert f'<a href="{link}" lang="zh"' in site.page(f"/v/gongzhu{query}")


def test_a_chinese_page_is_chinese(site: Visitor) -> None:
    assert "比赛" in site.page("/m?lang=zh")


def test_a_link_to_a_language_is_remembered_in_a_cookie_of_the_site_alone(site: Visitor) -> None:
    cookie = site.get("/help?lang=zh").headers["set-cookie"]
    assert cookie.startswith("pigpen_lang=zh; HttpOnly; Max-Age=31536000; Path=/; SameSite=lax")
    assert "Secure" not in cookie
    assert "Secure" in site.get("https://site.test/help?lang=zh").headers["set-cookie"]
    assert "set-cookie" not in site.get("/help?lang=%0d%0aX-Evil:1").headers


@pytest.mark.parametrize("path", ["/b/Nobody", "/o/Nobody", "/m/99", "/v/none", "/compare/Nobody/Mud", "/events/none"])
def test_a_page_of_an_error_names_no_command_of_a_terminal_and_a_program_is_told_it(site: Visitor, path: str) -> None:
    found = site.get(path)
    assert found.status_code == 404
    assert "pigpen " not in main_of(found.text)
    assert "pigpen bots" in site.get("/api/v1/bots/Nobody").json()["detail"]


def test_the_page_of_the_api_sets_what_is_code_as_code(site: Visitor) -> None:
    page = main_of(site.get("/api").text)
    assert "<code>next</code>" in page
    assert "`" not in page


def test_every_response_has_the_headers_that_browsers_guard_by(site: Visitor) -> None:
    """`Visitor` looks at each of them; here are those that no other test asks for."""
    paths = ["/nothing", "/m/x", "/api/v1/nothing", "/api/v1/matches/0", f"{STATIC}/style.css", f"{STATIC}/nothing",
             "/healthz", "/metrics", "/robots.txt", "/api/openapi.json", "/v", "/v/gongzhu/"]  # fmt: skip
    for response in site.get_all(paths):
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'self'; ")
        assert "unsafe" not in policy
        assert "strict-transport-security" not in response.headers
    (safe,) = site.get_all([f"{BASE.replace('http', 'https')}/nothing"])
    assert safe.headers["strict-transport-security"] == "max-age=31536000"


def test_static_files_are_kept_for_ever_under_their_address(site: Visitor) -> None:
    for file in FOLDER.iterdir():
        response = site.get(f"{STATIC}/{file.name}")
        assert (response.status_code, response.content) == (200, file.read_bytes())
        assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "text/javascript" in site.get(f"{STATIC}/site.js").headers["content-type"]


def test_scripts_and_styles_fetch_nothing_from_other_sites() -> None:
    for file in FOLDER.iterdir():
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.findall(r"https?://|//[a-z]+\.[a-z]|@import|\beval\(|new Function", text), file.name


def test_what_is_sent_compressed_is_gzip() -> None:
    answer = CachedAnswer.of(b"a" * 5000, "text/plain")
    assert answer.compressed is not None
    assert gzip.decompress(answer.compressed) == answer.body
    assert answer.size == 5000 + len(answer.compressed)
    assert CachedAnswer.of(b"a" * 1000, "text/plain").compressed is None


def test_the_health_of_the_site_is_that_of_its_database(site: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    response = site.get("/healthz")
    assert (response.status_code, response.text, response.headers["cache-control"]) == (200, "ok\n", "no-store")

    def fail(*_: object) -> str:
        raise StoreError("It is gone.")

    monkeypatch.setattr(overview, "revision", fail)
    assert site.get("/healthz").status_code == 503


def test_metrics_tell_of_requests_and_of_the_ladder(site: Visitor) -> None:
    site.get("/b/Mud")
    site.get("/nothing/of/that/name")
    site.get("/help", method="BREW")
    response = site.get("/metrics")
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = response.text.splitlines()
    for line in (
        'pigpen_matches{status="done"} 12.0', 'pigpen_matches{status="leased"} 1.0', 'pigpen_bots{state="active"} 5.0',
        'pigpen_tables{status="playing"} 0.0',
        "pigpen_coordinator_up 0.0", "pigpen_coordinators 0.0",
        "pigpen_failures 0.0", "pigpen_live_streams 0.0", 'pigpen_submissions{status="queued"} 0.0',
    ):  # fmt: skip
        assert line in lines
    figures = dict(line.rsplit(" ", 1) for line in lines if line.startswith("pigpen_"))
    assert "pigpen_oldest_queued_seconds" in figures
    waiting = float(figures['pigpen_computations{status="queued"}'])  # pages that were looked at before may have asked
    assert (float(figures["pigpen_oldest_computation_seconds"]) > 0) == (waiting > 0)
    assert float(figures["pigpen_data_free_bytes"]) > 0
    assert "pigpen_coordinator_silent_seconds" not in figures, "none has been seen"
    with site.ladder.database.write() as session:
        note_alive(session, scratch.this_process(), "folder", database_time(session) - 7.0)
    figures = dict(line.rsplit(" ", 1) for line in site.get("/metrics").text.splitlines() if line.startswith("pigpen_"))
    assert figures["pigpen_coordinator_up"] == "1.0"
    assert 7.0 <= float(figures["pigpen_coordinator_silent_seconds"]) < 60.0
    (decisions,) = [line.split()[1] for line in lines if line.startswith("pigpen_decisions ")]
    assert float(decisions) > 12 * 52
    with site.ladder.database.write() as session:
        order = SubmissionOrder(name="Snuffle", source="x")
        number = submission_queue.add(session, order, 0.0, owner="ada", sandbox="docker", remote=True).id
    assert 'pigpen_submissions{status="queued"} 1.0' in site.get("/metrics").text.splitlines()
    with site.ladder.database.write() as session:
        submission_queue.withdraw(session, number, 1.0)
        computations.ask(session, NewQuestion("key", "short", {}, "now", "ada"), site.ladder.clock() - 3.0)
    figures = dict(line.rsplit(" ", 1) for line in site.get("/metrics").text.splitlines() if line.startswith("pigpen_"))
    assert float(figures['pigpen_computations{status="queued"}']) == waiting + 1
    assert figures['pigpen_computations{status="leased"}'] == "0.0"
    assert float(figures["pigpen_oldest_computation_seconds"]) >= 3.0
    with site.ladder.database.write() as session:
        session.delete(session.query(Computation).filter_by(key="key").one())
    assert any(line.startswith('pigpen_requests_total{method="GET",route="/b/{name}",status="200"}') for line in lines)
    assert any(line.startswith('pigpen_requests_total{method="GET",route="",status="404"}') for line in lines)
    assert any('method="other"' in line for line in lines)
    assert not any("BREW" in line or "of/that/name" in line for line in lines)


def test_if_the_page_of_an_error_fails_too_it_is_said_in_plain_text(
    site: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translations, "language_of", lambda request: 1 / 0)
    response = site.get("/nothing")
    assert (response.status_code, response.text) == (500, FAILED)


def test_search_engines_may_read_matches_and_previews_of_links_deals_too(site: Visitor) -> None:
    previews, others = site.get("/robots.txt").text.split("\n\n")
    assert "User-agent: Twitterbot\n" in previews
    assert others.startswith("User-agent: *\n")
    for group, is_for_all in ((previews, False), (others, True)):
        lines = group.splitlines()
        assert "Disallow: /api/" in lines
        assert "Disallow: /compare/" in lines
        assert "Disallow: /analysis" in lines
        assert "Disallow: /m/" not in lines
        assert ("Disallow: /m/*/boards/" in lines) is is_for_all
