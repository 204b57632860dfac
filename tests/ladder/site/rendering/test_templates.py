"""Every page of a small ladder, an empty one and unknown names; texts for figures; colours and sizes in one place."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request

from ladder.entry.claims import skeleton
from ladder.site.pages.design import NAMES
from ladder.site.rendering import translations
from ladder.site.rendering.faces import GROUNDS, avatar, emblem
from ladder.site.rendering.static_files import FOLDER, palette, sizes
from ladder.site.rendering.templates import TEMPLATES
from ladder.values.names import NAME_LENGTH
from pigpen.rules import PRESETS
from tests.ladder import ladders
from tests.ladder.shown import OWNERS
from tests.ladder.site.visitor import MATCHES, empty_site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.ladder.site.visitor import Visitor

ANYWHERE = ["/", "/b", "/m", "/live", "/replay", "/help", "/api", *(f"/rules/{name}" for name in PRESETS)]
HERE = [
    "/v/gongzhu", "/v/gongzhu?all=1&q=mud&page=3", "/b?q=EVE", "/b/Mud", "/b/Mud@1", "/m?variant=gongzhu&bot=Mud",
    "/m?bot=Mud@1&before=3", "/m/1", "/m/2", f"/m/{MATCHES}", f"/m/{MATCHES + 1}", f"/m/{MATCHES + 2}",
    "/m/2/boards/1/2", f"/live/{MATCHES + 2}", "/live/2",
]  # fmt: skip
NOWHERE = [
    "/v/bridge", "/v/hearts", "/b/Nobody", "/b/Mud@2", "/b/Mud@x", "/b/Nobody/inbox", "/m/99", "/m?bot=Nobody",
    "/m?variant=bridge", "/rules/bridge", "/live/99", "/m/99/boards/1/1", "/m/2/boards/8/1", "/m/1/boards/1/1",
    "/m/2/0/1", "/nothing", "/static/x.css", "/api/nothing", "/b/a/b/c", "/%2e%2e/etc/passwd",
    "/b/..%2f..%2fetc%2fpasswd", "/m/0", "/m/x", "/m/99999999999", "/m/-1", "/m/2/boards/1/10", "/live/x",
    "/m/2/boards/0/1", "/m/2/boards/1/0", "/b/nobody",
]  # fmt: skip
NONSENSE = [
    "/v/gongzhu?page=0", "/v/gongzhu?page=1e9", "/v/gongzhu?all=perhaps", f"/v/gongzhu?q={'a' * 65}", "/b?page=10001",
    "/m?before=0", "/m?before=99999999999999999999", f"/m?bot={'a' * 81}",
]  # fmt: skip


@pytest.mark.parametrize("path", [*ANYWHERE, *HERE])
def test_a_page_is_there(site: Visitor, path: str) -> None:
    text = site.page(path)
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert len(re.findall("<h1[ >]", text)) == 1
    assert len(re.findall("<main ", text)) == 1


@pytest.mark.parametrize("path", ANYWHERE)
def test_a_page_of_an_empty_ladder_is_there(empty: Visitor, path: str) -> None:
    empty.page(path)


@pytest.mark.parametrize("path", NOWHERE)
def test_what_is_not_there_is_said_on_a_page(site: Visitor, path: str) -> None:
    response = site.get(path)
    assert response.status_code == 404
    if not path.startswith("/api/"):
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert re.search(r"<h1>404 Not Found</h1>\s*<p>[^<]{10,}</p>", response.text)
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/v/Gongzhu", "/v/gongzhu"),
        ("/v/GONGZHU?page=2", "/v/gongzhu?page=2"),
        ("/b/mud", "/b/Mud"),
        ("/b/MUD@1", "/b/Mud%401"),
    ],
)
def test_another_spelling_leads_to_the_page(site: Visitor, path: str, where: str) -> None:
    response = site.get(path)
    assert (response.status_code, response.headers["location"]) == (307, where)
    assert site.get(where).status_code == 200


def test_what_can_be_no_name_fills_no_memory(site: Visitor) -> None:
    before = skeleton.cache_info().currsize
    assert site.get("/b/" + "long" * (NAME_LENGTH // 4) + "er").status_code == 404
    assert skeleton.cache_info().currsize == before


@pytest.mark.parametrize(
    ("path", "around"), [("/b/Nobody", "/b"), ("/v/bridge", "/v"), ("/m/99", "/m"), ("/live/99", "/live")]
)
def test_where_nothing_is_a_link_leads_to_all_there_is(site: Visitor, path: str, around: str) -> None:
    main = site.get(path).text.partition("<main ")[2].partition("</main>")[0]
    assert re.findall(r'<a href="([^"]+)"', main) == [around, "/"]


@pytest.mark.parametrize("path", NONSENSE)
def test_a_parameter_that_makes_no_sense_is_named(site: Visitor, path: str) -> None:
    response = site.get(path)
    assert response.status_code == 422
    assert re.search(r"<p>(page|all|q|before|bot): [^<]+\.</p>", response.text)


def test_other_methods_are_refused(site: Visitor) -> None:
    response = site.get("/v/gongzhu", method="POST")
    assert (response.status_code, response.headers["allow"]) == (405, "GET")
    assert "be used that way" in response.text


def test_standings_show_every_bot_and_where_to_get_them(site: Visitor) -> None:
    text = site.page("/v/gongzhu")
    ranked = re.findall(r'<th scope="row"><a href="/b/(\w+)\?v=gongzhu"', text)
    assert sorted(ranked) == sorted(OWNERS)
    assert 'href="/api/v1/standings/gongzhu.csv"' in text
    assert text.count('class="band"') == len(OWNERS)


def test_a_variant_and_a_bot_that_wait_for_owners_say_so_in_both_languages(tmp_path: Path) -> None:
    with empty_site(tmp_path) as site:
        with site.ladder.database.write() as session:
            ladders.enter(session, "Trotter", owner="ada")
        for path in ("/v/hearts", "/b/Trotter"):
            assert "3 more owners must " in site.page(path)
            assert "还需要另外 3 位拥有者" in site.page(path, accept_language="zh")


def test_a_variant_and_a_bot_that_can_play_wait_for_nobody(tmp_path: Path) -> None:
    with empty_site(tmp_path) as site:
        with site.ladder.database.write() as session:
            for bot in ("Trotter", "Snout", "Truffle", "Acorn"):
                ladders.enter(session, bot)
        for path in ("/v/hearts", "/b/Trotter"):
            assert "must have a bot here" not in site.page(path)


def test_standings_are_searched_by_bot_and_by_owner(site: Visitor) -> None:
    for wanted, found in (("mud", "Mud"), ("ADA", "Trotter")):
        text = site.page(f"/v/gongzhu?q={wanted}")
        assert re.findall(r'<th scope="row"><a href="/b/(\w+)', text) == [found]
    assert "No bot is found." in site.page("/v/gongzhu?q=nobody")


def test_a_bots_page_tells_how_it_plays(site: Visitor) -> None:
    text = site.page("/b/Mud")
    for shown in ("by eve", "Against each opponent", "How long it thinks", 'class="chart"', "Versions"):
        assert shown in text


def test_matches_lead_to_bots_and_boards(site: Visitor) -> None:
    newest = re.findall(r'<td class="num"><a href="/m/(\d+)">', site.page("/m"))
    assert newest == [str(number) for number in range(MATCHES, 0, -1)]
    text = site.page("/m/2")
    for link in ('href="/m/2/boards/1/1"', 'href="/api/v1/matches/2/record"', 'href="/api/v1/matches/2"'):
        assert link in text


def test_a_match_without_record_or_result_says_so(site: Visitor) -> None:
    assert "record has been removed" in site.page("/m/1")
    for number in (MATCHES + 1, MATCHES + 2):
        text = site.page(f"/m/{number}")
        assert "published when the match" in text
        assert "/record" not in text


def test_the_seed_of_a_match_is_shown_when_it_is_over(site: Visitor) -> None:
    for number in (2, MATCHES + 1, MATCHES + 2):
        value = site.value(f"/matches/{number}")
        assert (value["seed"] is not None) == (number == 2)


def test_the_first_variant_is_the_one_that_is_played_most(site: Visitor, empty: Visitor) -> None:
    for visitor, where in ((site, "/v/gongzhu"), (empty, "/")):
        response = visitor.get("/v")
        assert (response.status_code, response.headers["location"]) == (307, where)


def test_a_slash_too_many_is_taken_away(site: Visitor) -> None:
    response = site.get("/v/gongzhu/")
    assert (response.status_code, response.headers["location"]) == (307, "/v/gongzhu")


def test_every_link_leads_somewhere(site: Visitor) -> None:
    """One step from the pages above, and to their scripts and styles; records name the bots that really played."""
    pages = [site.page(path) for path in (*ANYWHERE, *HERE) if path != "/m/2/boards/1/2"]
    links = {link for text in pages for link in re.findall(r'(?:href|src)="(/[^"#]*)', text)}
    paths = sorted(link.replace("&amp;", "&") for link in links if not link.endswith("/inbox"))
    assert len(paths) > 60
    assert [path for path in paths if site.get(path).status_code not in (200, 303, 307)] == []


def request(query: str = "", **headers: str) -> Request:
    named = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": query.encode(), "headers": named})


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0, 0, "0"),
        (-0.4, 0, "0"),
        (-0.5, 0, "0"),
        (-0.51, 0, "−1"),
        (1234567.891, 2, "1,234,567.89"),
        (-1234.5, 1, "−1,234.5"),
        (1e12, 0, "1,000,000,000,000"),
    ],
)
def test_a_number(value: float, digits: int, text: str) -> None:
    assert translations.number(value, digits) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0, 1, "±0.0"), (-0.04, 1, "±0.0"), (0.05, 2, "+0.05"), (-12.3, 1, "−12.3"), (1234, 0, "+1,234")],
)
def test_a_difference(value: float, digits: int, text: str) -> None:
    assert translations.signed(value, digits) == text


@settings(deadline=None)
@given(st.floats(-1e9, 1e9), st.integers(0, 4))
def test_a_difference_has_one_sign_and_no_hyphen(value: float, digits: int) -> None:
    text = translations.signed(value, digits)
    assert text[0] in "+−±"
    assert not set("+−±-") & set(text[1:])


def test_numbers_that_were_written_are_not_kept_for_ever() -> None:
    for each in range(10_000):
        translations.number(each / 7, 2)
    assert translations.number.cache_info().currsize <= 4096


def test_a_time_is_in_utc() -> None:
    time = datetime.datetime(2026, 11, 22, 5, 7, tzinfo=datetime.UTC)
    written = {"en": "22 Nov 2026, 05:07 UTC", "zh": "2026年11月22日 05:07 UTC"}
    assert {language: translations.moment(time, language) for language in translations.LANGUAGES} == written


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("zh", "zh"),
        ("zh-TW,zh;q=0.9", "zh"),
        ("ZH-hans", "zh"),
        ("de, fr", "en"),
        ("de, zh;q=0.1", "zh"),
        ("en;q=0.1, zh;q=0.2", "zh"),
        ("zh;q=, ;q=1, *", "zh"),
        (",,,;;;===", "en"),
        ("x" * 10_000 + ", zh", "en"),
    ],
)
def test_the_browser_s_list(header: str, language: str) -> None:
    assert translations.language_of(request(accept_language=header)) == language


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=255)))
def test_any_list_gives_a_language(header: str) -> None:
    assert translations.language_of(request(accept_language=header)) in translations.LANGUAGES


def test_a_link_comes_before_a_cookie_before_the_browser() -> None:
    headers = {"cookie": "pigpen_lang=en", "accept_language": "zh"}
    assert translations.language_of(request("lang=zh", **headers)) == "zh"
    assert translations.language_of(request("lang=xx", **headers)) == "en"
    assert translations.language_of(request("lang=xx", accept_language="zh")) == "zh"


END = "/* Here the tokens end"
TEXT = ("xs", "s", "m", "l", "xl", "2xl", "3xl", "4xl")
COLOUR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![\w-])|\b(?:rgba?|hsla?|oklch)\(", re.IGNORECASE)
SCALED = re.compile(
    r"(?<=[{;\s])((?:font(?:-size|-family)?|padding|margin|gap|row-gap|column-gap|border-radius|border-spacing)[\w-]*)"
    r"\s*:\s*([^;{}]+)(?=[;}])"
)
"""Properties whose lengths have names, and what they are."""
LENGTH = re.compile(r"(?<![\w.-])-?\d*\.?\d+(?:rem|px)\b")
SHEETS = sorted(FOLDER.glob("*.css"))


def rules_of(file: Path) -> str:
    """Give the rules of a style sheet, without the tokens and without comments."""
    tokens, end, rest = file.read_text(encoding="utf-8").partition(END)
    assert bool(end) is (file.name == "style.css")
    return re.sub(r"/\*.*?\*/", "", rest.partition("*/")[2] if end else tokens, flags=re.DOTALL)


@pytest.mark.parametrize("file", SHEETS, ids=lambda file: file.name)
def test_no_colour_is_written_outside_the_tokens(file: Path) -> None:
    assert COLOUR.findall(rules_of(file)) == []


@pytest.mark.parametrize("file", SHEETS, ids=lambda file: file.name)
def test_no_size_of_text_space_or_corner_is_written_outside_the_tokens(file: Path) -> None:
    found = SCALED.findall(rules_of(file))
    assert found
    assert [(name, value) for name, value in found if LENGTH.search(value)] == []


def test_the_sizes_are_scales() -> None:
    def scale(first: str) -> list[float]:
        return [float(size.rstrip("rempx")) for name, size in sizes().items() if name.startswith(f"{first}-")]

    for first, steps in (("space", 9), ("round", 5)):
        assert len(scale(first)) == steps
        assert scale(first) == sorted(set(scale(first)))
    text = [float(sizes()[f"text-{each}"].removesuffix("rem")) for each in TEXT]
    assert text == sorted(set(text))


def test_every_token_that_is_used_is_there_and_every_one_that_is_there_is_used() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("*.css"))
    scripts = "".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("*.js"))
    tokens, _, _ = text[text.index(":root {") :].partition(END)
    named = set(re.findall(r"--([\w-]+):", tokens))
    assert set(palette()) <= named
    used = set(re.findall(r"var\(--([\w-]+)", text + scripts))
    assert named - used == set()
    assert {
        name for name in used if name not in named and f"--{name}:" not in text and f"--{name}" not in scripts
    } == set()


def test_a_name_has_one_face_and_different_names_different_ones() -> None:
    assert avatar("Trotter") == avatar("Trotter")
    assert len({avatar(f"bot{number}") for number in range(200)}) > 150
    assert len({avatar(name) for name in NAMES}) == len(NAMES)
    assert "<script" not in avatar('"><script>')


def test_an_event_has_one_emblem_of_two_colours_and_different_events_different_ones() -> None:
    names = [f"event{number}" for number in range(100)]
    assert emblem("cup") == emblem("cup")
    assert len({emblem(name) for name in names}) > 95
    sheet = (FOLDER / "event.css").read_text(encoding="utf-8")
    for name in names:
        tints = re.findall(r"tint-(\d)", emblem(name))
        assert len(tints) == len(set(tints)) <= 2
        assert all(f".tint-{each} {{" in sheet for each in tints)
    assert sheet.count(".tint-") == GROUNDS


def test_a_page_shows_all_parts_light_and_dark(site: Visitor) -> None:
    text = site.page("/help/design")
    for name, colour in palette().items():
        assert f"<code>--{name}</code>" in text
        assert f'fill="{colour}"' in text
    assert text.count('class="avatar') >= 3 * len(NAMES)
    response = site.get("/help/design.css")
    assert response.headers["content-type"] == "text/css; charset=utf-8"
    light, dark, *samples = response.text.splitlines()
    assert len(samples) == len(sizes()) > 20
    assert ".of-space-3 { width: var(--space-3); }" in samples
    for name, size in sizes().items():
        assert f"<code>--{name}</code></th><td><code>{size}</code>" in text
    assert f"--paper: {palette()['paper']};" in light
    assert f"--paper: {palette(is_dark=True)['paper']};" in dark


def test_bots_owners_and_results_have_faces(site: Visitor) -> None:
    for path, name in (("/b/Trotter", "Trotter"), ("/o/ada", "ada"), ("/m/5", "Mud")):
        assert avatar(name) in site.page(path)


def test_icons_are_drawn_in_one_place(site: Visitor) -> None:
    icons = TEMPLATES / "icons.html"
    for file in TEMPLATES.glob("*.html"):
        if file != icons:
            assert not re.search(r'viewBox="0 0 (20 20|40 40)"', file.read_text(encoding="utf-8")), file.name
    named = re.findall(r"^  '([\w-]+)': 'M", icons.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(named) > 12
    assert all(f"</svg> <code>{name}</code>" in site.page("/help/design") for name in named)
