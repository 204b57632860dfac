"""Every bad image and why it is refused, and odd ones that are fit: a tar of a few entries, and settings."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from tarfile import BLKTYPE, CHRTYPE, DIRTYPE, FIFOTYPE, REGTYPE, SYMTYPE

import docker

from ladder.sandbox.docker.limits import SEAT_FOLDER

SEAT = SEAT_FOLDER.removeprefix("/")
USER = b"bot:x:65532:65532::/bot:/bin/sh\n"


@dataclass(frozen=True)
class Entry:
    """One entry of an image's tar."""

    kind: bytes
    content: bytes = b""
    target: str = ""
    device: tuple[int, int] = (0, 0)


FOLDER, PIPE = Entry(DIRTYPE), Entry(FIFOTYPE)
ZERO, DISK = Entry(CHRTYPE, device=(1, 5)), Entry(BLKTYPE, device=(7, 0))


def file(content: bytes = b"x") -> Entry:
    """A file with a content."""
    return Entry(REGTYPE, content)


def link(target: str) -> Entry:
    """A symbolic link."""
    return Entry(SYMTYPE, target=target)


@dataclass(frozen=True)
class Image:
    """An image that nobody has built."""

    why: str = ""
    """Part of the reason for which it is refused, as a regular expression; empty: it is fit."""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    config: Mapping[str, object] | None = field(default_factory=dict)
    """Its settings beside a command; None: it has not even that."""


def etc(name: str, entry: Entry, **others: Entry) -> dict[str, Entry]:
    """A tree with one thing in /etc, and others beside /etc."""
    return {"etc": FOLDER, **others, f"etc/{name}": entry}


def run(entry: Entry) -> dict[str, Entry]:
    """A tree with one thing where the seat's folder is mounted."""
    return {"run": FOLDER, SEAT: entry}


PROC_FD = "/proc/self/fd/9"
OWN_PROC = {"proc": FOLDER, "proc/self": link("/safe"), "safe": FOLDER, "safe/x": file(USER)}
"""An image whose own /proc is read by the engine, while a program in the container reads the kernel's."""

