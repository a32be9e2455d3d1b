"""Who asks: the token of a request, its scopes, and how often it may ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.types import Scope

from cepheid.service.auth import Token, TokenBook
from cepheid.service.problems import Problem
from cepheid.service.settings import Settings

OPEN = frozenset({"/health", "/ready"})
"""Paths that ask for no token."""

BEARER = HTTPBearer(auto_error=False, description="A token, as in `Authorization: Bearer cph_…`.")


class Gate:
    """Lets in who has a token, and not too often."""

    def __init__(self, book: TokenBook, settings: Settings) -> None:
        self.book = book
        self._limiter = FixedWindowRateLimiter(MemoryStorage())
        self._requests, self._refusals = parse(settings.max_requests), parse(settings.max_refusals)

    def admit(self, scope: Scope) -> Token:
        """The token of a request; asked before anything of its body is read."""
        headers = (value for name, value in scope["headers"] if name == b"authorization")
        scheme, _, text = next(headers, b"").partition(b" ")
        token = self.book.find(text.strip()) if scheme.lower() == b"bearer" and text.strip() else None
        if token is None:
            self._count(self._refusals, str((scope.get("client") or "?")[0]))
            raise Problem(
                401,
                "send a token that is known here: Authorization: Bearer …",
                headers={"WWW-Authenticate": 'Bearer realm="cepheid"'},
            )
        self._count(self._requests, token.id)
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
        token: Token = request.state.token
        if not token.may(scopes):
            raise Problem(403, f"this token lacks the scope {' or '.join(scopes)}")
        return token

    admitted.scopes = scopes  # type: ignore[attr-defined]
    return admitted
