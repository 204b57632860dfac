"""A small identity provider that is real: its own HTTP server, RSA keys, discovery, codes that are good once."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENT, SECRET = "pigpen", "provider's secret"


class OidcProvider:
    """A provider's accounts, and the lies that a test wants of it."""

    def __init__(self, address: str, key: RSAKey | None = None) -> None:
        self.address = address
        self.key = key or RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
        self.signs_with = self.key
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "1"}
        self.user: dict[str, Any] = {"sub": "248289761001", "preferred_username": "ada"}
        self.claims: dict[str, Any] = {}
        """Go before what would be true; None: left out."""
        self.description: dict[str, Any] = {}
        self.token: str | None = None
        """Is given in the place of an ID token."""
        self.redirects: set[str] = set()
        """Paths that redirect to another one."""
        self.broken_off: set[str] = set()
        """Paths whose answers end before the last byte."""
        self.garbled: set[str] = set()
        """Paths whose answers are declared as gzip, and are not."""
        self.seen: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}

    def described(self) -> dict[str, Any]:
        return {
            "issuer": self.address, "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token", "jwks_uri": f"{self.address}/jwks",
        } | self.description  # fmt: skip

    def authorize(self, asked: dict[str, str]) -> str:
        """Give the address to which the browser goes back: everybody is vouched for at once."""
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["scope"] == "openid profile"
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def redeem(self, asked: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Give the tokens for a code, once, to whom it was given."""
        known = self.codes.pop(asked.get("code", ""), None)
        challenge = hashlib.sha256(asked.get("code_verifier", "").encode()).digest()
        wanted = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if (
            known is None
            or authorization != f"Basic {wanted}"
            or known["redirect_uri"] != asked["redirect_uri"]
            or known["code_challenge"] != base64.urlsafe_b64encode(challenge).decode().rstrip("=")
        ):
            return None
        return {"access_token": "a", "token_type": "Bearer", "id_token": self.token or self.id_token(known["nonce"])}

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        true = {"iss": self.address, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": nonce, **self.user}
        claims = {name: value for name, value in (true | self.claims).items() if value is not None}
        return jwt.encode(self.header, claims, self.signs_with, algorithms=[self.header["alg"]])


@contextmanager
def oidc_provider() -> Iterator[OidcProvider]:
    """One that listens on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def log_message(self, *_: Any) -> None:
            pass

        def _answer(self, body: str) -> None:
            parts = urlsplit(self.path)
            provider.seen.append(parts.path)
            if parts.path in provider.redirects:
                self._send(302, {}, f"{provider.address}/other")
            elif parts.path == "/authorize":
                self._send(302, {}, provider.authorize(dict(parse_qsl(parts.query))))
            elif parts.path == "/token":
                found = provider.redeem(dict(parse_qsl(body)), self.headers.get("Authorization", ""))
                self._send(200 if found else 400, found or {"error": "invalid_grant"})
            elif parts.path == "/jwks":
                self._send(200, {"keys": [provider.key.as_dict(private=False)]})
            elif parts.path == "/.well-known/openid-configuration":
                self._send(200, provider.described())
            else:
                self._send(404, {})

        def _send(self, status: int, value: Any, location: str = "") -> None:
            body, path = json.dumps(value).encode(), urlsplit(self.path).path
            missing = 10 if path in provider.broken_off else 0
            self.send_response(status)
            if path in provider.garbled:
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) + missing))
            if location:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = OidcProvider(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=[0.05], daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
