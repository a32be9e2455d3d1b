"""Addresses of pages that are not there."""

from fastapi import Request
from starlette.responses import Response

from cepheid.service.access import needs
from cepheid.service.page.routing import page_router
from cepheid.service.problems import Problem
from cepheid.service.sign_ins import PAGES

ROUTER = page_router()


@ROUTER.get(f"{PAGES}/{{rest:path}}", dependencies=[needs()])
def not_there(request: Request, rest: str) -> Response:
    """Say so on a page."""
    raise Problem(404, "there is no such page")
