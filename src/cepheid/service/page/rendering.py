"""Templates become answers. Everything in them is escaped, and no script or style stands in a page itself."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from cepheid.service.auth import ADMIN, NOTIFICATIONS, PROFILES, Token
from cepheid.service.page.statics import address_of
from cepheid.service.page.words import DURATIONS, moment, plural, shown_value
from cepheid.service.sign_ins import PAGES

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin"}
"""A form of a page that tells nobody where it comes from would have no Origin."""

PLACES = (
    ("Profiles", f"{PAGES}/profiles", (PROFILES, NOTIFICATIONS)),
    ("New profile", f"{PAGES}/profiles/new", (PROFILES,)),
    ("Feed", f"{PAGES}/feed", (NOTIFICATIONS,)),
    ("Deliveries", f"{PAGES}/deliveries", (NOTIFICATIONS,)),
    ("Tokens", f"{PAGES}/tokens", (ADMIN,)),
)
"""What stands at the top of every page, for whoever may see it."""

TEMPLATES = Environment(
    loader=PackageLoader("cepheid.service.page"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters |= {"moment": moment, "value": shown_value, "plural": plural}
TEMPLATES.globals |= {"pages": PAGES, "units": DURATIONS, "static": address_of}


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A whole page, or a part of one."""
    return HTMLResponse(rendered(request, template, **values), status, headers=HEADERS)


def rendered(request: Request, template: str, **values: Any) -> str:
    """The text of a template."""
    token: Token | None = getattr(request.state, "token", None)
    given = {
        "token": token,
        "path": request.url.path,
        "places": places_of(token),
        "may_write": token is not None and token.may((PROFILES,)),
        "may_read": token is not None and token.may((NOTIFICATIONS,)),
    }
    return TEMPLATES.get_template(template).render(given | values)


def places_of(token: Token | None) -> list[tuple[str, str]]:
    """Where this token leads to."""
    if token is None:
        return []
    return [(name, path) for name, path, scopes in PLACES if token.may(scopes)]
