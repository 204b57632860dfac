"""Terms on which a scheduler and its workers have to agree."""

from __future__ import annotations

TOPIC = "pigpen"
"""Dask's topic for reports of workers: a dictionary with a `MessageKind` as ``kind``, and text as ``body``."""
PLAY = "pigpen-play"
"""To a worker: play a task; with the number of the call, and the token that its answer must show."""
CANCEL = "pigpen-cancel"
"""To a worker: give up the call of that number."""
TURN_AWAY = "pigpen-turn-away"
"""To a worker: end, for the reason in the sentence."""
ANSWER = "pigpen_answer"
"""To the scheduler: a part of an answer."""
ANSWER_BYTES = 96 << 20
"""No answer is longer, as UTF-8: a record of 64 MiB in base64, and the logs of bots."""
PART_CHARACTERS = 1 << 20
"""Characters of one part of an answer."""
TO_SCHEDULER_BYTES = 16 << 20
"""No message to a scheduler is longer: it holds parts of answers, or a few reports."""
TO_WORKER_BYTES = 1 << 30
"""No message to a worker is longer: it holds tasks, and a task may hold a bot's folder."""
TELL_BYTES = 4 << 20
"""No report of a worker is longer."""
