"""All pages, one subject a file."""

from fastapi import APIRouter

from cepheid.service.page import (
    elsewhere,
    profile_form,
    profile_list,
    visits,
)

ROUTERS: tuple[APIRouter, ...] = (
    visits.ROUTER,
    profile_list.ROUTER,
    profile_form.ROUTER,
    elsewhere.ROUTER,
)
"""The last one takes what no other knows."""
