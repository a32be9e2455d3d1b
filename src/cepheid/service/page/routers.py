"""All pages, one subject a file."""

from fastapi import APIRouter

from cepheid.service.page import (
    elsewhere,
    visits,
)

ROUTERS: tuple[APIRouter, ...] = (
    visits.ROUTER,
    elsewhere.ROUTER,
)
"""The last one takes what no other knows."""
