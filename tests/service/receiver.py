"""A receiver of webhooks on this machine."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Got = tuple[str, dict[str, str], bytes]


class Receiver:
    """Takes webhooks, and answers by their path: /ok, /503/2 (fails twice), /410, /302, /429/1."""

    def __init__(self) -> None:
        self.got: list[Got] = []
        outer = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.got.append((self.path, headers, body))
                status, extra = outer.answer(self.path)
                self.send_response(status)
                for name, value in extra.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, path: str) -> tuple[int, dict[str, str]]:
        words = path.strip("/").split("/")
        if words[0] == "ok":
            return 204, {}
        if words[0] == "302":
            return 302, {"Location": f"{self.address}/ok/redirected"}
        if words[0] in ("503", "429") and len(self.of(path)) > int(words[1]):
            return 200, {}
        return int(words[0]), {"Retry-After": "1"} if words[0] == "429" else {}

    def of(self, path: str) -> list[Got]:
        return [each for each in self.got if each[0] == path]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
