"""The files of an image, looked at through a container that is never started."""

from __future__ import annotations

import io
import posixpath
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from docker.utils import decode_json_header

from ladder.errors import SandboxError
from ladder.sandbox.docker.image_config import UnfitImage

if TYPE_CHECKING:
    from collections.abc import Collection

    from docker import APIClient

KINDS = {31: "folder", 27: "link", 26: "device", 25: "named pipe", 24: "socket", 19: "special file"}
"""The bits in which the engine gives the kind of an entry; without any of them it is a file."""

MAX_LINKS = 40
"""Links that one path may lead through, as in Linux."""

HEADER = "X-Docker-Container-Path-Stat"


@dataclass(frozen=True)
class TreeEntry:
    """The file, folder or link at a path."""

    kind: str
    """One of `KINDS`, or file."""
    size: int
    """Bytes, of a file."""
    end: str
    """Of a link: where it leads in the end, as the engine reads the image."""


class ImageTree:
    """
    Reads the file tree of a container without opening anything in it.

    Only `content` and the reading of links make the engine open files: for each it looks up names of users, in the
    image's own /etc/passwd and /etc/group. So these two must be known to be harmless before.
    """

    def __init__(self, api: APIClient, container: str) -> None:
        self._api = api
        self._url = f"{api.base_url}/v{api.api_version}/containers/{container}/archive"
        self._container = container
        self._known: dict[str, TreeEntry | None] = {"/": TreeEntry("folder", 0, "")}

    def entry(self, path: str) -> TreeEntry | None:
        """
        Tell what stands at *path*, a link itself and not what it leads to; None: nothing.

        Raises:
            UnfitImage: If the engine cannot read it, but can read other paths: a link leads to itself.
            SandboxError: If the engine fails.
        """
        if path not in self._known:
            self._known[path] = self._ask(path)
        return self._known[path]

    def follow(self, path: str, hidden: Collection[str]) -> tuple[str, TreeEntry | None]:
        """
        Go along *path* as a program in the container would.

        Args:
            path: An absolute path.
            hidden: Folders whose content in the image no program sees, since others are mounted there.

        Returns:
            Where the path ends, without links, and what stands there; None: nothing.

        Raises:
            UnfitImage: If it cannot be followed, or leads through a link into one of *hidden*.
        """
        at, links = "/", 0
        ahead = _names(path)
        while ahead:
            name = ahead.pop(0)
            at = posixpath.dirname(at) if name == ".." else posixpath.join(at, name)
            if at in hidden:
                if links:
                    raise UnfitImage(f"its {path} is a link that leads into {at}, where the sandbox has its own files.")
                return posixpath.join(at, *ahead), None
            entry = self.entry(at)
            if entry is None:
                if any(place.startswith(f"{at}/") for place in hidden):
                    continue  # the sandbox makes it, to mount something below
                return posixpath.join(at, *ahead), None
            if entry.kind == "link":
                links += 1
                if links > MAX_LINKS:
                    raise UnfitImage(f"its {path} leads through more than {MAX_LINKS} links.")
                target = self._target(at)
                at = "/" if target.startswith("/") else posixpath.dirname(at)
                ahead = _names(target) + ahead
            elif ahead and entry.kind != "folder":
                raise UnfitImage(f"its {at} is a {entry.kind}, where a folder is needed.")
        return at, self.entry(at)

    def content(self, path: str) -> bytes:
        """Read the file at *path*."""
        with self._packed(path) as tar:
            file = tar.extractfile(tar.getmembers()[0])
            return file.read() if file else b""

    def _target(self, path: str) -> str:
        with self._packed(path) as tar:
            return tar.getmembers()[0].linkname

    def _packed(self, path: str) -> tarfile.TarFile:
        chunks, _ = self._api.get_archive(self._container, path)
        return tarfile.open(fileobj=io.BytesIO(b"".join(chunks)))

    def _ask(self, path: str) -> TreeEntry | None:
        answer = self._head(path)
        if answer is None and self._head("/"):
            raise UnfitImage(f"its {path} leads nowhere: does a link lead to itself?")
        if answer is None:
            raise SandboxError("The Docker engine cannot look into an image. Its log says why.")
        return _entry(answer) if answer else None

    def _head(self, path: str) -> str | None:
        """Give what the engine reports of a path; empty: there is nothing; None: the engine cannot read it."""
        name = path.encode("utf-8", "surrogateescape")
        answer = self._api.head(self._url, params={"path": name}, timeout=self._api.timeout)
        if answer.status_code == 404:
            return ""
        return answer.headers.get(HEADER) if answer.ok else None


def _entry(header: str) -> TreeEntry:
    stat = decode_json_header(header)
    kind = next((name for bit, name in KINDS.items() if stat["mode"] >> bit & 1), "file")
    return TreeEntry(kind, stat["size"], stat["linkTarget"])


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in {"", "."}]
