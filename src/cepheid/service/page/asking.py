"""The routes of programs, asked from inside with the token of whoever is signed in.

So a page can do nothing that its token could not do without it, and says what those routes say.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.types import Message

from cepheid.service.problems import Problem


async def asked(request: Request, method: str, path: str, body: Any = None, **query: Any) -> Any:
    """The answer as JSON; a refusal is raised as the problem that it is."""
    waiting = [{"type": "http.request", "body": b"" if body is None else json.dumps(body).encode()}]
    status, parts = 500, []

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        else:
            parts.append(message.get("body", b""))

    wanted = {name: value for name, value in query.items() if value is not None}
    scope = {
        **{
            name: request.scope[name]
            for name in ("type", "asgi", "http_version", "scheme", "client", "server")
        },
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": urlencode(wanted).encode(),
        "headers": [(b"content-type", b"application/json"), (b"accept", b"application/json")],
        "app": request.app,
        "state": {"token": request.state.token},
    }
    await request.app(scope, receive, send)
    answer = json.loads(b"".join(parts) or b"null")
    if status >= 400:
        raise problem_of(status, answer)
    return answer


def problem_of(status: int, answer: Any) -> Problem:
    """A refusal as it was raised."""
    told = answer if isinstance(answer, dict) else {}
    more = {name: value for name, value in told.items() if name not in ("type", "title", "status", "detail")}
    return Problem(status, str(told.get("detail", "it was refused")), **more)
