"""Secrets of webhooks, and the signatures of Standard Webhooks (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac

from standardwebhooks import Webhook

PREFIX = "whsec_"


def secret_of(key: bytes, salt: str) -> str:
    """
    Give the secret of a webhook, as its receiver gets it.

    Args:
        key: The ladder's key for all its webhooks.
        salt: The webhook's own.
    """
    return PREFIX + base64.b64encode(hmac.digest(key, f"webhook {salt}".encode(), "sha256")).decode()


def hash_of(secret: str) -> str:
    """Give what the database keeps of a secret: to notice that it is another one."""
    return hashlib.sha256(secret.encode()).hexdigest()


def signed_headers(secret: str, key: str, body: str, now: float) -> dict[str, str]:
    """
    Sign a message.

    Args:
        secret: The webhook's.
        key: What names the message, the same at each attempt.
        body: The message.
        now: Unix time of this attempt.

    Returns:
        The headers of the request that say so.
    """
    at = datetime.datetime.fromtimestamp(int(now), datetime.UTC)
    return {
        "webhook-id": key,
        "webhook-timestamp": str(int(now)),
        "webhook-signature": Webhook(secret).sign(key, at, body),
    }
