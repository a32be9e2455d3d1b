"""Who may do what: tokens, which are kept as hashes, and their scopes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from cepheid.service.store import now
from cepheid.service.tables import TOKENS

EVENTS, PROFILES, NOTIFICATIONS, ADMIN = "events:write", "profiles:write", "notifications:read", "admin"
SCOPES = (EVENTS, PROFILES, NOTIFICATIONS, ADMIN)

PREFIX = "cph_"
DIGITS = string.digits + string.ascii_letters
RANDOM, CHECK = 40, 6  # digits


@dataclass(frozen=True, slots=True)
class Token:
    """A token as the service knows it: not the token itself."""

    id: str
    name: str
    scopes: frozenset[str]
    digest: str
    made: int

    def may(self, scopes: Iterable[str]) -> bool:
        """Whether it has one of these scopes, or all of them as an admin; no scope is asked of everybody."""
        wanted = set(scopes)
        return not wanted or ADMIN in self.scopes or bool(self.scopes & wanted)

    def shown(self) -> dict[str, object]:
        """What may be told of it."""
        return {"id": self.id, "name": self.name, "scopes": sorted(self.scopes), "created": self.made}


def fresh_token() -> str:
    """A token: a prefix by which leaked ones are found, 238 random bits, and a checksum."""
    body = PREFIX + "".join(secrets.choice(DIGITS) for _ in range(RANDOM))
    return body + checksum(body)


def checksum(body: str) -> str:
    """Six digits that tell a token from a text that only looks like one."""
    rest, found = zlib.crc32(body.encode()), ""
    for _ in range(CHECK):
        rest, digit = divmod(rest, len(DIGITS))
        found = DIGITS[digit] + found
    return found


def is_well_formed(token: str) -> bool:
    """Whether the service could have made this token."""
    return token.startswith(PREFIX) and checksum(token[:-CHECK]) == token[-CHECK:]


def digest_of(token: str | bytes) -> str:
    """What is kept of a token. It is random, so a plain hash of it cannot be guessed back."""
    return hashlib.sha256(token.encode() if isinstance(token, str) else token).hexdigest()


class TokenBook:
    """All tokens, in memory: every request asks for one."""

    def __init__(self) -> None:
        self._tokens: tuple[Token, ...] = ()

    def load(self, connection: Connection) -> None:
        """Read them anew."""
        rows = connection.execute(select(TOKENS).order_by(TOKENS.c.made, TOKENS.c.id))
        self._tokens = tuple(
            Token(row.id, row.name, frozenset(row.scopes.split()), row.digest, row.made) for row in rows
        )

    def find(self, token: str | bytes) -> Token | None:
        """The token with this text. All are compared, each in constant time."""
        digest, found = digest_of(token).encode(), None
        for each in self._tokens:
            if hmac.compare_digest(each.digest.encode(), digest):
                found = each
        return found

    def __iter__(self) -> Iterator[Token]:
        return iter(self._tokens)


def add_token(
    connection: Connection, name: str, scopes: Iterable[str], token: str, *, given: bool = False
) -> str:
    """Keep a token; its id."""
    found, listed = f"t{secrets.token_hex(8)}", " ".join(sorted(set(scopes)))
    row = {"id": found, "name": name, "scopes": listed, "digest": digest_of(token)}
    connection.execute(insert(TOKENS).values(**row, given=given, made=now()))
    return found


def replace_token(connection: Connection, name: str, token: str) -> bool:
    """Give a token another text; False if it is there no more."""
    this = update(TOKENS).where(TOKENS.c.id == name)
    return bool(connection.execute(this.values(digest=digest_of(token))).rowcount)


def first_token(connection: Connection, given: str | None) -> str | None:
    """Make sure that somebody can sign in: with the token of the environment, which replaces the one that
    was there before, or else with a new one, if there is none at all. Only a new one is returned."""
    with connection.begin():
        if given is not None:
            known = connection.execute(select(TOKENS.c.id).where(TOKENS.c.digest == digest_of(given))).first()
            if known is None:
                connection.execute(delete(TOKENS).where(TOKENS.c.given))
                add_token(connection, "admin", [ADMIN], given, given=True)
            return None
        if connection.execute(select(TOKENS.c.id).limit(1)).first() is not None:
            return None
        token = fresh_token()
        add_token(connection, "first", [ADMIN], token)
        return token
