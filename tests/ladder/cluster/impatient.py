"""`pigpen`, whose worker soon believes that its scheduler is deaf."""

from __future__ import annotations

from ladder.cli.entry import main
from ladder.cluster import worker_session

worker_session.FACTS_SECONDS = 0.2
worker_session.DEAF_SECONDS = 5.0
main()
