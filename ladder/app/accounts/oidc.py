"""
Logging in with an identity provider: OpenID Connect, the authorization code flow with PKCE, state and nonce.

Only the issuer that the settings name is asked, and what its own description names; no redirect is followed, and
nothing that a browser brings chooses an address.
"""

from __future__ import annotations

import hmac
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from urllib3.exceptions import HTTPError

from ladder.app.accounts.provider_settings import is_safe
from ladder.errors import Forbidden, LadderError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ladder.settings.settings import Settings

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""By which a provider may sign: with a private key of its own. None of them is `none`, or takes a shared secret."""
SECONDS = 10.0
"""Seconds within which the provider must answer."""
MAX_BYTES = 1024 * 1024
LEEWAY_SECONDS = 60
"""Seconds by which the provider's clock may differ from ours."""
MAX_SUBJECT = 255
"""Characters of a subject, the provider's identifier of a person; the limit is that of OpenID Connect."""
NOT_BEGUN = "This log-in was begun in another browser, or it has taken too long. Begin again."
REFUSED = "The identity provider did not confirm who you are. Begin again, or ask the organiser of the ladder."
NO_ANSWER = "The identity provider does not answer as it should. Try again soon, or ask the organiser of the ladder."


@dataclass(frozen=True)
class Begun:
    """A log-in that a browser has begun."""

    state: str
    nonce: str
    verifier: str
    """Of PKCE: only who began it can redeem its code."""
    back: str
    """The address to which the provider sends the browser back."""


@dataclass(frozen=True)
class KnownPerson:
    """A person whom the provider has authenticated."""

    subject: str
    """Issuer, a space, and who it is there."""
    name: str
    """The name that the person has at the provider; may be anything."""


class Provider:
    """The identity provider of a ladder."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        """
        Prepare; no request is sent yet.

        Args:
            settings: They name the provider; checked by `provider_settings.check_provider`.
            clock: Gives Unix time.
        """
        self._issuer = settings.oidc_issuer.rstrip("/")
        self._client = settings.oidc_client
        secret = settings.oidc_secret.get_secret_value()
        self._credentials = (quote(self._client, safe=""), quote(secret, safe="")) if secret else None
        """Name and secret at the provider, encoded as RFC 6749, 2.3.1 says; None: the site has no secret there."""
        self._clock = clock

    def begin(self, back: str) -> tuple[str, Begun]:
        """
        Begin a log-in; gives the address to which the browser is sent, and what is to be kept for it.

        Raises:
            LadderError: If the provider does not answer.
        """
        begun = Begun(generate_token(32), generate_token(32), generate_token(48), back)
        with self._session(begun) as session, _in_words():
            address, _ = session.create_authorization_url(
                self._described()["authorization_endpoint"],
                state=begun.state,
                nonce=begun.nonce,
                code_verifier=begun.verifier,
            )
        return str(address), begun

    def finish(self, begun: Begun, answer: Mapping[str, str]) -> KnownPerson:
        """
        Redeem what the browser brings back.

        Args:
            begun: What was kept.
            answer: The query with which it comes.

        Raises:
            Forbidden: If the provider refused, or something is not as it was begun, or not the provider's.
            LadderError: If the provider does not answer.
        """
        if not hmac.compare_digest(begun.state.encode(), answer.get("state", "").encode(errors="replace")):
            raise Forbidden(NOT_BEGUN)
        described = self._described()
        if "code" not in answer or answer.get("iss", described["issuer"]) != described["issuer"]:
            raise Forbidden(REFUSED)
        with self._session(begun) as session, _in_words():
            token = session.fetch_token(
                described["token_endpoint"],
                grant_type="authorization_code",
                code=answer["code"],
                code_verifier=begun.verifier,
                auth=self._credentials,
                allow_redirects=False,
                timeout=SECONDS,
            )
        return self._known(described, begun, token)

    def _known(self, described: Mapping[str, Any], begun: Begun, token: Mapping[str, Any]) -> KnownPerson:
        keys = self._json(described["jwks_uri"])
        try:
            read = jwt.decode(str(token["id_token"]), KeySet.import_key_set(keys), algorithms=ALGORITHMS)  # type: ignore[arg-type]
            options = {"iss": {"essential": True, "value": described["issuer"]},
                       "aud": {"essential": True, "value": self._client}}  # fmt: skip
            params = {"nonce": begun.nonce, "client_id": self._client, "access_token": token.get("access_token")}
            claims = CodeIDToken(read.claims, read.header, options, params)
            claims.validate(int(self._clock()), LEEWAY_SECONDS)
        except (JoseError, KeyError, TypeError, ValueError):
            raise Forbidden(REFUSED) from None
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
            raise Forbidden(REFUSED)
        name = claims.get("preferred_username")
        return KnownPerson(f"{described['issuer']} {subject}", name[:100] if isinstance(name, str) else "")

    def _described(self) -> dict[str, Any]:
        """Fetch the issuer's description of itself."""
        found = self._json(f"{self._issuer}/.well-known/openid-configuration")
        addresses = [found.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
        is_its_own = isinstance(found.get("issuer"), str) and found["issuer"].rstrip("/") == self._issuer
        is_loopback = urlsplit(self._issuer).scheme == "http"
        if not is_its_own or not all(isinstance(each, str) and is_safe(each, is_loopback) for each in addresses):
            raise LadderError(NO_ANSWER)
        return found

    def _json(self, address: str) -> dict[str, Any]:
        with _in_words(), requests.get(address, timeout=SECONDS, allow_redirects=False, stream=True) as response:
            if response.status_code != 200:
                raise LadderError(NO_ANSWER)
            body = response.raw.read(MAX_BYTES + 1, decode_content=True)
            found = json.loads(body) if len(body) <= MAX_BYTES else None
        if not isinstance(found, dict):
            raise LadderError(NO_ANSWER)
        return found

    def _session(self, begun: Begun) -> OAuth2Session:
        return OAuth2Session(
            self._client,
            token_endpoint_auth_method="none",
            scope="openid profile",
            redirect_uri=begun.back,
            code_challenge_method="S256",
        )


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except OAuthError:
        raise Forbidden(REFUSED) from None
    except (requests.RequestException, HTTPError, ValueError, RecursionError):  # HTTPError: the raw body breaks off
        raise LadderError(NO_ANSWER) from None
