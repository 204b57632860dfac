"""Figures on webhooks for health: apart from their commands, which need all that events need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store.webhook_models import Webhook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def count_webhooks(session: Session) -> tuple[int, list[int]]:
    """Count all webhooks, and give the numbers of those that are disabled."""
    rows = session.execute(select(Webhook.id, Webhook.disabled).order_by(Webhook.id)).all()
    return len(rows), [number for number, disabled in rows if disabled is not None]
