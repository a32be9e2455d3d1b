"""Who comes in: what a browser without a sign-in is told, and forms that come from elsewhere."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from cepheid.service.problems import Problem
from cepheid.service.sign_ins import PAGES, bearer_of, takes_cookie

SIGN_IN = f"{PAGES}/sign-in"


def wants_page(request: Request) -> bool:
    """Whether a browser asks, which shows pages, and not a program."""
    return "text/html" in request.headers.get("accept", "")


def is_part(request: Request) -> bool:
    """Whether htmx asks for a part of a page."""
    return "hx-request" in request.headers


def turned_away(scope: Scope, problem: Problem) -> Response:
    """The answer to a request that is not let in: a browser is led to where one signs in."""
    request = Request(scope)
    if problem.status != 401 or not takes_cookie(scope["path"]) or not wants_page(request):
        return problem.response()
    if is_part(request):
        return Response(status_code=401, headers={"HX-Redirect": SIGN_IN})
    asked = scope["path"] if request.method == "GET" and scope["path"] != "/" else PAGES
    return RedirectResponse(f"{SIGN_IN}?next={quote(asked)}", 303)


def own_page(path: str) -> str:
    """Where to go after signing in: a page of ours, whatever the address says."""
    plain = urlsplit(path)
    is_ours = plain.path == PAGES or plain.path.startswith(PAGES + "/")
    is_safe = not plain.scheme and not plain.netloc and "\\" not in path and path.isprintable()
    return plain.path if is_ours and is_safe and plain.path != SIGN_IN else PAGES


def expect_own_form(request: Request) -> None:
    """A form must come from a page of this service: a browser says in `Origin` where it comes from.

    A request with a token in its header was made by a program, which no other site can bring about.
    """
    is_program = bearer_of(request.scope) is not None and request.url.path != SIGN_IN
    if request.method != "POST" or is_program:
        return
    origin, host = request.headers.get("origin", ""), request.headers.get("host", "")
    if not host or urlsplit(origin).netloc.lower() != host.lower():
        raise Problem(403, "this form does not come from a page of this service (Origin)")


def is_over_tls(request: Request) -> bool:
    """Whether the browser speaks TLS, also through a proxy."""
    return request.headers.get("origin", "").startswith("https:") or request.url.scheme == "https"
