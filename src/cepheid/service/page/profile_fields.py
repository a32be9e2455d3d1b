"""The form of a profile: its fields, and the body that the routes of programs take."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from cepheid.service.page.routing import Fields
from cepheid.service.problems import Problem

CONSUME = (
    ("all", "every match is told"),
    ("unique", "an event is told in one match only"),
    ("reapply", "after a match was told, begin anew"),
)
_CHOICE = re.compile(r"\s*(?P<name>`[^`]+`|\w+)\s*:\s*(?P<value>\w+)\s*")


@dataclass(frozen=True, slots=True)
class ProfileFields:
    """What stands in the form."""

    name: str = ""
    query: str = ""
    select: str = "all"
    consume: str = "all"
    once: str = ""
    timezone: str = "UTC"
    feed: bool = True
    webhooks: str = ""
    channels: tuple[str, ...] = ()

    @staticmethod
    def read(form: Fields) -> ProfileFields:
        """As a browser sends it. Line breaks are those of our errors, which count characters."""
        texts = {
            name: form.get(name, "") for name in ("name", "query", "select", "consume", "once", "timezone")
        }
        texts["query"] = texts["query"].replace("\r\n", "\n")
        channels = tuple(form.getlist("channels"))
        webhooks, feed = form.get("webhooks", ""), form.get("feed") is not None
        return ProfileFields(**texts, webhooks=webhooks, channels=channels, feed=feed)

    def named(self) -> ProfileFields:
        """The same with a name, as long as it has none."""
        return self if self.name.strip() else replace(self, name="without a name")

    def body(self) -> dict[str, Any]:
        """The body of `POST /profiles`."""
        deliver: list[dict[str, Any]] = [{"feed": True}] if self.feed else []
        deliver += [{"webhook": each} for each in self.webhooks.split()]
        deliver += [{"channel": each} for each in self.channels]
        return {
            "name": self.name.strip(),
            "query": self.query,
            "deliver": deliver,
            "select": chosen(self.select),
            "consume": self.consume.strip() or "all",
            "once": self.once.strip() or None,
            "timezone": self.timezone.strip() or "UTC",
        }


def chosen(text: str) -> str | int | dict[str, str | int]:
    """`first`, `2`, or one for each variable: `a: last, b: 2`."""
    if ":" not in text:
        return _one(text.strip() or "all")
    found: dict[str, str | int] = {}
    for part in text.split(","):
        match = _CHOICE.fullmatch(part)
        if match is None:
            raise Problem(422, "Which events: write all, first, last, a number, or as in a: last, b: 2")
        found[match["name"].strip("`")] = _one(match["value"])
    return found


def _one(text: str) -> str | int:
    return int(text) if text.isdecimal() and len(text) < 10 else text
