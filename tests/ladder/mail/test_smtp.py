"""One attempt to send a letter, to a real server: encryption, log-in, refusals, servers that hang or are away."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from email.message import EmailMessage
from email.policy import SMTP
from typing import TYPE_CHECKING, Any

import pytest

from ladder.mail.smtp import Answer, Outcome, SmtpAttempt
from tests.ladder.mail.servers import SECRET, SENDER, USER, mail_settings, smtp_server
from tests.ladder.site.certificates import make_pair
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.settings.settings import Settings

ADA = "ada@mail.example"
REAL = ssl.create_default_context
LOG_IN = {"mail_user": USER, "mail_password": SECRET}


def letter() -> EmailMessage:
    made = EmailMessage(policy=SMTP)
    made["From"], made["To"], made["Subject"] = SENDER, ADA, "铜锣 Trotter"
    made.set_content("A line.\n.\nA line after a dot.\n")
    return made


async def sent(settings: Settings, trusts: Path | None = None, **words: Any) -> Outcome:
    trusted = REAL(cafile=str(trusts)) if trusts else None
    return await SmtpAttempt(settings, letter(), trusted=trusted, **words).send()


async def test_a_letter_arrives_as_it_is(tmp_path: Path) -> None:
    with smtp_server() as box:
        outcome = await sent(mail_settings(tmp_path, box.port))
    assert outcome == Outcome(Answer.ACCEPTED, "127.0.0.1 has accepted it.")
    (got,) = box.letters
    assert (got["Subject"], got.get_content().replace("\r\n", "\n")) == (
        "铜锣 Trotter",
        "A line.\n.\nA line after a dot.\n",
    )
    assert (box.senders, box.recipients) == ([SENDER], [ADA])


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_it_is_encrypted_and_logs_in(tmp_path: Path, security: str) -> None:
    pair = make_pair(tmp_path)
    with smtp_server(pair, needs_user=True, tls=security == "tls") as box:
        settings = mail_settings(tmp_path, box.port, mail_security=security, **LOG_IN)
        assert (await sent(settings, pair.certificate)).is_accepted
        wrong = mail_settings(tmp_path, box.port, mail_security=security, mail_user=USER, mail_password="wrong")
        refused = await sent(wrong, pair.certificate)
        nobody = await sent(mail_settings(tmp_path, box.port, mail_security=security), pair.certificate)
        stranger = await sent(settings)
    assert (refused.answer, "535" in refused.sentence) == (Answer.NO_SERVER, True)
    assert (nobody.answer, "530" in nobody.sentence) == (Answer.NO_SERVER, True)
    assert (stranger.answer, "certificate is not trusted" in stranger.sentence) == (Answer.NO_SERVER, True)
    assert len(box.letters) == 1
    assert SECRET not in refused.sentence + nobody.sentence


async def test_nothing_is_said_to_a_server_without_encryption(tmp_path: Path) -> None:
    with smtp_server() as box:
        outcome = await sent(mail_settings(tmp_path, box.port, mail_security="starttls", **LOG_IN))
    assert (outcome.answer, "STARTTLS" in outcome.sentence) == (Answer.NO_SERVER, True)
    assert not box.recipients


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("451 4.7.1 Greylisted, please try again", Answer.LATER),
        ("452 4.2.2 ada is over quota", Answer.LATER),
        ("421 4.3.0 Closing", Answer.NO_SERVER),
        (f"550 5.1.1 <{ADA}>: no mailbox Ada here", Answer.BAD_ADDRESS),
        ("550 5.1.10 null MX", Answer.BAD_ADDRESS),
        ("550 5.7.1 relaying denied", Answer.NEVER),
        ("550 no such user", Answer.NEVER),
    ],
)
async def test_refusals_are_told_apart_and_name_no_address(tmp_path: Path, answer: str, found: Answer) -> None:
    with smtp_server() as box:
        box.to_recipient.append(answer)
        outcome = await sent(mail_settings(tmp_path, box.port))
    assert outcome.answer is found
    assert answer[:3] in outcome.sentence
    assert "ada" not in outcome.sentence.lower()


async def test_a_letter_may_be_refused_when_it_has_been_read(tmp_path: Path) -> None:
    with smtp_server() as box:
        box.to_letter += ["554 5.7.1 spam", "451 4.3.2 busy"]
        settings = mail_settings(tmp_path, box.port)
        assert (await sent(settings)).answer is Answer.NEVER
        assert (await sent(settings)).answer is Answer.LATER


async def test_a_server_that_hangs_holds_nothing_up(tmp_path: Path) -> None:
    with smtp_server() as box:
        box.hangs.set()
        outcome = await sent(mail_settings(tmp_path, box.port), data_seconds=0.1)
        whole = await sent(mail_settings(tmp_path, box.port), seconds=0.1)
    assert (outcome.answer, "in time" in outcome.sentence) == (Answer.NO_SERVER, True)
    assert (whole.answer, "within 0.1 s" in whole.sentence) == (Answer.NO_SERVER, True)


async def test_an_attempt_that_is_cancelled_leaves_its_connection(tmp_path: Path) -> None:
    with smtp_server() as box:
        box.hangs.set()
        task = asyncio.ensure_future(sent(mail_settings(tmp_path, box.port)))
        await comes(lambda: box.recipients)
        task.cancel()
        await asyncio.wait([task], timeout=PATIENCE)
        assert task.cancelled()
        await comes(lambda: not any(each.name == "mail attempt" for each in threading.enumerate()))


async def test_a_server_that_is_away_or_says_nothing_is_none(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        mute = await sent(mail_settings(tmp_path, port), step_seconds=0.1)
    away = await sent(mail_settings(tmp_path, port))
    assert (mute.answer, away.answer) == (Answer.NO_SERVER, Answer.NO_SERVER)
    assert "refused" in away.sentence


async def test_a_server_that_ends_after_the_letter_has_it(tmp_path: Path) -> None:
    """An answer to QUIT, or none, changes nothing: the letter would be sent twice."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            connection, _ = server.accept()
            with connection, connection.makefile("rw", newline="\r\n") as lines:

                def say(text: str) -> None:
                    lines.write(f"{text}\r\n")
                    lines.flush()

                say("220 hello")
                for _ in range(3):
                    lines.readline()
                    say("250 OK")
                lines.readline()
                say("354 go on")
                while lines.readline().rstrip("\r\n") != ".":
                    pass
                say("250 taken")

        thread = threading.Thread(target=serve)
        thread.start()
        outcome = await sent(mail_settings(tmp_path, port))
        thread.join()
    assert outcome.is_accepted
