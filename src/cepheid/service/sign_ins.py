"""Browsers that are signed in: a cookie with a random text, which stands for a token until it ends.

The token itself is never in the browser's keeping. Sign-ins are in memory alone: after a restart of the
service, people sign in again.
"""

from __future__ import annotations

import hashlib
import secrets
import time

from starlette.requests import cookie_parser
from starlette.types import Scope

from cepheid.service.auth import Token, TokenBook

COOKIE = "cepheid_sign_in"
LASTS = 12 * 3600.0  # seconds
MOST = 10_000

PAGES = "/page"
"""Where the pages are. A cookie counts there, and where one can only look; nowhere else."""

LOOKED_AT = frozenset({"/", "/docs", "/openapi.json"})


def takes_cookie(path: str) -> bool:
    """Whether a cookie counts at this path; the routes of programs want a token in a header."""
    return path == PAGES or path.startswith(PAGES + "/") or path in LOOKED_AT


class SignIns:
    """Who is signed in, by the hash of the cookie's text."""

    def __init__(self, book: TokenBook) -> None:
        self._book = book
        self._known: dict[str, tuple[str, float]] = {}

    def begin(self, token: Token) -> str:
        """A new sign-in; the text of its cookie."""
        while len(self._known) >= MOST:
            del self._known[next(iter(self._known))]
        text = secrets.token_urlsafe(32)
        self._known[_digest(text)] = (token.id, time.monotonic() + LASTS)
        return text

    def end(self, scope: Scope) -> None:
        """Sign out."""
        self._known.pop(_digest(cookie_of(scope)), None)

    def find(self, scope: Scope) -> Token | None:
        """The token that a request's cookie stands for, as long as it is neither revoked nor too old."""
        known = self._known.get(_digest(cookie_of(scope)))
        if known is None or time.monotonic() > known[1]:
            return None
        return next((token for token in self._book if token.id == known[0]), None)


def cookie_of(scope: Scope) -> str:
    """The text of our cookie, or nothing."""
    for name, value in scope["headers"]:
        if name == b"cookie":
            found = cookie_parser(value.decode("latin-1")).get(COOKIE)
            if found is not None:
                return found
    return ""


def bearer_of(scope: Scope) -> bytes | None:
    """The token in a request's header. A browser never sends one by itself, as it does other headers of
    this name and cookies."""
    for name, value in scope["headers"]:
        scheme, _, text = value.partition(b" ")
        if name == b"authorization" and scheme.lower() == b"bearer":
            return bytes(text.strip())
    return None


def _digest(text: str) -> str:
    """What is looked up, so that the time of a look-up says nothing of the text."""
    return hashlib.sha256(text.encode()).hexdigest()
