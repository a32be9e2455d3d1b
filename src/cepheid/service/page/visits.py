"""Signing in and out, and what every page is made of."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cepheid.service.access import needs
from cepheid.service.page.entrance import SIGN_IN, is_over_tls, own_page
from cepheid.service.page.rendering import page, places_of
from cepheid.service.page.routing import Form, page_router
from cepheid.service.page.statics import MEDIA, content_of
from cepheid.service.problems import Problem
from cepheid.service.running import running
from cepheid.service.sign_ins import COOKIE, PAGES

ROUTER = page_router()


@ROUTER.get(SIGN_IN)
def show_sign_in(request: Request, next: str = PAGES) -> Response:
    """Where one signs in."""
    return page(request, "sign_in.html", next=own_page(next), wrong=False)


@ROUTER.post(SIGN_IN)
async def sign_in(request: Request, form: Form) -> Response:
    """With a token."""
    gate, given = running(request).gate, form.get("token", "")
    after = own_page(form.get("next", PAGES))
    text = await run_in_threadpool(gate.sign_in, request.scope, given)
    if text is None:
        return page(request, "sign_in.html", 401, next=after, wrong=True)
    answer = RedirectResponse(after, 303)
    answer.set_cookie(COOKIE, text, httponly=True, samesite="strict", secure=is_over_tls(request), path="/")
    return answer


@ROUTER.post(f"{PAGES}/sign-out", dependencies=[needs()])
def sign_out(request: Request) -> Response:
    """The cookie means nothing any more."""
    running(request).gate.sign_ins.end(request.scope)
    answer = RedirectResponse(SIGN_IN, 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
    return answer


@ROUTER.get(PAGES, dependencies=[needs()])
def first_page(request: Request) -> Response:
    """The first page that the token may see."""
    places = places_of(request.state.token)
    return RedirectResponse(places[0][1], 303) if places else page(request, "nothing.html")


@ROUTER.get(f"{PAGES}/static/{{name}}")
def static_file(name: str) -> Response:
    """A file that pages are made of."""
    if name not in MEDIA:
        raise Problem(404, "there is no such file")
    return Response(content_of(name), media_type=MEDIA[name], headers={"Cache-Control": "max-age=86400"})
