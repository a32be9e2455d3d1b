"""Routes of pages: a problem is a page too, and every form is asked where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import ImmutableMultiDict
from starlette.responses import Response

from cepheid.service.page.entrance import expect_own_form, is_part, wants_page
from cepheid.service.page.rendering import page
from cepheid.service.problems import Problem

Fields = ImmutableMultiDict[str, str]
MOST_FIELDS = 200


class PageRoute(APIRoute):
    """A route whose problems are shown to people."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What is called for a request."""
        usual = super().get_route_handler()

        async def shown(request: Request) -> Response:
            try:
                expect_own_form(request)
                return await usual(request)
            except Problem as problem:
                if not wants_page(request):
                    raise
                return problem_page(request, problem)
            except RequestValidationError:
                if not wants_page(request):
                    raise
                return problem_page(request, Problem(422, "there is no such page"))

        return shown


def problem_page(request: Request, problem: Problem) -> Response:
    """What is wrong, as a page or a part of one."""
    name = "parts/problem.html" if is_part(request) else "problem.html"
    return page(request, name, problem.status, problem=problem)


def page_router() -> APIRouter:
    """A router of pages; programs do not hear of them."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


async def _posted(request: Request) -> Fields:
    try:
        text = (await request.body()).decode()
        found = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:
        raise Problem(400, "the form cannot be read") from None
    return Fields(found)


Form = Annotated[Fields, Depends(_posted)]
"""The fields of a form, as browsers send them."""
