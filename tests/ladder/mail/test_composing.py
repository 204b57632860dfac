"""Letters as they are sent: in both languages, links of the site in the settings, headers that no value adds to."""

from __future__ import annotations

from email import message_from_bytes, policy
from typing import TYPE_CHECKING

import pytest

from ladder.app.accounts.mail import LETTER_LANGUAGES
from ladder.mail.composing import MAX_SUBJECT, compose
from ladder.store.commands.letters import LetterLease
from ladder.values.mail import NOTICES, LetterKind, is_address
from tests.ladder.ladders import NOW
from tests.ladder.mail.servers import SENDER, SITE, mail_settings

if TYPE_CHECKING:
    from email.message import EmailMessage
    from pathlib import Path
    from typing import Any

KEY = bytes(32)
UNTIL = "2026-12-18T18:00:00+00:00"
DATA: dict[LetterKind, dict[str, Any]] = {
    LetterKind.CONFIRM: {"name": "ada", "salt": "ab"},
    LetterKind.ASKED: {"name": "ada", "by_password": True},
    LetterKind.MOVED: {"name": "ada"},
    LetterKind.CHANGED: {"name": "ada", "at": UNTIL},
    LetterKind.PASSWORD: {"name": "ada", "salt": "ab", "until": UNTIL},
    LetterKind.BOT_SUSPENDED: {"bot": "Trotter 猪", "variant": "gongzhu", "reason": "5 of 10 matches ended early."},
    LetterKind.SUBMISSION: {"bot": "Trotter", "number": 17, "status": "refused"},
    LetterKind.EVENT: {"event": "cup", "title": "The Cup", "bots": "Trotter, Mud", "number": None},
    LetterKind.ROUND: {"event": "cup", "title": "The Cup", "bots": "Trotter", "number": 3},
    LetterKind.DEADLINE: {"variant": "", "at": UNTIL},
    LetterKind.TEST: {},
}


def written(folder: Path, kind: LetterKind, language: str = "en", **changed: Any) -> EmailMessage:
    salt = "cd" if kind in NOTICES else ""
    lease = LetterLease(5, 1, kind, f"{kind} 5", "ada@mail.example", language, DATA[kind] | changed, 0, 7, salt)
    made = compose(mail_settings(folder, 25), KEY, lease, NOW)
    return message_from_bytes(bytes(made), policy=policy.default)


@pytest.mark.parametrize("language", LETTER_LANGUAGES)
@pytest.mark.parametrize("kind", DATA)
def test_every_letter_is_whole(tmp_path: Path, kind: LetterKind, language: str) -> None:
    letter = written(tmp_path, kind, language)
    text = letter.get_content()
    assert (letter["From"], letter["To"], letter["Auto-Submitted"]) == (SENDER, "ada@mail.example", "auto-generated")
    assert letter.get_content_type() == "text/plain"
    assert SITE in text
    assert ("%" in letter["Subject"], "%(" in text, "\n\n\n" in text) == (False, False, False)
    assert any("一" <= sign <= "鿿" for sign in letter["Subject"].replace("猪", "")) is (language == "zh")
    is_notice = kind in NOTICES
    assert (letter["List-Unsubscribe"] is not None, letter["List-Unsubscribe-Post"] is not None) == (is_notice,) * 2
    assert (f"{SITE}/mail/unsubscribe?who=7&what={kind}&proof=" in text) is is_notice


def test_all_kinds_have_a_letter() -> None:
    assert set(DATA) == set(LetterKind) - {LetterKind.FORGOTTEN}


@pytest.mark.parametrize("language", LETTER_LANGUAGES)
@pytest.mark.parametrize(("by_password", "way_out"), [(True, "/login/forgotten"), (False, "/me/account")])
def test_a_warning_of_another_address_names_a_way_out_that_is_there(
    tmp_path: Path, by_password: bool, way_out: str, language: str
) -> None:
    text = written(tmp_path, LetterKind.ASKED, language, by_password=by_password).get_content()
    assert [line for line in text.splitlines() if line.startswith(f"{SITE}/")] == [f"{SITE}{way_out}"]


@pytest.mark.parametrize("status", ["entered", "refused", "failed"])
def test_the_end_of_a_submission_is_told_apart(tmp_path: Path, status: str) -> None:
    subjects = {written(tmp_path, LetterKind.SUBMISSION, status=each)["Subject"] for each in ("entered", status)}
    assert len(subjects) == (1 if status == "entered" else 2)


def test_no_value_adds_a_header_or_a_line(tmp_path: Path) -> None:
    nasty = "Trotter\r\nBcc: eve@evil.example\r\n\r\nbody\x1b[2J\u202e"
    letter = written(tmp_path, LetterKind.BOT_SUSPENDED, bot=nasty, reason=nasty + "x" * 5000)
    assert letter["Bcc"] is None
    assert letter.get_all("To") == ["ada@mail.example"]
    assert not {"\r", "\n", "\x1b", "\u202e"} & set(letter["Subject"])
    assert len(letter["Subject"]) <= MAX_SUBJECT
    text = letter.get_content()
    assert not {"\x1b", "\u202e"} & set(text)
    assert not any(line.startswith("Bcc") for line in text.splitlines())
    assert len(text) < 3500


def test_an_attempt_has_the_name_of_the_one_before(tmp_path: Path) -> None:
    first, again = (written(tmp_path, LetterKind.EVENT)["Message-ID"] for _ in range(2))
    assert first == again != written(tmp_path, LetterKind.ROUND)["Message-ID"]


@pytest.mark.parametrize(
    "text",
    [
        "", "ada", "@mail.example", "ada@", "ada@mail.example\n", "ada@mail.example\r\nBcc: eve@evil.example",
        "ada@mail.example,eve@evil.example", "Ada <ada@mail.example>", '"a b"@mail.example', "ada@[127.0.0.1]",
        "ada@-mail.example", "ada..b@mail.example", "ada@mail..example", "adä@mail.example", "ada@mäil.example",
        "ada(x)@mail.example", f"{'a' * 65}@mail.example", "ada @mail.example", "ada@mail.example ",
    ],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused(text: str) -> None:
    assert not is_address(text)


@pytest.mark.parametrize("text", ["ada@mail.example", "a.b+c_d@x-y.example", "o'hara@localhost", f"{'a' * 64}@b.cd"])
def test_plain_addresses_are_taken(text: str) -> None:
    assert is_address(text)