BAD_IMAGES: Mapping[str, Image] = {
    # What the engine opens at each start: a pipe hangs it for everybody.
    "passwd_is_a_pipe": Image("/etc/passwd is a named pipe", etc("passwd", PIPE)),
    "group_is_a_pipe": Image("/etc/group is a named pipe", etc("group", PIPE)),
    "passwd_is_a_device": Image("/etc/passwd is a device", etc("passwd", ZERO)),
    "group_is_a_disk": Image("/etc/group is a device", etc("group", DISK)),
    "passwd_is_a_folder": Image("/etc/passwd is a folder", etc("passwd", FOLDER)),
    "passwd_is_huge": Image("1,048,577 bytes", etc("passwd", file(b"\n" * (1024 * 1024 + 1)))),
    "group_is_huge": Image("1,310,720 bytes", etc("group", file(USER * 40_960))),
    "passwd_has_a_long_line": Image("a line of more than 65,535 bytes", etc("passwd", file(b"x" * 65_536 + b"\n"))),
    "passwd_leads_to_a_long_line": Image(
        "/etc/passwd has a line of more than 65,535 bytes",
        etc("passwd", link("users"), **{"etc/users": file(b"x" * 65_536)}),
    ),
    "passwd_leads_to_a_pipe": Image("/etc/passwd is a named pipe", etc("passwd", link("../pipe"), pipe=PIPE)),
    "passwd_leads_past_nothing_to_a_pipe": Image(
        "/etc/passwd is a named pipe", etc("passwd", link("/none/../pipe"), pipe=PIPE)
    ),
    "passwd_leads_to_a_descriptor": Image("leads into /proc", etc("passwd", link(PROC_FD))),
    "passwd_leads_to_zero": Image("leads into /dev", etc("passwd", link("/dev/zero"))),
    "passwd_leads_to_two_things": Image("leads into /proc", etc("passwd", link("/proc/self/x"), **OWN_PROC)),
    "passwd_leads_to_tmp": Image("leads into /tmp", etc("passwd", link("/tmp/x"), tmp=FOLDER)),
    "passwd_leads_to_the_seat": Image(f"leads into {SEAT_FOLDER}", etc("passwd", link(f"{SEAT_FOLDER}/x"))),
    "passwd_leads_up": Image("/etc/passwd is a folder", etc("passwd", link("../../.."))),
    "passwd_leads_to_itself": Image("link lead to itself", etc("passwd", link("passwd"))),
    # What the engine lays a file of its own over.
    "hosts_is_a_folder": Image("/etc/hosts is a folder", etc("hosts", FOLDER)),
    "hostname_is_a_folder": Image("/etc/hostname is a folder", etc("hostname", FOLDER)),
    "resolv_conf_is_a_folder": Image("/etc/resolv.conf is a folder", etc("resolv.conf", FOLDER)),
    # Where the sandbox mounts its own.
    "seat_is_a_file": Image("is, or lies in, a file", run(file())),
    "seat_is_a_pipe": Image("is, or lies in, a named pipe", run(PIPE)),
    "seat_is_a_link": Image("is, or lies in, a link", run(link("/data"))),
    "seat_leads_to_proc": Image("is, or lies in, a link", run(link("/proc"))),
    "seat_leads_to_a_descriptor": Image("is, or lies in, a link", run(link(PROC_FD))),
    "seat_leads_up": Image("is, or lies in, a link", run(link("../../.."))),
    "seat_leads_to_itself": Image("link lead to itself", run(link(SEAT_FOLDER))),
    "run_is_a_file": Image("is, or lies in, a file", {"run": file()}),
    "run_is_a_pipe": Image("is, or lies in, a named pipe", {"run": PIPE}),
    "run_leads_to_proc": Image("/run is a link that leads into /proc", {"run": link("/proc")}),
    "run_leads_to_sys": Image("/run is a link that leads into /sys", {"run": link("sys")}),
    "run_leads_to_dev": Image("/run is a link that leads into /dev", {"run": link("../dev")}),
    "run_leads_to_tmp": Image("/run is a link that leads into /tmp", {"tmp": FOLDER, "run": link("/tmp")}),
    "tmp_is_a_file": Image("/tmp is, or lies in, a file", {"tmp": file()}),
    "tmp_is_a_pipe": Image("/tmp is, or lies in, a named pipe", {"tmp": PIPE}),
    "tmp_leads_to_proc": Image("/tmp is, or lies in, a link", {"tmp": link("/proc")}),
    "tmp_leads_to_dev": Image("/tmp is, or lies in, a link", {"tmp": link("/dev")}),
    "tmp_leads_up": Image("/tmp is, or lies in, a link", {"tmp": link("..")}),
    # Where it wants to be started.
    "works_in_a_descriptor": Image("WORKDIR /proc/self/fd/9 lies in /proc", config={"WorkingDir": PROC_FD}),
    "works_in_a_descriptor_round_about": Image("lies in /proc", config={"WorkingDir": f"/../x/../{PROC_FD}"}),
    "works_in_a_link_to_a_descriptor": Image("leads into /proc", {"w": link("/proc/self/fd/8")}, {"WorkingDir": "/w"}),
    "works_in_two_places": Image(
        "leads into /proc", {**OWN_PROC, "w": link("/proc/self/fd/8")}, {"WorkingDir": "/w/x"}
    ),
    "works_in_the_seat": Image(f"lies in {SEAT_FOLDER}", config={"WorkingDir": f"{SEAT_FOLDER}/x"}),
    "works_in_sys": Image("lies in /sys", config={"WorkingDir": "/sys/x"}),
    "works_in_a_device": Image("lies in /dev", config={"WorkingDir": "/dev/null"}),
    "works_in_a_file": Image("WORKDIR /w is a file", {"w": file()}, {"WorkingDir": "/w"}),
    "works_below_a_file": Image("/w is a file, where a folder", {"w": file()}, {"WorkingDir": "/w/x"}),
    "works_in_a_pipe": Image("WORKDIR /w is a named pipe", {"w": PIPE}, {"WorkingDir": "/w"}),
    "works_in_a_loop": Image("link lead to itself", {"w": link("w")}, {"WorkingDir": "/w"}),
    "works_nowhere": Image("where nothing is", {"w": link("/none/../proc")}, {"WorkingDir": "/w"}),
    "works_in_a_long_name": Image("no absolute path", config={"WorkingDir": "/" + "a" * 300}),
    "works_in_a_long_path": Image("no absolute path", config={"WorkingDir": "/a" * 2000}),
    "works_in_a_relative_path": Image("no absolute path", config={"WorkingDir": "bot"}),
    "works_in_a_nul": Image("no absolute path", config={"WorkingDir": "/w\0x"}),
    # Its settings: 30,000 variables cost the engine a minute.
    "has_many_variables": Image("more than 256 variables", config={"Env": [f"A{n}=" for n in range(300)]}),
    "has_a_huge_variable": Image("more than 65,536 letters", config={"Env": ["A=" + "x" * 140_000]}),
    "has_huge_labels": Image("more than 65,536 letters", config={"Labels": {"a": "x" * 140_000}}),
    "has_a_huge_command": Image("more than 65,536 letters", config={"Cmd": ["/bot", "x" * 140_000]}),
    "has_many_arguments": Image("more than 256 variables", config={"Cmd": ["/bot"] * 300}),
    "has_a_nul_in_a_variable": Image("NUL character", config={"Env": ["A=\0"]}),
    "has_a_nul_in_its_command": Image("NUL character", config={"Entrypoint": ["/bot\0"]}),
    "has_a_nul_in_a_label": Image(
        r"label 'pigpen\.variants' holds a character", config={"Labels": {"pigpen.variants": "gongzhu\0"}}
    ),
    "has_an_escape_in_a_label": Image(r"label 'pigpen\.key' holds", config={"Labels": {"pigpen.key": "\x1b[31m"}}),
    "has_a_nameless_variable": Image("'=x', which is not NAME=value", config={"Env": ["=x"]}),
}

