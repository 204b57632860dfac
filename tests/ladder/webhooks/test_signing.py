"""Secrets and signatures, as a receiver verifies them with the library of Standard Webhooks."""

from __future__ import annotations

import base64
import time

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from ladder.webhooks.sending import hash_of, secret_of, signed_headers

KEY, BODY = bytes(range(32)), '{"type":"event.over","data":{"event":"猪"}}'


def test_a_receiver_verifies_what_was_signed() -> None:
    secret = secret_of(KEY, "salt")
    headers = signed_headers(secret, "msg_1", BODY, time.time())
    assert headers["webhook-id"] == "msg_1"
    assert Webhook(secret).verify(BODY, headers) == {"type": "event.over", "data": {"event": "猪"}}
    assert Webhook(secret).verify(BODY.encode(), headers)["type"] == "event.over"


@pytest.mark.parametrize("changed", ["body", "webhook-id", "webhook-timestamp", "secret"])
def test_what_was_changed_on_its_way_is_not_verified(changed: str) -> None:
    secret, now = secret_of(KEY, "salt"), time.time()
    headers = signed_headers(secret, "msg_1", BODY, now)
    other = {"webhook-id": "msg_2", "webhook-timestamp": str(int(now) - 1)}
    if changed in headers:
        headers[changed] = other[changed]
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(secret_of(KEY, "other") if changed == "secret" else secret).verify(
            BODY + " " if changed == "body" else BODY, headers
        )


def test_an_old_message_cannot_be_played_again() -> None:
    secret = secret_of(KEY, "salt")
    with pytest.raises(WebhookVerificationError, match="too old"):
        Webhook(secret).verify(BODY, signed_headers(secret, "msg_1", BODY, time.time() - 3600))


def test_a_secret_is_256_bits_that_only_key_and_salt_together_give() -> None:
    secret = secret_of(KEY, "salt")
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    assert secret == secret_of(KEY, "salt")
    others = {secret_of(KEY, "salt2"), secret_of(bytes(32), "salt"), secret}
    assert len(others) == 3
    assert len({hash_of(each) for each in others}) == 3
    assert secret not in hash_of(secret)
