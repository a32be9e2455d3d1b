"""What can be wrong with a request, as `application/problem+json` tells it (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from cepheid.errors import CepheidError, QueryError

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """A request that is not granted, and why."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = status, detail, headers, more

    def response(self) -> JSONResponse:
        """The answer to the request."""
        body = {"type": "about:blank", "title": HTTPStatus(self.status).phrase, "status": self.status}
        body |= {"detail": self.detail} | self.more
        return JSONResponse(body, self.status, headers=dict(self.headers or {}), media_type=MEDIA_TYPE)


def of_query(error: CepheidError) -> Problem:
    """What is wrong with a profile, and where in its query."""
    if not isinstance(error, QueryError):
        return Problem(422, str(error), message=str(error), line=None, column=None)
    message = error.message if error.hint is None else f"{error.message}; {error.hint}"
    return Problem(422, str(error), message=message, line=error.line, column=error.column)


def busy(detail: str, seconds: int = 1) -> Problem:
    """Not now, but soon."""
    return Problem(503, detail, headers={"Retry-After": str(seconds)})
