"""Tokens, for admins."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from cepheid.service.access import needs
from cepheid.service.auth import ADMIN, SCOPES
from cepheid.service.page.asking import asked
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import Form, page_router
from cepheid.service.problems import Problem
from cepheid.service.sign_ins import PAGES

ROUTER = page_router()

MEANING = {
    "events:write": "send events",
    "profiles:write": "make, change and remove profiles",
    "notifications:read": "read what profiles tell",
    "admin": "all of it, and tokens",
}


@ROUTER.get(f"{PAGES}/tokens", dependencies=[needs(ADMIN)])
async def show_tokens(request: Request) -> Response:
    """All tokens, without themselves."""
    return await _page(request, 200)


async def _page(
    request: Request, status: int, made: str | None = None, problem: Problem | None = None
) -> Response:
    rows = await asked(request, "GET", "/tokens")
    scopes = [(scope, MEANING[scope]) for scope in SCOPES]
    return page(request, "tokens.html", status, rows=rows, scopes=scopes, made=made, problem=problem)


@ROUTER.post(f"{PAGES}/tokens", dependencies=[needs(ADMIN)])
async def make_token(request: Request, form: Form) -> Response:
    """The token itself is shown once, here."""
    body = {"name": form.get("name", ""), "scopes": form.getlist("scopes")}
    if not body["scopes"]:
        return await _page(request, 422, problem=Problem(422, "say what the token may do"))
    try:
        made = await asked(request, "POST", "/tokens", body)
    except Problem as problem:
        return await _page(request, problem.status, problem=problem)
    return await _page(request, 201, made=made["token"])


@ROUTER.post(f"{PAGES}/tokens/{{token}}/revoke", dependencies=[needs(ADMIN)])
async def revoke_token(request: Request, token: str) -> Response:
    """It is refused from now on."""
    await asked(request, "DELETE", f"/tokens/{token}")
    return RedirectResponse(f"{PAGES}/tokens", 303)
