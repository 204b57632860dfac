"""An identity provider of Authlib's server classes: discovery, authorization code, PKCE, nonce, signed ID tokens."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from authlib.common.security import generate_token
from authlib.oauth2.rfc6749 import AuthorizationServer, ClientMixin, OAuth2Error, OAuth2Request
from authlib.oauth2.rfc6749.errors import InvalidRequestError
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from authlib.oidc.core import AuthorizationCodeMixin, OpenIDCode, UserInfo
from authlib.oidc.discovery import OpenIDProviderMetadata
from joserfc.jwk import ECKey, RSAKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from joserfc.jwk import KeyParameters

CLIENT, SECRET = "pigpen", "provider's 100%25 secret: +"
BACK = "http://site.test/login/oidc/callback"
"""The one address to which the provider sends browsers back."""
SCOPES = ["openid", "profile"]
CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}


@cache
def signing_key(algorithm: str) -> RSAKey | ECKey:
    """Give the key with which the provider signs by an algorithm, always the same one."""
    parameters: KeyParameters = {"kid": algorithm, "use": "sig", "alg": algorithm}
    if curve := CURVES.get(algorithm):
        return ECKey.generate_key(curve, parameters)
    return RSAKey.generate_key(2048, parameters)


class OidcProvider:
    """A provider's accounts, and the mistakes that a test has it make."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.algorithm = "RS256"
        self.secret = SECRET
        """Empty: the site is a public client."""
        self.user: dict[str, Any] | None = {"sub": "248289761001", "preferred_username": "ada"}
        """None: who comes is not let in."""
        self.forge: Callable[[str], str] = str
        """Changes the ID token that Authlib has made."""
        self.description: dict[str, Any] = {}
        """Goes before the true description."""
        self.redirects: set[str] = set()
        """Paths that redirect to another one."""
        self.broken_off: set[str] = set()
        """Paths whose answers end before the last byte."""
        self.garbled: set[str] = set()
        """Paths whose answers are declared as gzip, and are not."""
        self.seen: list[str] = []
        self.codes: dict[str, Code] = {}
        self.nonces: set[str] = set()
        self.server = Server(self)

    @property
    def key(self) -> RSAKey | ECKey:
        return signing_key(self.algorithm)

    def described(self) -> dict[str, Any]:
        true = OpenIDProviderMetadata({
            "issuer": self.address, "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token", "jwks_uri": f"{self.address}/jwks",
            "scopes_supported": SCOPES, "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", self.algorithm],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": True,
        })  # fmt: skip
        true.validate()
        return {**true, **self.description}

    def answer(self, request: Request) -> Answer:
        """Answer a request that is well-behaved as HTTP."""
        path = urlsplit(request.uri).path
        if path == "/authorize":
            return self._authorized(request)
        if path == "/token":
            answer: Answer = self.server.create_token_response(request)
            return answer
        if path == "/jwks":
            return Answer(200, {"keys": [self.key.as_dict(private=False)]})
        if path == "/.well-known/openid-configuration":
            return Answer(200, self.described())
        return Answer(404, {})

    def _authorized(self, request: Request) -> Answer:
        try:
            grant = self.server.get_consent_grant(request, self.user)
        except OAuth2Error as error:
            refusal: Answer = self.server.handle_error_response(request, error)
            return refusal
        answer: Answer = self.server.create_authorization_response(request, self.user, grant)
        return answer


@dataclass
class Answer:
    status: int
    body: Any
    location: str = ""


class Request(OAuth2Request):  # type: ignore[misc]
    """A request as Authlib reads it."""

    def __init__(self, method: str, uri: str, body: str, headers: Any) -> None:
        super().__init__(method, uri, headers=headers)
        self.payload = BasicOAuth2Payload(dict(parse_qsl(body or urlsplit(uri).query)))

    @property
    def form(self) -> Any:
        return self.payload.data


@dataclass(frozen=True)
class Client(ClientMixin):  # type: ignore[misc]
    """The site, as it is registered at the provider."""

    secret: str

    def get_client_id(self) -> str:
        return CLIENT

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri == BACK

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == self.secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == ("client_secret_basic" if self.secret else "none")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass(frozen=True)
class Code(AuthorizationCodeMixin):  # type: ignore[misc]
    """A code, and the request for which it was given."""

    code: str
    request: Request

    def get_redirect_uri(self) -> Any:
        return self.request.payload.redirect_uri

    def get_scope(self) -> Any:
        return self.request.scope

    def get_nonce(self) -> Any:
        return self.request.payload.data["nonce"]

    def get_auth_time(self) -> None:
        return None


