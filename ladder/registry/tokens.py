"""Tokens for the registry, as the distribution specification has them: signed by the ladder, valid for minutes."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.registry.names import is_repository

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.registry.keys import RegistryKey

ISSUER = SERVICE = "pigpen"
ACTIONS = ("pull", "push")
"""Actions of people; only the ladder may delete."""
DELETE = "delete"
"""The action of the ladder alone, while no one else can reach the registry."""
TOKEN_SECONDS = 300.0
LADDER_SECONDS = 3600.0
"""Seconds that the ladder's own tokens are valid: a task may wait before its images are pulled."""
MAX_SCOPES = 20
EARLY_SECONDS = 30.0
"""Clocks differ a little."""
_SCOPE = re.compile(r"repository:(?P<name>[^:\s]{1,300}):(?P<actions>[a-z*,]{1,100})")


@dataclass(frozen=True)
class Access:
    """Actions that are allowed with one repository."""

    repository: str
    actions: tuple[str, ...]


def allowed(scopes: Iterable[str], namespace: str) -> tuple[Access, ...]:
    """
    Reduce requested scopes to the allowed ones: to pull and push in the account's own namespace.

    >>> allowed(["repository:ada/trotter:pull,push,delete", "registry:catalog:*"], "ada")
    (Access(repository='ada/trotter', actions=('pull', 'push')),)
    >>> allowed(["repository:bob/snout:pull"], "ada")
    ()
    """
    found = [_SCOPE.fullmatch(scope) for scope in " ".join(scopes).split(" ")[:MAX_SCOPES]]
    own = [
        Access(each["name"], tuple(action for action in ACTIONS if action in each["actions"].split(",")))
        for each in found
        if each and is_repository(each["name"]) and each["name"].partition("/")[0] == namespace
    ]
    return tuple(access for access in own if access.actions)


def sign(key: RegistryKey, account: str, access: Iterable[Access], now: float, seconds: float = TOKEN_SECONDS) -> str:
    """
    Make a token.

    Args:
        key: The ladder's.
        account: Who gets it; empty: the ladder itself.
        access: What it allows.
        now: Unix time.
        seconds: Seconds that it is valid.
    """
    from joserfc import jwt  # most ladders have no registry, and it takes long
    from joserfc.jwk import ECKey

    claims = {
        "iss": ISSUER,
        "sub": account,
        "aud": SERVICE,
        "iat": int(now),
        "nbf": int(now - EARLY_SECONDS),
        "exp": int(now + seconds),
        "jti": secrets.token_urlsafe(12),
        "access": [{"type": "repository", "name": each.repository, "actions": list(each.actions)} for each in access],
    }
    header = {"alg": "ES256", "typ": "JWT", "x5c": key.chain}
    return jwt.encode(header, claims, ECKey.import_key(key.private), algorithms=["ES256"])
