"""Around every request: no body without a token or beyond the limit, and headers that keep browsers from
guessing."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cepheid.service.access import Gate, is_open
from cepheid.service.page.entrance import turned_away
from cepheid.service.problems import Problem

HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
]


class Envelope:
    """An application inside these bounds."""

    def __init__(self, app: ASGIApp, gate: Gate, most: int) -> None:
        self._app, self._gate, self._most = app, gate, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._most:
                raise self._too_large()
            return message

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", []))
                named = {name for name, _ in own}  # a page has its own policy
                message["headers"] = own + [each for each in HEADERS if each[0] not in named]
            await send(message)

        try:
            state = scope.setdefault("state", {})
            if "token" not in state and not is_open(scope["path"]):  # a page asks for whom it has let in
                state["token"] = self._gate.admit(scope)
            if self._announced(scope) > self._most:
                raise self._too_large()
        except Problem as problem:
            await turned_away(scope, problem)(scope, receive, marked)
            return
        await self._app(scope, limited, marked)

    @staticmethod
    def _announced(scope: Scope) -> int:
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit():
                return int(value)
        return 0

    def _too_large(self) -> Problem:
        return Problem(413, f"a body has at most {self._most:,} bytes")
