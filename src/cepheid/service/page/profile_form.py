"""Writing a profile: its text is checked while one writes, and tried over the recorded events beside it."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from markupsafe import Markup
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from cepheid.service.access import needs
from cepheid.service.auth import PROFILES
from cepheid.service.bodies import ProfileBody
from cepheid.service.page.asking import asked
from cepheid.service.page.profile_fields import CONSUME, ProfileFields
from cepheid.service.page.rendering import page
from cepheid.service.page.routing import Form, page_router
from cepheid.service.page.seen import LatelySeen, seen_lately
from cepheid.service.page.shapes import SHAPES, filled
from cepheid.service.page.words import moment
from cepheid.service.problems import Problem
from cepheid.service.routes.profiles import checked
from cepheid.service.running import running
from cepheid.service.sign_ins import PAGES
from cepheid.views.bars import Bar, bars_svg

ROUTER = page_router()

MOST_BARS = 24 * 31
EVENT = "query-made"  # what the page hears when a text was made from blanks


@ROUTER.get(f"{PAGES}/profiles/new", dependencies=[needs(PROFILES)])
async def show_form(request: Request, shape: str | None = None) -> Response:
    """An empty form, or one whose text is made from the blanks of a shape."""
    seen = await run_in_threadpool(_seen, request)
    chosen = SHAPES.get(shape or "")
    blanks = {} if chosen is None else filled(chosen, dict(request.query_params), seen)
    fields = ProfileFields()
    if chosen is not None:
        fields = ProfileFields(query=chosen.text(blanks), select=chosen.select, consume=chosen.consume)
    answer = await _form(request, fields, 200, shape=chosen, blanks=blanks, seen=seen)
    answer.headers["HX-Trigger"] = EVENT
    return answer


def _seen(request: Request) -> LatelySeen:
    with running(request).store.reading() as connection:
        return seen_lately(connection)


async def _channels(request: Request) -> list[str]:
    """The channels that an admin has defined, if this service has any."""
    try:
        found = await asked(request, "GET", "/channels")
    except Problem:
        return []
    return [str(each["name"]) for each in found]


async def _form(request: Request, fields: ProfileFields, status: int, **more: Any) -> Response:
    shown = {"shape": None, "blanks": {}, "seen": None, "problem": None} | more
    shown["channels"] = await _channels(request)
    return page(
        request,
        "profile_form.html",
        status,
        fields=fields,
        shapes=SHAPES,
        consume=CONSUME,
        event=EVENT,
        **shown,
    )


@ROUTER.post(f"{PAGES}/profiles/check", dependencies=[needs(PROFILES)])
async def check(request: Request, form: Form) -> Response:
    """What is wrong with a profile that is being written, if anything is."""
    fields = ProfileFields.read(form)
    if not fields.query.strip():
        return page(request, "parts/check.html", problem=None, is_empty=True)
    try:
        body = ProfileBody.model_validate(fields.named().body())
        await run_in_threadpool(checked, request, body)
    except Problem as problem:
        return page(request, "parts/check.html", problem=problem, is_empty=False)
    except ValidationError as error:
        return page(request, "parts/check.html", problem=_invalid(error), is_empty=False)
    answer = page(request, "parts/check.html", problem=None, is_empty=False)
    answer.headers["HX-Trigger"] = "query-fine"
    return answer


def _invalid(error: ValidationError) -> Problem:
    told = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:3])
    return Problem(422, "; ".join(told).replace("Value error, ", ""))


@ROUTER.post(f"{PAGES}/profiles/preview", dependencies=[needs(PROFILES)])
async def preview(request: Request, form: Form) -> Response:
    """What it would have told over the recorded events."""
    fields = ProfileFields.read(form)
    if not fields.query.strip():
        return page(request, "parts/preview.html", found=None, problem=None, picture="")
    try:
        found = await asked(request, "POST", "/profiles/preview", fields.named().body())
    except Problem as problem:
        return page(request, "parts/preview.html", found=None, problem=problem, picture="")
    bars = found["bars"][-MOST_BARS:]
    return page(request, "parts/preview.html", found=found, problem=None, picture=_hours(bars), bars=bars)


def _hours(bars: list[dict[str, Any]]) -> Markup:
    shown = [Bar(each["count"], moment(each["hour"])[:-3]) for each in bars]
    return Markup(bars_svg(shown, "matches for each hour", height=64))


@ROUTER.post(f"{PAGES}/profiles", dependencies=[needs(PROFILES)])
async def make_profile(request: Request, form: Form) -> Response:
    """Make it. The secret of a webhook is shown once, so that page is not led elsewhere."""
    fields = ProfileFields.read(form)
    try:
        made = await asked(request, "POST", "/profiles", fields.body())
    except Problem as problem:
        return await _form(request, fields, problem.status, problem=problem)
    if "secret" in made:
        return page(request, "secret.html", 201, profile=made, secret=made["secret"])
    return RedirectResponse(f"{PAGES}/profiles/{made['id']}", 303)
