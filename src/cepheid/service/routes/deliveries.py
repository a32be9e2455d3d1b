"""Deliveries of a profile: what was delivered by webhook and channel, what was not, trying again, and new
secrets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from sqlalchemy import func, select, update

from cepheid.service import subscriptions
from cepheid.service.access import needs
from cepheid.service.auth import NOTIFICATIONS, PROFILES, Token
from cepheid.service.moments import shown
from cepheid.service.problems import Problem
from cepheid.service.repeats import DESCRIBED, key_of, once
from cepheid.service.running import running
from cepheid.service.tables import DELIVERIES as ALL
from cepheid.service.tables import ENDPOINTS
from cepheid.service.tables import NOTIFICATIONS as TOLD
from cepheid.service.turn import Turn

ROUTER = APIRouter(tags=["webhooks"])

DAY = 24 * 3600 * 10**6
LAST_ID = 2**63 - 1


@ROUTER.get(
    "/profiles/{profile}/deliveries",
    summary="Deliveries by webhook and channel",
    dependencies=[needs(NOTIFICATIONS)],
)
def list_deliveries(
    request: Request,
    profile: str,
    status: Literal["pending", "delivered", "failed"] | None = None,
    before: Annotated[int, Query(ge=1, le=LAST_ID)] = LAST_ID,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[dict[str, Any]]:
    """The newest first; go on with `before`, the id of the last one."""
    columns: list[Any] = [ALL, ENDPOINTS.c.url, ENDPOINTS.c.channel, TOLD.c.match_id, TOLD.c.time]
    wanted = (TOLD.c.profile == profile) & (ALL.c.id < before)
    if status is not None:
        wanted &= ALL.c.status == status
    joined = ALL.join(TOLD).join(ENDPOINTS, ENDPOINTS.c.id == ALL.c.endpoint)
    found = select(*columns).select_from(joined).where(wanted).order_by(ALL.c.id.desc()).limit(limit)
    with running(request).store.reading() as connection:
        subscriptions.found(connection, profile)
        return [_shown(row) for row in connection.execute(found)]


def _shown(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "notification": row.notification,
        "match_id": row.match_id,
        "time": shown(row.time),
        **({"webhook": row.url} if row.channel is None else {"channel": row.channel}),
        "status": row.status,
        "attempts": row.attempts,
        "next": shown(row.due) if row.status == "pending" else None,
        "outcome": row.outcome,
    }


@ROUTER.post(
    "/profiles/{profile}/deliveries/{delivery}/replay",
    status_code=202,
    summary="Deliver again",
    openapi_extra=DESCRIBED,
)
async def replay_delivery(
    request: Request, profile: str, delivery: int, own: Annotated[Token, needs(PROFILES)]
) -> dict[str, Any]:
    """At once, with the same webhook-id; an endpoint that was switched off is switched on again."""
    key = await key_of(request, own)

    def act(turn: Turn) -> dict[str, Any]:
        mine = select(ALL.c.endpoint).join(TOLD).where((ALL.c.id == delivery) & (TOLD.c.profile == profile))
        endpoint = turn.connection.execute(mine).scalar() if 0 < delivery <= LAST_ID else None
        if endpoint is None:
            raise Problem(404, "this profile has no such delivery")
        again = {"status": "pending", "attempts": 0, "due": turn.at}
        turn.connection.execute(update(ALL).where(ALL.c.id == delivery).values(**again))
        off = {"disabled": None, "disabled_reason": None}
        turn.connection.execute(update(ENDPOINTS).where(ENDPOINTS.c.id == endpoint).values(**off))
        turn.afterwards.append(lambda: None)
        return {"id": delivery, "status": "pending"}

    done: dict[str, Any] = await running(request).engine.do(lambda turn: once(turn, key, act))
    return done


@ROUTER.post("/profiles/{profile}/secret", summary="Replace the secret", openapi_extra=DESCRIBED)
async def replace_secret(
    request: Request, profile: str, own: Annotated[Token, needs(PROFILES)]
) -> dict[str, str]:
    """The new secret is shown once, here. For a day, webhooks are signed with both."""
    secret, key = subscriptions.fresh_secret(), await key_of(request, own)

    def act(turn: Turn) -> dict[str, Any]:
        subscriptions.found(turn.connection, profile)
        mine = (ENDPOINTS.c.profile == profile) & ENDPOINTS.c.channel.is_(None)
        if not turn.connection.execute(select(func.count()).where(mine)).scalar():
            raise Problem(409, "this profile has no webhook")
        changes = {"old_secret": ENDPOINTS.c.secret, "old_until": turn.at + DAY, "secret": secret}
        turn.connection.execute(update(ENDPOINTS).where(mine).values(**changes))
        return {"secret": secret}

    done: dict[str, str] = await running(request).engine.do(lambda turn: once(turn, key, act))
    return done
