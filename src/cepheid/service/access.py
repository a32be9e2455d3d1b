"""Who asks: the token of a request, its scopes, and how often it may ask."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from starlette.types import Scope

from cepheid.service.auth import Token, TokenBook
from cepheid.service.problems import Problem
from cepheid.service.rates import Rate
from cepheid.service.settings import Settings
from cepheid.service.sign_ins import PAGES, SignIns, bearer_of, takes_cookie

OPEN = frozenset({"/health", "/ready", f"{PAGES}/sign-in"})
"""Paths that ask for no token."""

OPEN_FOLDER = f"{PAGES}/static/"
"""What the page of signing in is made of; nothing in it is secret."""


def is_open(path: str) -> bool:
    """Whether no token is asked for."""
    return path in OPEN or (path.startswith(OPEN_FOLDER) and path.count("/") == OPEN_FOLDER.count("/"))


BEARER = HTTPBearer(auto_error=False, description="A token, as in `Authorization: Bearer cph_…`.")


class Gate:
    """Lets in who has a token, and not too often."""

    def __init__(self, book: TokenBook, settings: Settings) -> None:
        self.book = book
        self.sign_ins = SignIns(book)
        self._requests, self._refusals = Rate(settings.max_requests), Rate(settings.max_refusals)

    def admit(self, scope: Scope) -> Token:
        """The token of a request; asked before anything of its body is read."""
        text = bearer_of(scope)
        if text is not None:
            token = self.book.find(text) if text else None
        else:
            token = self.sign_ins.find(scope) if takes_cookie(scope["path"]) else None
        if token is None:
            self._refuse(scope)
            raise Problem(
                401,
                "send a token that is known here: Authorization: Bearer …",
                headers={"WWW-Authenticate": 'Bearer realm="cepheid"'},
            )
        self._count(self._requests, token.id)
        return token

    def sign_in(self, scope: Scope, text: str) -> str | None:
        """The text of a new cookie for whoever knows a token. A wrong one counts as a refusal."""
        token = self.book.find(text.strip()) if text.strip() else None
        if token is None:
            self._refuse(scope)
            return None
        return self.sign_ins.begin(token)

    def is_in(self, scope: Scope, token: Token) -> bool:
        """Whether a request that was let in would be let in again, for answers that go on for long."""
        known = bearer_of(scope) is not None or self.sign_ins.find(scope) is not None
        return known and any(each.id == token.id for each in self.book)

    def _refuse(self, scope: Scope) -> None:
        self._count(self._refusals, str((scope.get("client") or "?")[0]))

    def _count(self, rate: Rate, who: str) -> None:
        if not rate.hit(who):
            raise Problem(429, "too many requests: wait a little", headers={"Retry-After": "1"})


def needs(*scopes: str) -> Any:
    """A dependency of a route: a token with one of these scopes; with none given, any token."""
    return Depends(asked_scopes(scopes))


def permitted(request: Request, *scopes: str) -> Token:
    """The token of a request, if it has one of these scopes."""
    token: Token = request.state.token
    if not token.may(scopes):
        raise Problem(403, f"this token lacks the scope {' or '.join(scopes)}")
    return token


def asked_scopes(scopes: tuple[str, ...]) -> Callable[..., Awaitable[Token]]:
    """The function that checks them; `scopes` on it says which they are."""

    async def admitted(request: Request, _: Annotated[Any, Depends(BEARER)]) -> Token:
        return permitted(request, *scopes)

    admitted.scopes = scopes  # type: ignore[attr-defined]
    return admitted
