"""
Inspection of an image before anything of it starts: what could hang the engine, cost it long, or prevent a start.

It looks at the image's settings (what the engine and the runtime can start, and start quickly) and at its files,
through a container that is never started. Images that were found fit are remembered, so that each is looked at once on
a machine, and not at each start.

The engine opens /etc/passwd and /etc/group of the image at each start, as root and outside the container: a named pipe
there hangs it, for all its users, until it is restarted. The inspection opens nothing.
"""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
import tarfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docker.utils import decode_json_header

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.docker.containers import MARK, create_idle, discard
from ladder.sandbox.docker.engine import engine_errors
from ladder.sandbox.docker.limits import SEAT_FOLDER
from ladder.sandbox.host.scratch import read_own
from ladder.sandbox.host.whole_file import cache_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from docker import APIClient, DockerClient

MAX_IMAGES = 1000
"""Images that are remembered, the newest ones."""

_LINE = len("sha256:") + 64 + 1


def is_known_fit(image: str) -> bool:
    """Tell whether the image with this id was found fit, by the rules of this version."""
    return image in _known()


def remember_fit(image: str) -> None:
    """Remember it, for every process of this user. Where nothing can be written, it will be looked at again."""
    with suppress(OSError, SandboxError):  # a user without a home has nothing to write to
        path = _path()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        written = path.with_name(f".{path.name}.{os.getpid()}.{hashlib.sha256(image.encode()).hexdigest()[:8]}")
        written.write_text("".join(f"{each}\n" for each in [*_known(), image][-MAX_IMAGES:]))
        written.replace(path)


def _known() -> list[str]:
    try:
        return read_own(_path(), MAX_IMAGES * _LINE).split()
    except (OSError, SandboxError, UnicodeDecodeError):
        return []


def _path() -> Path:
    """Give the path of a file of its own for each set of rules."""
    rules = hashlib.sha256(SEAT_FOLDER.encode())
    for source in sorted(Path(__file__).parent.glob("image_*.py")):
        rules.update(source.read_bytes())
    return cache_folder() / f"fit-images-{rules.hexdigest()[:16]}"


MAX_SETTINGS = 64 * 1024
"""Letters of command, environment and labels together. A kernel takes 128 KiB in one word of a command."""

MAX_WORDS = 256
"""Variables, and words of the command. The engine compares each variable with each: 30,000 take it a minute."""

MAX_PATH = 1024
MAX_NAME = 255
"""Bytes of a path, and of one name in it."""


class UnfitImage(Exception):
    """The image cannot run in the sandbox; the message says why and what to change, for its author."""


def check_config(config: Mapping[str, Any]) -> None:
    """
    Refuse settings with which no container starts, or which cost the engine long.

    Args:
        config: The image's settings, as the engine gives them.

    Raises:
        UnfitImage: If there are such.
    """
    variables = [str(each) for each in config.get("Env") or ()]
    words = [str(word) for part in ("Entrypoint", "Cmd") for word in config.get(part) or ()]
    labels = {str(key): str(value) for key, value in (config.get("Labels") or {}).items()}
    if sum(map(len, (*variables, *words, *labels, *labels.values()))) > MAX_SETTINGS:
        raise UnfitImage(f"its command, environment and labels have more than {MAX_SETTINGS:,} letters. Shorten them.")
    if max(len(variables), len(words)) > MAX_WORDS:
        raise UnfitImage(f"it has more than {MAX_WORDS} variables, or as many words in its command. Drop some.")
    if any("\0" in word for word in (*variables, *words)):
        raise UnfitImage("its command or environment holds a NUL character. Leave that out.")
    wrong = next((each for each in variables if each.find("=") < 1), None)
    if wrong is not None:
        raise UnfitImage(f"its environment holds {wrong!r}, which is not NAME=value.")
    odd = next((key for key in labels if key.startswith(MARK) and not f"{key}{labels[key]}".isprintable()), None)
    if odd is not None:  # Pigpen reads these, and quotes them in reasons and logs
        raise UnfitImage(f"its label {odd!r} holds a character that cannot be printed. Leave that out.")


def working_folder(config: Mapping[str, Any]) -> str:
    """
    Give the folder in which the image is to be started, as a plain absolute path.

    Raises:
        UnfitImage: If that is no path.
    """
    workdir = str(config.get("WorkingDir") or "/")
    names = workdir.encode().split(b"/")
    if not workdir.startswith("/") or "\0" in workdir or len(workdir) > MAX_PATH or max(map(len, names)) > MAX_NAME:
        raise UnfitImage(f"its WORKDIR {workdir[:80]!r} is no absolute path of at most {MAX_PATH} letters. Change it.")
    return "/" + posixpath.normpath(workdir).lstrip("/")


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


