"""Names of images in the ladder's registry: each owner has a namespace of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ladder.errors import LadderError, UserError

ENCODED = "x--"
"""So begin the namespaces of owners whose names cannot stand in the name of an image."""
OWN = "pigpen"
"""The namespace of the ladder itself, for images that it has built; no owner's."""
MAX_NAMESPACE, MAX_REPOSITORY = 160, 230
"""Characters; a registry takes 255 in all."""
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_NAMESPACE = re.compile(_PART)
_REPOSITORY = re.compile(rf"{_PART}(?:/{_PART})+")
_IMAGE = re.compile(
    rf"(?P<repository>{_PART}(?:/{_PART})+)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}}))?"
    r"(?:@(?P<digest>sha256:[0-9a-f]{64}))?"
)
_ADDRESS = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\]):[0-9]{1,5}")


@dataclass(frozen=True)
class ImageName:
    """An image in the ladder's registry."""

    repository: str
    """`ada/trotter`."""
    reference: str
    """A tag, or a digest: ``sha256:…``."""

    @property
    def namespace(self) -> str:
        """The namespace, which is its owner's."""
        return self.repository.partition("/")[0]

    @property
    def is_digest(self) -> bool:
        """True if it names one image for ever."""
        return self.reference.startswith("sha256:")

    def __str__(self) -> str:
        """Write it as people do."""
        return f"{self.repository}{'@' if self.is_digest else ':'}{self.reference}"


def namespace_of(owner: str) -> str:
    """
    Give the first part of the names of an owner's images: no two owners have the same.

    It is the owner's name if that can stand there; else `x--` and the name's bytes (UTF-8) in hexadecimal.

    >>> namespace_of("ada"), namespace_of("Ada"), namespace_of("x--416461"), namespace_of("pigpen")
    ('ada', 'x--416461', 'x--782d2d343136343631', 'x--70696770656e')

    Raises:
        LadderError: If the name is too long for that.
    """
    if _NAMESPACE.fullmatch(owner) and not owner.startswith(ENCODED) and owner != OWN:
        return owner
    namespace = ENCODED + owner.encode().hex()
    if len(namespace) > MAX_NAMESPACE:
        raise LadderError(f"The owner's name {owner!r} is too long for names of images. Submit a folder instead.")
    return namespace


def own_repository(of: str) -> str:
    """
    Name the repository for an image that the ladder has built, or that only one of its engines has.

    >>> own_repository("sha256:" + "0123456789" * 6 + "abcd")
    'pigpen/0123456789012345678901234567890123456789'

    Args:
        of: The hash of what it was built from, or its id.
    """
    return f"{OWN}/{of.removeprefix('sha256:')[:40]}"


def is_address(text: str) -> bool:
    """Tell whether *text* is a host with a port, which an engine takes for a registry, not for a name on Docker Hub."""
    return _ADDRESS.fullmatch(text) is not None and 0 < int(text.rpartition(":")[2]) < 1 << 16


def is_repository(name: str) -> bool:
    """Tell whether *name* is a valid name of a repository in an account's namespace."""
    return len(name) <= MAX_REPOSITORY and _REPOSITORY.fullmatch(name) is not None


def own_image(text: str, owner: str, registry: str) -> ImageName:
    """
    Read the name of an image of *owner*'s in the ladder's registry.

    >>> own_image("arena.example:5000/ada/trotter", "ada", "arena.example:5000")
    ImageName(repository='ada/trotter', reference='latest')

    Args:
        text: What was typed: `owner/name:tag` or `owner/name@sha256:…`; the registry's address may stand before it.
        owner: Whose image it must be.
        registry: The registry's address.

    Raises:
        UserError: If it names something else, such as an image of another registry.
    """
    namespace = namespace_of(owner)
    found = _IMAGE.fullmatch(text.removeprefix(f"{registry}/"))
    if found is None or not is_repository(found["repository"]) or found["repository"].partition("/")[0] != namespace:
        raise UserError(
            f"{text!r} is not one of your images in the ladder's registry. Their names are {namespace}/NAME:TAG or "
            f"{namespace}/NAME@sha256:…; to put one there: pigpen push IMAGE"
        )
    return ImageName(found["repository"], found["digest"] or found["tag"] or "latest")


def in_registry(reference: str, registry: str) -> ImageName | None:
    """
    Read a full image reference; None if it is not of the ladder's registry.

    >>> str(in_registry("127.0.0.1:5000/ada/trotter:1", "127.0.0.1:5000"))
    'ada/trotter:1'
    """
    if not registry or not reference.startswith(f"{registry}/"):
        return None
    found = _IMAGE.fullmatch(reference.removeprefix(f"{registry}/"))
    if found is None or not is_repository(found["repository"]):
        return None
    return ImageName(found["repository"], found["digest"] or found["tag"] or "latest")


def proves_owner(reference: str, owner: str, registry: str) -> bool:
    """Tell whether only *owner* can have put what a full reference names into the ladder's registry."""
    image = in_registry(reference, registry)
    try:
        return image is not None and image.namespace == namespace_of(owner)
    except LadderError:
        return False
