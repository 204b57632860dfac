"""The pictures of links, and the icons: what each address gives, that pages name it; no card of today is seen."""

from __future__ import annotations

import io
import json
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageColor

from ladder.app import matches
from ladder.app.match_replay import deal_replayed
from ladder.people.boards import daily_board
from ladder.site.pictures import canvas, previews
from ladder.site.pictures.canvas import HEIGHT, MISSING, WIDTH, fitting
from ladder.site.rendering.static_files import palette
from tests.ladder.site.visitor import BASE

if TYPE_CHECKING:
    from tests.ladder.site.visitor import Visitor

PICTURES = {
    "/": "/picture.png",
    "/v/gongzhu": "/picture.png",
    "/m/5": "/m/5/picture.png",
    "/m/14": "/m/14/picture.png",
    "/m/5/boards/1/2": "/m/5/boards/1/2/picture.png",
    "/play/today/gongzhu": "/play/today/gongzhu/picture.png",
}
"""Of each page; match 14 is being played."""
LIMIT = 60_000
"""Bytes."""


def meta(text: str, name: str) -> str:
    (found,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)">', text)
    return unescape(str(found))


@pytest.mark.parametrize("path", PICTURES)
def test_a_page_names_its_picture_which_is_one_of_its_own(site: Visitor, path: str) -> None:
    text = site.page(path)
    address = meta(text, "og:image")
    assert address.startswith("http://127.0.0.1:8020/")
    assert address.endswith(PICTURES[path])
    response = site.get(PICTURES[path])
    assert response.headers["content-type"] == "image/png"
    assert len(response.content) < LIMIT
    picture = Image.open(io.BytesIO(response.content))
    assert (picture.format, picture.size) == ("PNG", (WIDTH, HEIGHT))
    assert len(picture.convert("RGB").getcolors(2**20) or ()) > 8
    (title,) = re.findall("<title>(.*) · Pigpen</title>", text)
    assert meta(text, "og:title") == unescape(title)
    assert meta(text, "og:description") == meta(text, "description") != ""
    assert meta(text, "twitter:card") == "summary_large_image"


def test_the_host_that_a_visitor_names_is_not_written_into_pages(site: Visitor) -> None:
    assert "evil.test" not in site.page("/m/4", host="evil.test")


def test_different_matches_and_deals_have_different_pictures(site: Visitor) -> None:
    paths = ["/m/4/picture.png", "/m/5/picture.png", "/m/5/boards/1/1/picture.png", "/m/5/boards/1/2/picture.png"]
    assert len({site.get(path).content for path in paths}) == len(paths)


@pytest.mark.parametrize(
    "path", ["/m/99/picture.png", "/m/1/boards/1/1/picture.png", "/m/5/boards/1/9/picture.png", "/m/x/picture.png",
             "/play/today/none/picture.png"]
)  # fmt: skip
def test_what_is_not_there_has_no_picture(site: Visitor, path: str) -> None:
    assert site.get(path).status_code == 404


