"""Chromium as it comes with the system; nothing is downloaded."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

NAMES = ("chromium", "chromium-browser", "google-chrome")
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def chromium() -> str | None:
    """Where it is."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


def launched(playwright: Any) -> Any:
    """A browser without a window."""
    options = ["--no-sandbox"] if os.getuid() == 0 else []
    return playwright.chromium.launch(executable_path=chromium(), args=options)


@dataclass
class Watch:
    """What a page asked for and complained of: other hosts, refused scripts, errors."""

    host: str
    foreign: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def over(self, page: Any) -> None:
        """Look at all that a page does."""
        page.on("request", lambda request: self._asked(request.url))
        page.on("console", lambda told: told.type in ("error", "warning") and self._told(told.text))
        page.on("pageerror", lambda error: self._told(str(error)))

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob", "about") and parts.netloc != self.host:
            self.foreign.append(url)

    def _told(self, text: str) -> None:
        if "status of 4" not in text:  # a form that is refused on purpose
            self.complaints.append(text)