BAD_SETTINGS = [
    "works_in_a_long_name", "works_in_a_long_path", "works_in_a_relative_path", "works_in_a_nul",
    *(name for name in BAD_IMAGES if name.startswith("has_")),
]  # fmt: skip
"""Those that are refused whatever the image holds."""

FIT_IMAGES: Mapping[str, Image] = {
    "empty": Image(),
    "users_are_a_link": Image(
        entries=etc("passwd", link("/lib/passwd"), lib=FOLDER, **{"lib/passwd": file(USER * 4096)})
    ),
    "users_lead_nowhere": Image(entries=etc("passwd", link("/none"))),
    "users_are_just_small_enough": Image(entries=etc("passwd", file(b"\n" * 1024 * 1024))),
    "etc_is_a_pipe": Image(entries={"etc": PIPE, "dev": PIPE, "proc": PIPE, "sys": PIPE}),
    "etc_is_a_link": Image(entries={"etc": link("/proc"), "dev": link("/proc"), "proc": link("..")}),
    "files_of_the_engine_are_pipes": Image(
        entries={"etc": FOLDER} | {f"etc/{name}": PIPE for name in ("hosts", "hostname", "resolv.conf", "mtab")}
    ),
    "files_of_the_engine_are_links": Image(
        entries={"etc": FOLDER} | {f"etc/{name}": link(PROC_FD) for name in ("hosts", "hostname", "mtab")}
    ),
    "mtab_is_a_folder": Image(entries={"etc": FOLDER, "etc/mtab": FOLDER, ".dockerenv": FOLDER}),
    "devices_are_pipes": Image(
        entries={"dev": FOLDER} | {f"dev/{name}": PIPE for name in ("shm", "mqueue", "pts", "console", "null")}
    ),
    "devices_are_links": Image(
        entries={"dev": FOLDER} | {f"dev/{name}": link("/proc") for name in ("shm", "mqueue", "pts", "console")}
    ),
    "proc_has_content": Image(entries=OWN_PROC),
    "seat_is_a_folder": Image(entries=run(FOLDER) | {f"{SEAT}/x": file()}),
    "run_is_a_link": Image(entries={"var": FOLDER, "var/run": FOLDER, "run": link("var/run")}),
    "works_in_a_link": Image(entries={"d": FOLDER, "w": link("d")}, config={"WorkingDir": "/w"}),
    "works_in_tmp": Image(config={"WorkingDir": "/tmp/x"}),
}


def together(*names: str) -> Image:
    """An image that is odd in several ways."""
    images = [FIT_IMAGES[name] for name in names]
    config = {key: value for image in images for key, value in (image.config or {}).items()}
    return Image(entries={path: entry for image in images for path, entry in image.entries.items()}, config=config)


FIT_TOGETHER: Mapping[str, Image] = {
    "pipes_and_folders": together(
        "users_are_just_small_enough", "files_of_the_engine_are_pipes", "devices_are_pipes", "proc_has_content",
        "seat_is_a_folder", "works_in_tmp",
    ),
    "links": together(
        "users_are_a_link", "files_of_the_engine_are_links", "devices_are_links", "run_is_a_link", "works_in_a_link"
    ),
    "folders": together("users_lead_nowhere", "mtab_is_a_folder"),
    "no_folders_but_pipes": together("etc_is_a_pipe"),
    "no_folders_but_links": together("etc_is_a_link"),
}  # fmt: skip
"""All of them but the empty one, in as few images as they fit into."""


def settings(image: Image) -> dict[str, object]:
    """The settings of an image that has some."""
    return {"Cmd": ["/bot"], **(image.config or {})}


def load_image(client: docker.DockerClient, tag: str, image: Image) -> None:
    """Have an image on the engine that only looks like one: its program does not exist."""
    layer = _tar(image.entries)
    config = {
        "architecture": client.version()["Arch"],
        "os": "linux",
        "config": None if image.config is None else settings(image),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    texts = {"config.json": json.dumps(config), "manifest.json": json.dumps(manifest)}
    client.images.load(_tar({name: file(text.encode()) for name, text in texts.items()} | {"layer.tar": file(layer)}))


def _tar(entries: Mapping[str, Entry]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, entry in entries.items():
            info = tarfile.TarInfo(name)
            info.type, info.mode, info.size, info.linkname = entry.kind, 0o755, len(entry.content), entry.target
            info.devmajor, info.devminor = entry.device
            tar.addfile(info, io.BytesIO(entry.content))
    return packed.getvalue()
