"""An editor with Python's completion, as contestants use one: a client of the language server of basedpyright."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from pathlib import Path

SERVER = (sys.executable, "-c", "from basedpyright.langserver import main; main()", "--stdio")


class Editor:
    """A text in an editor, for a Python of its own. What the editor shows is plain text."""

    def __init__(self, file: Path, text: str, python: Path) -> None:
        """Open *text* as *file*, which need not exist, with the environment of *python*."""
        self._uri = file.as_uri()
        self._text = text
        self._python = str(python)
        self._requests = 0
        self._server = subprocess.Popen(SERVER, cwd=file.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        folder = {"uri": file.parent.as_uri(), "name": "bot"}
        formats = {"contentFormat": ["plaintext"]}
        signature = {"signatureInformation": {"documentationFormat": ["plaintext"]}}
        self._ask(
            "initialize",
            processId=None,
            rootUri=folder["uri"],
            workspaceFolders=[folder],
            capabilities={
                "workspace": {"configuration": True, "workspaceFolders": True},
                "textDocument": {"hover": formats, "signatureHelp": signature},
            },
        )
        self._send(method="initialized", params={})
        document = {"uri": self._uri, "languageId": "python", "version": 0, "text": text}
        self._send(method="textDocument/didOpen", params={"textDocument": document})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ask("shutdown")
        self._send(method="exit")
        with self._server as server:
            assert server.stdin is not None
            server.stdin.close()

    def hover(self, before: str) -> str:
        """Give the text for the name with which *before* ends: its kind, its type and its docs."""
        found = self._ask("textDocument/hover", **self._cursor(before, -1))
        return str(found["contents"]["value"]) if found else ""

    def signature(self, before: str) -> dict[str, Any]:
        """The signature of the call that begins after the text *before*."""
        found = self._ask("textDocument/signatureHelp", **self._cursor(before))
        signature: dict[str, Any] = found["signatures"][0]
        return signature

    def completions(self, before: str) -> dict[str, dict[str, Any]]:
        """Give the completions after the text *before*, by their names."""
        found = self._ask("textDocument/completion", **self._cursor(before))
        return {item["label"]: item for item in found["items"]}

    def docs(self, completion: dict[str, Any]) -> str:
        """Give the text beside a completion: its type and its docs."""
        found = self._ask("completionItem/resolve", **completion)
        return str(found.get("documentation", {}).get("value", ""))

    def _cursor(self, before: str, offset: int = 0) -> dict[str, Any]:
        """The first place where a line ends with *before*, which may be several lines."""
        lines = self._text[: self._text.index(f"{before}\n") + len(before)].split("\n")
        return {
            "textDocument": {"uri": self._uri},
            "position": {"line": len(lines) - 1, "character": len(lines[-1]) + offset},
        }

    def _ask(self, method: str, **params: Any) -> Any:
        """Send a request and return its result. Meanwhile answer what the server asks."""
        self._requests += 1
        self._send(id=self._requests, method=method, params=params)
        while True:
            message = self._receive()
            if "method" not in message:
                assert message["id"] == self._requests, message
                return message["result"]
            if "id" in message:
                self._send(id=message["id"], result=self._answer(message))

    def _answer(self, request: dict[str, Any]) -> Any:
        if request["method"] != "workspace/configuration":
            return None
        python = {"python": {"pythonPath": self._python}}
        return [python.get(item.get("section"), {}) for item in request["params"]["items"]]

    def _send(self, **message: Any) -> None:
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._server.stdin is not None
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self._server.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._server.stdout is not None
        length = 0
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the language server has ended"
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        return message
