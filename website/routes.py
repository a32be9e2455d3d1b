"""The page of all routes of the service, from its OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

HEAD = """\
# HTTP

What `cepheid serve` answers, from its own OpenAPI document: a service has it at `/openapi.json`, and for
people at `/docs`. [How to run it](../how-to/service.md) shows the routes in use.

A request carries `Authorization: Bearer TOKEN`. No or a wrong token is answered with 401, a token without the
scope with 403; errors are `application/problem+json`.
"""


def routes_page() -> str:
    """A section for each route, and one for each body."""
    document = openapi()
    parts = [HEAD, *_routes(document), "## Bodies\n"]
    for name, schema in document.get("components", {}).get("schemas", {}).items():
        parts.append(f"### {name}\n\n{_fields(schema)}")
    return "\n".join(parts)


def openapi() -> dict[str, Any]:
    """The document, without a service."""
    from fastapi import FastAPI

    from cepheid.service.routes import ROUTERS

    app = FastAPI(title="Cepheid", summary="Notifications of situations")
    for router in ROUTERS:
        app.include_router(router)
    return app.openapi()


def _routes(document: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            yield f"## {method.upper()} {path}\n"
            yield f"{route.get('summary', '')}. {route.get('description', '')}\n"
            asked = route.get("parameters", [])
            if asked:
                yield "| parameter | in | type |\n| --- | --- | --- |"
                yield "\n".join(
                    f"| `{each['name']}` | {each['in']} | {_type(each['schema'])} |" for each in asked
                )
                yield ""
            for kind, content in route.get("requestBody", {}).get("content", {}).items():
                yield f"Body, `{kind}`: {_type(content.get('schema', {}))}\n"


def _fields(schema: Mapping[str, Any]) -> str:
    fields = schema.get("properties")
    if not fields:
        return f"```json\n{json.dumps(schema, indent=1)}\n```\n"
    required = set(schema.get("required", ()))
    rows = "\n".join(
        f"| `{name}` | {'' if name in required else 'optional '}{_type(field)} | "
        f"{field.get('description', '')} |"
        for name, field in fields.items()
    )
    return f"| field | type | |\n| --- | --- | --- |\n{rows}\n"


def _type(schema: Mapping[str, Any]) -> str:
    """A type in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_type(each) for each in schema[several]))
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
