"""Who asks: the token of a request, its scopes, and how often it may ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from cepheid.service.auth import Token, TokenBook
from cepheid.service.problems import Problem
from cepheid.service.settings import Settings

BEARER = HTTPBearer(auto_error=False, description="A token, as in `Authorization: Bearer cph_…`.")


class Gate:
    """Lets in who has a token, and not too often."""

    def __init__(self, book: TokenBook, settings: Settings) -> None:
        self.book = book
        self._limiter = FixedWindowRateLimiter(MemoryStorage())
        self._requests, self._refusals = parse(settings.max_requests), parse(settings.max_refusals)

    def admit(self, request: Request, scopes: tuple[str, ...]) -> Token:
        """The token of a request, if it may do what it asks for."""
        scheme, _, text = request.headers.get("authorization", "").partition(" ")
        token = self.book.find(text.strip()) if scheme.lower() == "bearer" and text.strip() else None
        if token is None:
            self._count(self._refusals, request.client.host if request.client else "?")
            raise Problem(
                401,
                "send a token that is known here: Authorization: Bearer …",
                headers={"WWW-Authenticate": 'Bearer realm="cepheid"'},
            )
        self._count(self._requests, token.id)
        if not token.may(scopes):
            raise Problem(403, f"this token lacks the scope {' or '.join(scopes)}")
        return token

    def _count(self, limit: Any, who: str) -> None:
        if not self._limiter.hit(limit, who):
            raise Problem(429, "too many requests: wait a little", headers={"Retry-After": "1"})


def needs(*scopes: str) -> Any:
    """A dependency of a route: a token with one of these scopes; with none given, any token."""
    return Depends(asked_scopes(scopes))


def asked_scopes(scopes: tuple[str, ...]) -> Callable[..., Awaitable[Token]]:
    """The function that checks them; `scopes` on it says which they are."""

    async def admitted(request: Request, _: Annotated[Any, Depends(BEARER)]) -> Token:
        token: Token = request.app.state.service.gate.admit(request, scopes)
        return token

    admitted.scopes = scopes  # type: ignore[attr-defined]
    return admitted
