"""CloudEvents 1.0 as events: `data` gives the attributes, the context the rest, and `source` with `id` says
which event it is."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

REQUIRED = ("id", "source", "type")
NOT_KEPT = ("specversion", "datacontenttype", "dataschema", "data", "data_base64")

CloudEvent = tuple[dict[str, Any], str]
"""An event, and what identifies it."""


def from_structured(event: Any) -> CloudEvent:
    """An event in the JSON format, and what identifies it."""
    if not isinstance(event, dict):
        raise ValueError("it is not an object")
    data = event.get("data")
    if "data_base64" in event:
        data = _decoded(event["data_base64"], str(event.get("datacontenttype", "application/json")))
    context = {name: value for name, value in event.items() if name not in NOT_KEPT}
    return _event(context, event.get("specversion"), data)


def from_binary(headers: Mapping[str, str], media: str, body: bytes) -> CloudEvent:
    """An event whose context is in the headers `ce-…`, and what identifies it."""
    context: dict[str, Any] = {name.removeprefix("ce-"): unquote(text) for name, text in headers.items()}
    version = context.pop("specversion", None)
    kept = {name: value for name, value in context.items() if name not in NOT_KEPT}
    return _event(kept, version, _data(body, media) if body else None)


def _event(context: dict[str, Any], version: Any, data: Any) -> CloudEvent:
    if version != "1.0":
        raise ValueError("its 'specversion' is not 1.0")
    for name in REQUIRED:
        if not isinstance(context.get(name), str) or not context[name]:
            raise ValueError(f"it has no '{name}', which a CloudEvent needs")
    if not isinstance(data, dict):
        data = {} if data is None else {"data": data}
    own = {name: context[name] for name in ("type", "time") if context.get(name) is not None}
    outer = {name: value for name, value in data.items() if name not in ("type", "time")}
    identity = json.dumps([context["source"], context["id"]])
    return context | outer | own, hashlib.sha256(identity.encode()).hexdigest()


def _decoded(text: Any, media: str) -> Any:
    try:
        return _data(base64.b64decode(text, validate=True), media)
    except (TypeError, ValueError):
        raise ValueError("its 'data_base64' is not base64") from None


def _data(body: bytes, media: str) -> Any:
    """Data of an event: JSON, text, or whatever it is as base64."""
    kind = media.partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        from cepheid.service.intake import loads

        return loads(body)
    try:
        return body.decode()
    except UnicodeDecodeError:
        return base64.b64encode(body).decode()
