"""The page as a browser without scripts asks for it."""

from __future__ import annotations

import httpx2

from tests.service.serving import ADMIN, RunningService


def browser(service: RunningService, token: str | None = ADMIN, **headers: str) -> httpx2.Client:
    """What a browser sends with every form of ours."""
    address = str(service.client.base_url).rstrip("/")
    found = httpx2.Client(
        base_url=address,
        headers={"Accept": "text/html", "Origin": address, **headers},
        timeout=60,
        trust_env=False,
    )
    if token is not None:
        answer = found.post("/page/sign-in", data={"token": token})
        assert answer.status_code == 303, answer.text
    return found


def fields(query: str, **more: str) -> dict[str, str]:
    """The form of a profile."""
    usual = {
        "name": "a test",
        "query": query,
        "select": "all",
        "consume": "all",
        "once": "",
        "timezone": "UTC",
    }
    return usual | {"webhooks": ""} | more


def made(client: httpx2.Client, query: str, **more: str) -> str:
    """A profile that was made by the form; its id."""
    answer = client.post("/page/profiles", data=fields(query, **more))
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"]).rsplit("/", 1)[1]
