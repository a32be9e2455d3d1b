"""The files that pages are made of. htmx 4.0.1 is a copy of what its makers publish (0BSD)."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files

from cepheid.service.sign_ins import PAGES
from cepheid.views.timeline import STYLE

SCRIPT = "text/javascript; charset=utf-8"
MEDIA = {
    "page.css": "text/css; charset=utf-8",
    "page.js": SCRIPT,
    "htmx.min.js": SCRIPT,
    "hx-sse.min.js": SCRIPT,
    "icon.svg": "image/svg+xml",
}


@cache
def content_of(name: str) -> bytes:
    """What is in a file; pictures bring their own style along."""
    found = (files("cepheid.service.page") / "static" / name).read_bytes()
    return found + STYLE.encode() if name == "page.css" else found


@cache
def address_of(name: str) -> str:
    """Where browsers find a file: another address for another content, so that they may keep it."""
    stamp = hashlib.sha256(content_of(name)).hexdigest()[:12]
    return f"{PAGES}/static/{name}?{stamp}"
