"""Tokens, for admins."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from sqlalchemy import delete, select
from starlette.responses import Response

from cepheid.service.access import needs
from cepheid.service.auth import ADMIN, Token, add_token, fresh_token, replace_token
from cepheid.service.bodies import TokenBody
from cepheid.service.moments import shown
from cepheid.service.problems import Problem
from cepheid.service.repeats import DESCRIBED, key_of, once
from cepheid.service.running import running
from cepheid.service.tables import TOKENS
from cepheid.service.turn import Turn

ROUTER = APIRouter(tags=["tokens"])


@ROUTER.post("/tokens", status_code=201, summary="Make a token", openapi_extra=DESCRIBED)
async def create_token(
    request: Request, body: TokenBody, own: Annotated[Token, needs(ADMIN)]
) -> dict[str, Any]:
    """The token itself is shown once, here. It is kept as a hash, so a request that is repeated with its
    Idempotency-Key gets a new text for the same token, and the text before is void."""
    service, token, key = running(request), fresh_token(), await key_of(request, own)

    def make(turn: Turn) -> dict[str, Any]:
        made = add_token(turn.connection, body.name, body.scopes, token)
        return {"id": made, "name": body.name, "scopes": sorted(set(body.scopes))}

    def again(turn: Turn, kept: dict[str, Any]) -> None:
        if not replace_token(turn.connection, kept["id"], token):
            raise Problem(409, "the token that this request made was revoked: use a new Idempotency-Key")

    def act(turn: Turn) -> dict[str, Any]:
        turn.afterwards.append(lambda: service.reload_tokens())
        return once(turn, key, make, again)

    made: dict[str, Any] = await service.engine.do(act)
    return made | {"token": token}


@ROUTER.get("/tokens", summary="List tokens", dependencies=[needs(ADMIN)])
def list_tokens(request: Request) -> list[dict[str, Any]]:
    """All tokens, without themselves."""
    return [each.shown() | {"created": shown(each.made)} for each in running(request).gate.book]


@ROUTER.delete("/tokens/{token}", status_code=204, summary="Revoke a token")
async def revoke_token(request: Request, token: str, own: Annotated[Token, needs(ADMIN)]) -> Response:
    """It is refused from now on."""
    service = running(request)

    def act(turn: Turn) -> None:
        known = turn.connection.execute(select(TOKENS.c.id).where(TOKENS.c.id == token)).first()
        if known is None:
            raise Problem(404, f"there is no token {token[:40]!r}")
        if token == own.id:
            raise Problem(409, "a token cannot revoke itself: sign in with another one")
        turn.connection.execute(delete(TOKENS).where(TOKENS.c.id == token))
        turn.afterwards.append(lambda: service.reload_tokens())

    await service.engine.do(act)
    return Response(status_code=204)
