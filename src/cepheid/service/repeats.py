"""Requests with an Idempotency-Key: done once, and answered as before when they are repeated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from sqlalchemy import bindparam, delete, insert, select

from cepheid.service.auth import Token
from cepheid.service.problems import Problem
from cepheid.service.settings import microseconds
from cepheid.service.tables import ANSWERS
from cepheid.service.turn import Turn

LONGEST_KEY = 255

Answer = dict[str, Any]
Act = Callable[[Turn], Answer]
Again = Callable[[Turn, Answer], None]

DESCRIBED: dict[str, Any] = {
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "schema": {"type": "string", "maxLength": LONGEST_KEY},
            "description": "A request that is repeated with its key is answered as before, and done once.",
        }
    ]
}
"""What routes that take a key say of it in the OpenAPI document."""


@dataclass(frozen=True, slots=True)
class RequestKey:
    """By what a request is known when it comes again."""

    owner: str  # the id of its token
    text: str
    digest: str  # another request may not have the same key


async def key_of(request: Request, token: Token) -> RequestKey | None:
    """The key that a request has, if it has one."""
    text = request.headers.get("idempotency-key")
    if text is None:
        return None
    if not 1 <= len(text) <= LONGEST_KEY:
        raise Problem(400, f"an Idempotency-Key has 1 to {LONGEST_KEY} characters")
    about: list[Any] = [request.method, request.url.path, request.headers.get("content-type")]
    about += [pair for pair in sorted(request.headers.items()) if pair[0].startswith("ce-")]
    return RequestKey(token.id, text, digest_of(about, await request.body()))


def digest_of(about: Sequence[Any], body: bytes) -> str:
    """What tells a request from another one."""
    found = hashlib.sha256(json.dumps(about).encode())
    found.update(body)
    return found.hexdigest()


def once(turn: Turn, key: RequestKey | None, act: Act, again: Again = lambda turn, kept: None) -> Answer:
    """Do what a request asks, unless it was done; the answer that it has, or had.

    `again` does what a repeat needs beside the answer that was kept.
    """
    if key is None:
        return act(turn)
    kept = _kept(turn, key)
    if kept is not None:
        again(turn, kept)
        return kept
    answer = act(turn)
    row = {"token": key.owner, "key": key.text, "digest": key.digest, "body": json.dumps(answer)}
    turn.connection.execute(_KEEP, row | {"made": turn.at})
    return answer


def forget(turn: Turn, key: RequestKey) -> None:
    """Let a key be used anew."""
    turn.connection.execute(_FORGET, {"whose": key.owner, "which": key.text})


def _kept(turn: Turn, key: RequestKey) -> Answer | None:
    row = turn.connection.execute(_FIND, {"whose": key.owner, "which": key.text}).first()
    if row is None:
        return None
    if row.made < turn.at - microseconds(turn.settings.keep_answers):
        forget(turn, key)
        return None
    if row.digest != key.digest:
        raise Problem(422, "another request had this Idempotency-Key: use a new key for a new request")
    found: Answer = json.loads(row.body)
    return found


# Made once: to put a statement together takes longer than to run it.
_THIS = (ANSWERS.c.token == bindparam("whose")) & (ANSWERS.c.key == bindparam("which"))
_KEEP, _FIND, _FORGET = insert(ANSWERS), select(ANSWERS).where(_THIS), delete(ANSWERS).where(_THIS)
