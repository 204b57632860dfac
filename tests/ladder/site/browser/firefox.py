"""
Firefox, as Debian has it, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).

Playwright needs a Firefox of its own, and Debian has no geckodriver; but Firefox itself speaks BiDi.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tornado.websocket import WebSocketClientConnection

PROGRAMS = ("firefox-esr", "firefox")
LISTENS = re.compile(r"WebDriver BiDi listening on (ws://127\.0\.0\.1:\d+)")
QUIET = {
    "app.update.enabled": False,
    "app.normandy.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "ui.prefersReducedMotion": 1,
}
"""Settings without which it asks for things on the network, or moves what tests look at."""


def program() -> str | None:
    """Find Firefox; None if it is not installed."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class WrongAnswer(Exception):
    """Firefox refused a command, or a script of the test failed."""


class Firefox:
    """
    One window of a running Firefox; its methods wait.

    Attributes:
        errors: What scripts of pages reported as errors, or failed with.
    """

    def __init__(self, address: str) -> None:
        self.errors: list[str] = []
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._window = ""

    def start(self) -> None:
        """Connect to it, and begin a session."""
        self._thread.start()
        self._connection = self._wait(self._connect())
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=["log.entryAdded"])
        self._window = self.command("browsingContext.getTree")["contexts"][0]["context"]

    def close(self) -> None:
        """End the session."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def command(self, method: str, **values: object) -> dict[str, Any]:
        """Send a command, and wait for its answer."""
        answer: dict[str, Any] = self._wait(self._send(method, values))
        return answer

    def goto(self, address: str) -> None:
        """Open a page, and wait until it is loaded."""
        self.command("browsingContext.navigate", context=self._window, url=address, wait="complete")

    def size(self, width: int, height: int) -> None:
        """Give the page a size."""
        self.command("browsingContext.setViewport", context=self._window, viewport={"width": width, "height": height})

    def evaluate(self, script: str, *values: object) -> Any:
        """Call a function of the page with plain values, and give its plain result."""
        called = f"async () => JSON.stringify(await ({script})(...{json.dumps(values)})) ?? null"
        answer = self.command(
            "script.callFunction", functionDeclaration=called, awaitPromise=True, target={"context": self._window}
        )
        if answer["type"] != "success":
            raise WrongAnswer(answer["exceptionDetails"]["text"])
        text = answer["result"].get("value")
        return None if text is None else json.loads(text)

    def until(self, script: str, *values: object) -> Any:
        """Wait until a function of the page gives something true."""
        found: list[Any] = []

        def there() -> bool:
            found[:] = [self.evaluate(script, *values)]
            return bool(found[0])

        until(there)
        return found[0]

    def click(self, selector: str, place: int = 0) -> None:
        """Press and release the mouse in the middle of an element that is seen there."""
        x, y = self.until(MIDDLE, selector, place)
        actions = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        pointer = {"type": "pointer", "id": "mouse", "actions": actions}
        self.command("input.performActions", context=self._window, actions=[pointer])

    def picture(self, path: Path) -> None:
        """Write what is seen to a file, for people who look for a failure."""
        found = self.command("browsingContext.captureScreenshot", context=self._window)
        path.write_bytes(base64.b64decode(found["data"]))

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _connect(self) -> WebSocketClientConnection:
        from tornado.websocket import websocket_connect

        return await websocket_connect(f"{self._address}/session", on_message_callback=self._take)

    async def _send(self, method: str, values: dict[str, object]) -> dict[str, Any]:
        number = len(self._waiting) + 1
        self._waiting[number] = self._loop.create_future()
        await self._connection.write_message(json.dumps({"id": number, "method": method, "params": values}))
        answer = await self._waiting[number]
        if answer["type"] != "success":
            raise WrongAnswer(f"{method}: {answer['error']}: {answer['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _take(self, text: str | bytes | None) -> None:
        if text is None:
            return
        message = json.loads(text)
        if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
            self.errors.append(str(message["params"]["text"]))
        elif "id" in message:
            self._waiting[message["id"]].set_result(message)


MIDDLE = """(selector, place) => {
  const element = document.querySelectorAll(selector)[place];
  if (!element?.checkVisibility()) return null;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const box = element.getBoundingClientRect();
  const spot = [Math.floor(box.left + Math.min(box.width / 2, 8)), Math.floor(box.top + Math.min(box.height / 2, 16))];
  const found = document.elementFromPoint(...spot);
  return found && (element.contains(found) || found.contains(element)) ? spot : null;
}"""
"""A spot near the upper left corner of an element, where fanned cards show; null as long as it is not seen."""


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Start Firefox with a new profile, without windows."""
    name = program()
    assert name
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in QUIET.items()]
        Path(folder, "user.js").write_text("\n".join(lines))
        log = Path(folder, "log")
        with log.open("w") as output:
            process = subprocess.Popen(
                [name, "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"],
                stdout=output,
                stderr=output,
                env={"HOME": folder, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
            )
        try:
            until(lambda: LISTENS.search(log.read_text()) or process.poll() is not None)
            found = LISTENS.search(log.read_text())
            assert found, log.read_text()
            window = Firefox(found[1])
            window.start()
            yield window
            window.close()
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()
                process.wait()