def test_the_picture_of_a_day_is_the_same_whatever_its_cards(site: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def noted(self: canvas.Canvas, x: float, y: float, name: str, height: int = 64) -> float:
        drawn.append(name)
        return 0.0

    monkeypatch.setattr(canvas.Canvas, "card", noted)
    board = daily_board.todays_board(site.ladder, "gongzhu")
    other = board.model_copy(update={"commitment": "0" * 64, "seed": "1" * 64})
    assert previews.of_day(board) == previews.of_day(other)
    assert drawn == []
    previews.of_deal(deal_replayed(site.ladder, 5, 1, 1))
    assert len(drawn) == 52


def test_a_match_that_is_not_over_shows_no_places(site: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    write = canvas.Canvas.text

    def noted(self: canvas.Canvas, x: float, y: float, text: str, *rest: object, **more: object) -> float:
        words.append(text)
        return write(self, x, y, text, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(canvas.Canvas, "text", noted)
    previews.of_match(matches.match(site.ladder, 14))
    assert words.count("–") == 4
    assert not re.search(r"[+−]\d", " ".join(words))


def test_long_names_are_cut_and_letters_that_no_font_has_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "_wide_fonts", tuple)
    font, shown = fitting("M" * 64, 38, 330)
    assert shown.endswith("M…")
    assert font.getlength(shown) <= 330
    assert fitting("Trotter", 38, 330)[1] == "Trotter"
    assert fitting("猪猪1", 38, 330)[1] == f"{MISSING}{MISSING}1"


@pytest.mark.parametrize("suit", "CDHS")
@pytest.mark.parametrize("size", [12, 23, 200])
def test_the_sign_of_a_suit_fills_its_square(suit: str, size: int) -> None:
    mask = canvas.sign(suit, size).point(lambda value: 255 * (value > 127))
    assert mask.size == (size, size)
    left, top, right, bottom = mask.getbbox() or (0, 0, 0, 0)
    assert min(right - left, bottom - top) >= 0.6 * size
    assert max(right - left, bottom - top) >= 0.8 * size
    assert abs(left + right - size) <= 2, "in the middle"


def test_a_card_shows_its_suit_below_its_rank_in_the_colour_of_the_suit() -> None:
    for name in ("AS", "TH", "5D", "QC"):
        drawn = canvas.Canvas()
        width = round(drawn.card(0, 0, name, 64))
        lower = drawn.image.crop((0, 34, width, 64))
        colour = ImageColor.getrgb(palette()[canvas.SUITS[name[1]]])
        inked = sum(count for count, found in lower.getcolors(2**20) or () if found == colour)
        assert inked > 0.05 * lower.width * lower.height, name


def test_icons_are_drawn_in_the_sizes_that_are_asked_for(site: Visitor) -> None:
    for path, size in (("/apple-touch-icon.png", 180), ("/icon-192.png", 192), ("/icon-512.png", 512)):
        picture = Image.open(io.BytesIO(site.get(path).content)).convert("RGB")
        assert picture.size == (size, size)
        assert picture.getpixel((size // 2, size // 8)) == (0xB0, 0x1E, 0x50), "between the ears"
        assert picture.getpixel((0, 0)) == tuple(bytes.fromhex(palette()["sheet"][1:]))
    small = Image.open(io.BytesIO(site.get("/favicon.ico").content))
    assert small.info["sizes"] == {(16, 16), (32, 32), (48, 48)}
    assert site.get("/icon.svg").text.startswith("<svg")


def test_the_manifest_names_icons_that_are_there_in_the_readers_language(site: Visitor) -> None:
    response = site.get("/site.webmanifest")
    assert response.headers["content-type"] == "application/manifest+json"
    found = json.loads(response.text)
    assert (found["short_name"], found["start_url"], found["lang"]) == ("Pigpen", "/", "en")
    for icon in found["icons"]:
        answer = site.get(icon["src"])
        assert (answer.status_code, answer.headers["content-type"]) == (200, icon["type"])
    chinese = json.loads(site.get("/site.webmanifest", accept_language="zh").text)
    assert chinese["lang"] == "zh-Hans"
    assert chinese["name"] != found["name"]


def test_dark_colours_differ_from_light_ones() -> None:
    assert palette()["paper"] != palette(is_dark=True)["paper"]
    assert palette().keys() == palette(is_dark=True).keys()


def test_pages_say_what_they_are(site: Visitor) -> None:
    for path, title in (
        ("/v/gongzhu", "Standings: Gong Zhu 拱猪, chase the pig"),
        ("/m/5", "Match 5: Gong Zhu"),
        ("/m/5/boards/1/2", "Match 5, board 1, rotation 2: Gong Zhu"),
        ("/b/Trotter", "Trotter, a bot by ada"),
        ("/live/14", "Live: Match 14"),
    ):
        assert f"<title>{title} · Pigpen</title>" in site.page(path)
    assert "<title>404 Not Found · Pigpen</title>" in site.get("/nothing").text
    assert BASE not in site.page("/m/5")
