"""Answers that stay good until the ladder changes: made once, kept, and not sent again to who has them."""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from starlette.requests import Request

T = TypeVar("T")
REVISION_SECONDS = 0.5
"""Seconds between two questions whether the ladder has changed; a page may be that old."""
MAX_BYTES = 64 * 1024 * 1024
"""Limit of all answers together that are kept, in bytes."""
MIN_TO_COMPRESS = 1024
LEVEL = 4
"""Of compression: twice as fast as 6, the usual one, for 5 % more bytes."""
OVERHEAD = 500
"""Bytes that an answer takes besides its text and its key, about."""
GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")
"""That a browser takes it, in Accept-Encoding."""
SHORT = "private, no-cache"
"""Browsers ask each time whether what they have is still good; caches between keep nothing: pages have languages."""


@dataclass(frozen=True)
class CachedAnswer:
    """One answer."""

    body: bytes
    compressed: bytes | None
    media_type: str
    etag: str
    """A weak one: the same for the body and for what it is compressed to."""

    @classmethod
    def of(cls, body: bytes, media_type: str) -> CachedAnswer:
        """Prepare an answer."""
        small = len(body) < MIN_TO_COMPRESS
        etag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        return cls(body, None if small else gzip.compress(body, LEVEL, mtime=0), media_type, etag)

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.body) + len(self.compressed or b"")

    def is_known(self, request: Request) -> bool:
        """Tell whether the client has this answer already."""
        known = request.headers.get("if-none-match", "")
        return self.etag.removeprefix("W/") in known or known.strip() == "*"


def asked_for(request: Request) -> list[tuple[str, str]]:
    """Give what a request's query says, as far as its route knows the parameter; others change no answer."""
    known = {field.alias for field in _fields(request)}
    return [(name, value) for name, value in request.query_params.multi_items() if name in known]


def key_of(request: Request) -> str:
    """
    Say what a request asks for: the path, and the validated values of the parameters that its route knows.

    So neither other parameters nor other spellings of a value, or of the default, have an answer made anew.
    """
    values = []
    for field in _fields(request):
        value, errors = field.validate(request.query_params[field.alias], {}, loc=())
        if not errors and value != field.get_default():
            values.append((field.alias, value))
    return f"{request.url.path}?{values}"


def _fields(request: Request) -> list[Any]:
    """List FastAPI's fields of the query parameters that a route knows, and that were sent."""
    waiting, found = [getattr(request.scope.get("route"), "dependant", None)], []
    for dependant in waiting:
        if dependant is not None:
            found += [field for field in dependant.query_params if field.alias in request.query_params]
            waiting += dependant.dependencies
    return sorted(found, key=lambda field: str(field.alias))


class AnswerCache:
    """Keeps answers by who asked for what, in which revision of the ladder; those not asked for longest go first."""

    def __init__(
        self, revision: Callable[[], str], max_bytes: int = MAX_BYTES, seconds: float = REVISION_SECONDS
    ) -> None:
        """
        Begin empty.

        Args:
            revision: Gives a text that changes whenever the ladder does.
            max_bytes: What all answers may have together.
            seconds: How long what *revision* gave is taken to be true.
        """
        self._revision = revision
        self._max_bytes = max_bytes
        self._seconds = seconds
        self._looked = float("-inf")
        self._now = ""
        self._answers: OrderedDict[str, CachedAnswer] = OrderedDict()
        self._making: dict[tuple[str, str], Future[CachedAnswer]] = {}
        self._bytes = 0
        self._lock = threading.Lock()
        self._looking = threading.Lock()

    def revision(self) -> str:
        """Give the revision of the ladder, as it was at most a moment ago."""
        if self._is_old():
            with self._looking:
                if self._is_old():  # no other thread has looked meanwhile
                    self._look()
        return self._now

    @property
    def size(self) -> int:
        """Bytes that all answers take together."""
        return self._bytes

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
        if answer.is_known(request):
            return Response(status_code=304, headers=headers)
        if answer.compressed is not None and GZIP.search(request.headers.get("accept-encoding", "")):
            return Response(
                answer.compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=answer.media_type
            )
        return Response(answer.body, headers=headers, media_type=answer.media_type)

    def _is_old(self) -> bool:
        return time.monotonic() - self._looked > self._seconds

    def _look(self) -> None:
        now, self._looked = self._revision(), time.monotonic()
        with self._lock:
            if now != self._now:
                self._now, self._bytes = now, 0
                self._answers.clear()

    def _get(self, key: str, make: Callable[[], tuple[bytes, str]]) -> CachedAnswer:
        """Give what is kept; else it is made, once for all who ask for it meanwhile."""
        revision = self.revision()
        with self._lock:
            if (found := self._answers.get(key)) is not None:
                self._answers.move_to_end(key)
                return found
            others = self._making.get((revision, key))
            mine = self._making[revision, key] = others or Future()
        return others.result() if others else self._made(revision, key, make, mine)

    def _made(
        self, revision: str, key: str, make: Callable[[], tuple[bytes, str]], mine: Future[CachedAnswer]
    ) -> CachedAnswer:
        try:
            answer = CachedAnswer.of(*make())
            self._keep(revision, key, answer)
            mine.set_result(answer)
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._making[revision, key]
        return answer

    def _keep(self, revision: str, key: str, answer: CachedAnswer) -> None:
        with self._lock:
            if revision != self._now:
                return
            self._answers[key] = answer
            self._bytes += _taken(key, answer)
            while self._bytes > self._max_bytes:
                self._bytes -= _taken(*self._answers.popitem(last=False))


class RecentValues:
    """
    Values that are the same for all visitors, read again when they are as old as a page may be.

    It is for what changes without the ladder's revision: tables at which people play, puzzles.
    """

    def __init__(self, seconds: float = REVISION_SECONDS) -> None:
        """
        Begin empty.

        Args:
            seconds: Seconds for which a value is used after it was read.
        """
        self._seconds = seconds
        self._values: dict[object, tuple[float, Any]] = {}

    def get(self, key: object, read: Callable[[], T]) -> T:
        """
        Give a value.

        Args:
            key: All that it depends on besides the database.
            read: Reads it.
        """
        now = time.monotonic()
        found = self._values.get(key)
        if found is None or now - found[0] > self._seconds:
            found = now, read()
            recent = {other: each for other, each in self._values.copy().items() if now - each[0] <= self._seconds}
            self._values = {**recent, key: found}
        value: T = found[1]
        return value


def _taken(key: str, answer: CachedAnswer) -> int:
    return answer.size + len(key) + OVERHEAD
