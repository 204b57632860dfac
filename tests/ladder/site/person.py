"""A person with a browser, and a program with a token, at a site in this process."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import httpx
from argon2 import PasswordHasher

from ladder.app.accounts.passwords import Passwords
from ladder.serving.application import make_app

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.site.server.headers import EveryResponse

BASE = "http://site.test"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]*)"')
PASSWORD = "correct horse"


def quick_passwords() -> Passwords:
    """Hashes in a millisecond, for tests alone."""
    return Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


class Person:
    """A browser that keeps cookies, and fills forms in as they come."""

    def __init__(self, ladder: Ladder, app: EveryResponse | None = None, base: str = BASE, address: str = "192.0.2.7"):
        self.app = app or make_app(ladder, passwords=quick_passwords())
        self.base = base
        self.address = address
        self.cookies = httpx.Cookies()

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send a request; the cookies that come back are kept."""
        response = asyncio.run(self._ask(method, path, more))
        self.cookies.extract_cookies(response)
        return response

    def get(self, path: str, **headers: str) -> httpx.Response:
        """Ask for a path; headers have ``_`` for ``-``."""
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def send(self, page: str, action: str | None = None, **fields: str) -> httpx.Response:
        """Send a form of a page, with what the page has in the field `csrf`."""
        found = CSRF.search(self.get(page).text)
        return self.post(action or page, **({"csrf": found[1]} if found else {}) | fields)

    def post(self, path: str, **fields: str) -> httpx.Response:
        """Send a form from a page of the site."""
        return self.ask("POST", path, data=fields, headers={"Origin": self.base})

    def upload(self, name: str, packed: bytes, **fields: str) -> httpx.Response:
        """Send a bot's folder, packed, with the form of `/me`."""
        found = CSRF.search(self.get("/me").text)
        data = ({"csrf": found[1]} if found else {}) | {"name": name} | fields
        files = {"bot": ("my folder.tar.gz", packed, "application/gzip")}
        return self.ask("POST", "/me/submissions", data=data, files=files, headers={"Origin": self.base})

    def log_in(self, name: str, password: str = PASSWORD, page: str = "/login") -> httpx.Response:
        """Log in."""
        return self.send(page, "/login", name=name, password=password)

    async def _ask(self, method: str, path: str, more: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False, client=(self.address, 1))
        async with httpx.AsyncClient(transport=transport, base_url=self.base, cookies=self.cookies) as client:
            return await client.request(method, path, **more)


class Program:
    """A program that has a token, or none."""

    def __init__(self, ladder: Ladder, token: str = "", app: EveryResponse | None = None):
        self._browser = Person(ladder, app)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, method: str, path: str, value: Any = None) -> httpx.Response:
        """Ask the API."""
        return self._browser.ask(method, f"/api/v1{path}", headers=self._headers, json=value)
