"""All pages, one subject a file."""

from fastapi import APIRouter

from cepheid.service.page import (
    elsewhere,
    keys,
    live,
    outbox,
    profile_form,
    profile_list,
    profile_page,
    reasons,
    telling,
    visits,
)

ROUTERS: tuple[APIRouter, ...] = (
    visits.ROUTER,
    profile_list.ROUTER,
    profile_form.ROUTER,
    profile_page.ROUTER,
    telling.ROUTER,
    live.ROUTER,
    outbox.ROUTER,
    reasons.ROUTER,
    keys.ROUTER,
    elsewhere.ROUTER,
)
"""The last one takes what no other knows."""