USERS = ("/etc/passwd", "/etc/group")
"""Files that the engine and the runtime read at each start."""

MAX_USERS = 1024 * 1024
"""Bytes of such a file."""

MAX_LINE = 64 * 1024 - 1
"""Bytes of one line of such a file: the engine reads no longer one."""

OVERLAID = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")
"""Files that the engine lays its own over."""

KERNEL = ("/proc", "/sys", "/dev")
"""Folders that the runtime makes anew; an image's own content there is never seen."""

MOUNTED = (SEAT_FOLDER, "/tmp")
"""Folders that the sandbox mounts."""


def inspect_image(client: DockerClient, image: str, name: str, sandbox: str) -> None:
    """
    Refuse an image that the engine or the sandbox cannot start safely. Each image is looked at once.

    Args:
        client: The engine.
        image: The image's id.
        name: What its author calls it.
        sandbox: Id of the sandbox whose the container is through which it is looked at.

    Raises:
        BotRejected: If the image is at fault.
        SandboxError: If the engine fails.
    """
    if is_known_fit(image):
        return
    try:
        with engine_errors(f"look into {name}"):
            config = client.images.get(image).attrs["Config"] or {}
            check_config(config)
            folder = working_folder(config)
            container = create_idle(client, image, sandbox)
            try:
                _check_tree(ImageTree(client.api, container), folder)
            finally:
                discard(client, container)
    except UnfitImage as error:
        raise BotRejected(f"{name} cannot run in the sandbox: {error}") from error
    remember_fit(image)


def _check_tree(tree: ImageTree, folder: str) -> None:
    for path in USERS:  # first of all: to read links, the engine opens these
        _check_users(tree, path)
    for path in USERS:
        end, entry = tree.follow(path, (*KERNEL, *MOUNTED))
        if entry and entry.size > MAX_LINE and max(map(len, tree.content(end).split(b"\n"))) > MAX_LINE:
            raise UnfitImage(f"its {path} has a line of more than {MAX_LINE:,} bytes, which the engine cannot read.")
    for path in OVERLAID:
        entry = tree.entry(path)
        if entry and entry.kind == "folder":
            raise UnfitImage(f"its {path} is a folder, and the engine lays a file over it. Remove it.")
    for path in MOUNTED:
        _check_mounted(tree, path)
    _check_working_folder(tree, folder)


def _check_users(tree: ImageTree, path: str) -> None:
    entry = tree.entry(path)
    if entry and entry.kind == "link":
        # The engine writes another letter where a name is no UTF-8: what it opens could not be asked for.
        entry = tree.entry(entry.end) if "\ufffd" not in entry.end else entry
    if entry and entry.kind != "file":
        raise UnfitImage(
            f"its {path} is a {entry.kind}, which the engine would open at each start. "
            "It must be a file, or not be there."
        )
    if entry and entry.size > MAX_USERS:
        raise UnfitImage(
            f"its {path} has {entry.size:,} bytes, and the engine reads it at each start. "
            f"It may have {MAX_USERS:,} at most."
        )


def _check_mounted(tree: ImageTree, path: str) -> None:
    parent, name = posixpath.split(path)
    found, entry = tree.follow(parent, (*KERNEL, *(other for other in MOUNTED if other != path)))
    if entry and entry.kind == "folder":
        entry = tree.entry(posixpath.join(found, name))
    if entry and entry.kind != "folder":
        raise UnfitImage(f"its {path} is, or lies in, a {entry.kind}: the sandbox has a folder there. Remove it.")


def _check_working_folder(tree: ImageTree, folder: str) -> None:
    for place in (*KERNEL, SEAT_FOLDER):
        if f"{folder}/".startswith(f"{place}/"):
            raise UnfitImage(
                f"its WORKDIR {folder} lies in {place}, where the sandbox has its own files. Choose another."
            )
    end, entry = tree.follow(folder, (*KERNEL, *MOUNTED))
    if entry and entry.kind != "folder":
        raise UnfitImage(f"its WORKDIR {folder} is a {entry.kind}. It must be a folder.")
    if entry is None and end != folder:
        raise UnfitImage(f"its WORKDIR {folder} is a link that leads to {end}, where nothing is.")
