"""What can be asked over HTTP, one subject a file."""

from fastapi import APIRouter

from cepheid.service.page.routers import ROUTERS as PAGES
from cepheid.service.routes import (
    channels,
    deliveries,
    events,
    feed,
    notifications,
    operation,
    preview,
    profiles,
    tokens,
    trace,
)

ROUTERS: tuple[APIRouter, ...] = (
    events.ROUTER,
    preview.ROUTER,
    profiles.ROUTER,
    trace.ROUTER,
    notifications.ROUTER,
    deliveries.ROUTER,
    feed.ROUTER,
    tokens.ROUTER,
    channels.ROUTER,
    operation.ROUTER,
    *PAGES,
)
