"""Answers that stay good until the ladder changes: made once, kept, and not sent again to who has them."""

from __future__ import annotations

import gzip
import hashlib
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

REVISION_SECONDS = 0.5
"""The ladder is asked at most so often whether it has changed; a page may be so old."""
MOST_BYTES = 64 * 1024 * 1024
"""What the answers that are kept may have together."""
LEAST_TO_COMPRESS = 1024
SHORT = "private, no-cache"
"""Browsers ask each time whether what they have is still good; caches between keep nothing: pages have languages."""


@dataclass(frozen=True)
class Answer:
    """One answer."""

    body: bytes
    compressed: bytes | None
    media_type: str
    etag: str

    @classmethod
    def of(cls, body: bytes, media_type: str) -> Answer:
        """Prepare an answer."""
        small = len(body) < LEAST_TO_COMPRESS
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        return cls(body, None if small else gzip.compress(body, 6, mtime=0), media_type, etag)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.body) + len(self.compressed or b"")


class AnswerCache:
    """Keeps answers by who asked for what, in which revision of the ladder; those not asked for longest go first."""

    def __init__(
        self, revision: Callable[[], str], most_bytes: int = MOST_BYTES, seconds: float = REVISION_SECONDS
    ) -> None:
        """
        Begin empty.

        Args:
            revision: Gives a text that changes whenever the ladder does.
            most_bytes: What all answers may have together.
            seconds: How long what *revision* gave is taken to be true.
        """
        self._revision = revision
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._looked = float("-inf")
        self._now = ""
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def revision(self) -> str:
        """The revision of the ladder, as it was at most a moment ago."""
        if time.monotonic() - self._looked > self._seconds:
            now, self._looked = self._revision(), time.monotonic()
            with self._lock:
                if now != self._now:
                    self._now, self._bytes = now, 0
                    self._answers.clear()
        return self._now

    def respond(self, request: Request, key: str, make: Callable[[], tuple[bytes, str]]) -> Response:
        """
        Answer a request.

        Args:
            request: What is asked.
            key: All that the answer depends on besides the ladder.
            make: Makes the body and its media type.
        """
        answer = self._get(key, make)
        headers = {"ETag": answer.etag, "Cache-Control": SHORT, "Vary": "Accept-Encoding, Accept-Language, Cookie"}
        if answer.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if answer.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(
                answer.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=answer.media_type
            )
        return Response(answer.body, headers=headers, media_type=answer.media_type)

    def _get(self, key: str, make: Callable[[], tuple[bytes, str]]) -> Answer:
        revision = self.revision()
        with self._lock:
            if (found := self._answers.get(key)) is not None:
                self._answers.move_to_end(key)
                return found
        answer = Answer.of(*make())
        with self._lock:
            if revision == self._now and key not in self._answers:
                self._answers[key] = answer
                self._bytes += answer.size
                while self._bytes > self._most_bytes:
                    self._bytes -= self._answers.popitem(last=False)[1].size
        return answer