class CodeGrant(AuthorizationCodeGrant):  # type: ignore[misc]
    """Codes that are good once, for whom they were given to."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "none")

    def save_authorization_code(self, code: str, request: Request) -> None:
        self.server.provider.codes[code] = Code(code, request)
        self.server.provider.nonces.add(request.payload.data["nonce"])

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        found: Code | None = self.server.provider.codes.get(code)
        return found

    def delete_authorization_code(self, authorization_code: Code) -> None:
        del self.server.provider.codes[authorization_code.code]

    def authenticate_user(self, authorization_code: Code) -> Any:
        return authorization_code.request.user


class Challenge(CodeChallenge):  # type: ignore[misc]
    """PKCE by S256 and nothing else; required of clients with a secret, too."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: CodeGrant, redirect_uri: str) -> None:
        if not {"code_challenge", "code_challenge_method"} <= set(grant.request.payload.data):
            raise InvalidRequestError("PKCE is required.")
        super().validate_code_challenge(grant, redirect_uri)

    def get_authorization_code_challenge(self, authorization_code: Code) -> Any:
        return authorization_code.request.payload.data["code_challenge"]

    def get_authorization_code_challenge_method(self, authorization_code: Code) -> Any:
        return authorization_code.request.payload.data["code_challenge_method"]


class IdToken(OpenIDCode):  # type: ignore[misc]
    """ID tokens; a nonce is required, and good once."""

    def __init__(self, provider: OidcProvider) -> None:
        super().__init__(require_nonce=True)
        self.provider = provider

    def exists_nonce(self, nonce: str, request: Request) -> bool:
        return nonce in self.provider.nonces

    def resolve_client_private_key(self, client: Client) -> RSAKey | ECKey:
        return self.provider.key

    def get_client_algorithm(self, client: Client) -> str:
        return self.provider.algorithm

    def get_encode_header(self, client: Client) -> Any:
        return {**super().get_encode_header(client), "kid": self.provider.key.kid}

    def get_client_claims(self, client: Client) -> dict[str, Any]:
        return {"iss": self.provider.address}

    def generate_user_info(self, user: dict[str, Any], scope: str) -> Any:
        return UserInfo(user).filter(scope)

    def encode_id_token(self, token: Any, request: Request) -> str:
        return self.provider.forge(super().encode_id_token(token, request))


class Issuer(IssuerParameter):  # type: ignore[misc]
    """The provider's name beside each code."""

    def __init__(self, server: Server) -> None:
        self.provider = server.provider
        self(server)

    def get_issuer(self) -> str:
        return self.provider.address


class Server(AuthorizationServer):  # type: ignore[misc]
    """Authlib's server, without a framework of pages."""

    def __init__(self, provider: OidcProvider) -> None:
        super().__init__(scopes_supported=SCOPES)
        self.provider = provider
        self.register_token_generator("default", BearerTokenGenerator(lambda **_: generate_token(42)))
        self.register_grant(CodeGrant, [Challenge(), IdToken(provider)])
        self.register_extension(Issuer)

    def query_client(self, client_id: str) -> Client | None:
        return Client(self.provider.secret) if client_id == CLIENT else None

    def create_oauth2_request(self, request: Request) -> Request:
        return request

    def handle_response(self, status: int, body: Any, headers: list[tuple[str, str]]) -> Answer:
        return Answer(status, body, dict(headers).get("Location", ""))

    def save_token(self, token: Any, request: Request) -> None:
        """Forget access tokens: the provider has nothing else to give for them."""

    def send_signal(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Tell it to none."""


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
            path = urlsplit(self.path).path
            provider.seen.append(path)
            if path in provider.redirects:
                self._send(Answer(302, {}, f"{provider.address}/other"))
            else:
                self._send(provider.answer(Request(self.command, f"{provider.address}{self.path}", body, self.headers)))

        def _send(self, answer: Answer) -> None:
            body, path = json.dumps(answer.body).encode(), urlsplit(self.path).path
            missing = 10 if path in provider.broken_off else 0
            self.send_response(answer.status)
            if path in provider.garbled:
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) + missing))
            if answer.location:
                self.send_header("Location", answer.location)
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
