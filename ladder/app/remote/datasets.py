"""The data set that a remote ladder offers: each file is fetched once, checked, and kept by its hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from urllib.parse import quote

from ladder.app.remote.connection import refusal
from ladder.errors import RemoteError, UserError
from ladder.sandbox.host.whole_file import cache_folder, write_whole
from ladder.values.reports import DatasetManifest

if TYPE_CHECKING:
    from pathlib import Path

    from ladder.app.remote.connection import Connection
    from ladder.values.reports import DatasetFile

MAX_BYTES = 256 * 1024**2
"""Of a file."""


class RemoteDataset:
    """A data set at the site of a ladder."""

    def __init__(self, connection: Connection) -> None:
        """
        Ask for its manifest, and remove files that belong to none any more.

        Args:
            connection: Leads to the ladder; open for as long as files are fetched.

        Raises:
            LadderError: If the ladder offers no data set.
            RemoteError: If it does not answer.
        """
        self._connection = connection
        self._folder = cache_folder() / "datasets" / hashlib.sha256(connection.address.encode()).hexdigest()[:16]
        self.manifest = connection.get("/data", DatasetManifest)
        named = {_kept_as(each) for each in self.manifest.files}
        for path in self._folder.glob("*.parquet"):
            if path.name not in named:
                path.unlink(missing_ok=True)

    def path(self, file: DatasetFile) -> Path:
        """
        Fetch a file, unless it is here.

        Raises:
            LadderError: If the ladder refuses.
            RemoteError: If the ladder does not answer, or the file is not the one of the manifest.
            UserError: If there is no room for it.
        """
        path = self._folder / _kept_as(file)
        if not path.is_file():  # its name is the hash of its content, and it was written whole
            content = self._fetched(file)
            try:
                write_whole(path, content)
            except OSError as error:
                raise UserError(f"The data set cannot be kept in {str(self._folder)!r}: {error.strerror}.") from None
        return path

    def _fetched(self, file: DatasetFile) -> bytes:
        answer = self._connection.answer(f"/data/{quote(file.name)}", MAX_BYTES)
        if answer.status != 200:
            raise refusal(self._connection.address, answer)
        if hashlib.sha256(answer.body).hexdigest() != file.sha256:
            raise RemoteError(
                f"{file.name} arrived damaged from {self._connection.address}, or was written anew since. Try again."
            )
        return answer.body


def _kept_as(file: DatasetFile) -> str:
    return f"{file.sha256}.parquet"
