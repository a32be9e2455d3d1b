"""The OpenAPI document as a plain page: no script, and nothing from another host."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color-scheme:light dark}code,pre{font-family:ui-monospace,monospace;font-size:.9em}"
    "pre{overflow:auto;padding:.5rem;border:1px solid #8885}h2{margin-top:2rem;border-top:1px solid #8885}"
)


def described(document: Mapping[str, Any]) -> str:
    """A section for each route."""
    parts = "".join(_sections(document))
    schemas = document.get("components", {}).get("schemas", {})
    bodies = "".join(
        f"<h3 id='{escape(name)}'>{escape(name)}</h3><pre>{_json(schema)}</pre>"
        for name, schema in schemas.items()
    )
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>Cepheid</title><style>{_STYLE}</style></head><body><h1>Cepheid</h1>"
        f"<p>The same for programs: <a href='/openapi.json'>/openapi.json</a></p>{parts}"
        f"<h2>Bodies</h2>{bodies}</body></html>"
    )


def _sections(document: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
            yield f"<p><b>{escape(route.get('summary', ''))}</b></p>"
            yield f"<p>{escape(route.get('description', ''))}</p>"
            asked = {each["name"]: each.get("schema", {}) for each in route.get("parameters", [])}
            if asked:
                yield f"<p>Parameters</p><pre>{_json(asked)}</pre>"
            if "requestBody" in route:
                yield f"<p>Body</p><pre>{_json(route['requestBody']['content'])}</pre>"


def _json(value: Any) -> str:
    return escape(json.dumps(value, indent=1))
