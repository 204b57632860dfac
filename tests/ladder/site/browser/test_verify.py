"""Records verified in the reader's own browser."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest

from referee.records.framing import START, chained, pack, unchained
from tests.ladder.site.browser.looking import findings
from tests.ladder.site.browser.pages import intercept

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx
    from playwright.sync_api import Page

    from tests.ladder.site.browser.conftest import Served

    Open = Callable[..., Page]

pytestmark = pytest.mark.chromium

STATUS = "verify-record [role=status]"


@pytest.fixture
def record(api: httpx.Client, site: Served) -> bytes:
    """The lines of a record, unpacked."""
    return gzip.decompress(api.get(f"/matches/{site.gongzhu}/record").content)


def rechained(record: bytes) -> bytes:
    """The same lines with a chain that holds."""
    lines, before = [], START
    for line in record.splitlines():
        text, before = chained(re.sub(rb',"chain":"[0-9a-f]{64}"}\Z', b"}", line), before)
        lines.append(text)
    return b"".join(line + b"\n" for line in lines)


def verdict(page: Page, content: bytes, name: str = "match.jsonl") -> tuple[str, str]:
    """Hand a file to the page, and give its verdict and the verdict's colour."""
    page.set_input_files("input[type=file]", {"name": name, "mimeType": "", "buffer": content})
    page.wait_for_selector(f"replay-file > [role=status]:has-text('{name}: ')")
    page.wait_for_selector("deal-replayer .seat")
    page.click("verify-record button")
    page.wait_for_selector(f"{STATUS}.good, {STATUS}.bad")
    return page.get_attribute(STATUS, "class") or "", page.inner_text(STATUS)


def test_the_record_of_a_match_is_verified_on_its_page(open_page: Open, site: Served, record: bytes) -> None:
    page = open_page(f"/m/{site.gongzhu}")
    page.click("verify-record button")
    page.wait_for_selector(f"{STATUS}.good")
    *_, last = links_of(record)
    assert page.inner_text(STATUS).startswith("✓ Verified in this browser: ")
    assert page.inner_text(STATUS).endswith(last)
    assert findings(page, "verify-record") == []


def links_of(record: bytes) -> list[str]:
    before, found = START, []
    for line in record.splitlines():
        _, before = unchained(line, before)
        found.append(before)
    return found


def test_a_tampered_record_of_a_match_is_shown_red(open_page: Open, site: Served, record: bytes) -> None:
    page = open_page(f"/m/{site.gongzhu}")
    changed = record.replace(b'"by":"bot"', b'"by":"me!"', 1)
    intercept(page, "**/record", lambda route: route.fulfill(body=changed))
    page.click("verify-record button")
    page.wait_for_selector(f"{STATUS}.bad")
    assert page.inner_text(STATUS).startswith("✗ Line 2 differs: ")


def test_an_untouched_file_is_green_however_it_is_packed(open_page: Open, record: bytes) -> None:
    packings = {
        "match.jsonl": record,
        "match.jsonl.gz": b"".join(pack(line) for line in record.splitlines(keepends=True)),
        "foreign.jsonl.gz": gzip.compress(record),
    }
    page = open_page("/replay")
    for name, content in packings.items():
        colour, words = verdict(page, content, name)
        assert colour == "good", name
        assert "all 4 deals" in words, name


def test_the_first_line_that_differs_is_named(open_page: Open, record: bytes) -> None:
    lines = record.splitlines(keepends=True)
    hands = re.search(rb'"hands":\["(..)', lines[2])
    assert hands
    other = next(card for card in (b"2C", b"AS") if card != hands[1])
    swapped = b"".join([*lines[:2], exchanged(lines[2], hands[1], other), *lines[3:]])
    seed = re.search(rb'"seed":"([0-9a-f]{64})"', record)
    assert seed
    reversed_seats = re.sub(rb'"seats":\[(\d),(\d),', rb'"seats":[\2,\1,', lines[3], count=1)
    page = open_page("/replay")
    for changed, wanted in (
        (record.replace(b'"median":', b'"median":1'), "✗ Line 6 differs: the chain of line 6 is "),
        (rechained(swapped), "✗ Line 3 differs: board 1, rotation 2: hands is "),
        (
            rechained(b"".join([*lines[:3], reversed_seats, *lines[4:]])),
            "✗ Line 4 differs: board 1, rotation 3: seats is ",
        ),
        (rechained(record.replace(seed[1], seed[1][::-1])), "✗ Line 1 differs: the commitment is "),
        (b"".join(lines[:-1]), "✗ Line 5 differs: the last line is "),
    ):
        colour, words = verdict(page, changed)
        assert (colour, words[: len(wanted)]) == ("bad", wanted)


def exchanged(line: bytes, one: bytes, other: bytes) -> bytes:
    """A line with two cards the other way round, wherever they are."""
    names = {one: other, other: one}
    return re.sub(rb"\b(%b|%b)\b" % (one, other), lambda found: names[found[0]], line)


def test_a_packed_file_that_was_changed_anywhere_is_not_shown(open_page: Open, record: bytes) -> None:
    lines = [pack(line) for line in record.splitlines(keepends=True)]
    content, inside = b"".join(lines), len(lines[0]) + len(lines[1]) // 2  # not among the bytes before or behind a line
    page = open_page("/replay")
    for changed, wanted in (
        (
            content[:inside] + bytes([content[inside] ^ 1]) + content[inside + 1 :],
            "its bytes in the file have been changed",
        ),
        (content[:-5], "the file is cut off in the middle of it"),
    ):
        page.set_input_files("input[type=file]", {"name": "m.gz", "mimeType": "", "buffer": changed})
        page.wait_for_selector("replay-file > [role=status].bad")
        assert wanted in page.inner_text("replay-file > [role=status]")


def test_without_javascript_the_page_says_how_to_verify(open_page: Open, site: Served) -> None:
    page = open_page(f"/m/{site.gongzhu}", script=False)
    assert f"pigpen verify match-{site.gongzhu}.jsonl.gz" in page.inner_text("verify-record")
    assert not page.is_visible("verify-record button")
