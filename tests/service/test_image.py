"""The Dockerfile, read as far as it can be without Docker, and what documents say of settings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from cepheid.service.settings import Settings

pytestmark = pytest.mark.service

ROOT = Path(__file__).parents[2]
INSTRUCTIONS = {
    "FROM",
    "WORKDIR",
    "RUN",
    "COPY",
    "ENV",
    "USER",
    "VOLUME",
    "EXPOSE",
    "HEALTHCHECK",
    "STOPSIGNAL",
    "CMD",
}


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n\s*", " ", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def stages() -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = []
    for each in instructions():
        if each[0] == "FROM":
            found.append([])
        found[-1].append(each)
    return found


def test_every_instruction_is_one_and_the_image_has_two_stages() -> None:
    assert {name for name, _ in instructions()} <= INSTRUCTIONS
    assert len(stages()) == 2
    assert all(":" in rest and "latest" not in rest for name, rest in instructions() if name == "FROM")


def test_the_service_does_not_run_as_root_and_is_looked_after() -> None:
    last = stages()[-1]
    names = [name for name, _ in last]
    rest = dict(last)
    assert rest["USER"] not in ("root", "0") and f" {rest['USER']}" in rest["RUN"] + str(last)
    assert names.index("USER") < names.index("CMD")
    assert "/ready" in rest["HEALTHCHECK"]
    assert json.loads(rest["CMD"]) == ["cepheid", "serve"]
    check = json.loads(rest["HEALTHCHECK"].partition("CMD ")[2])
    compile(check[2], "healthcheck", "exec")


def test_what_is_copied_is_there_and_settings_are_settings() -> None:
    for name, rest in instructions():
        if name == "COPY" and "--from" not in rest:
            assert all((ROOT / each).exists() for each in rest.split()[:-1]), rest
            kept = (ROOT / ".dockerignore").read_text()
            assert all(f"!{each}" in kept for each in rest.split()[:-1]), rest
    given = re.findall(r"CEPHEID_(\w+)=", dict(stages()[-1])["ENV"])
    assert {each.lower() for each in given} - {"cache_dir"} <= set(Settings.model_fields)


def test_every_setting_is_in_the_documents() -> None:
    text = (ROOT / "docs/how-to/service.md").read_text()
    missing = [name for name in Settings.model_fields if f"CEPHEID_{name.upper()}`" not in text]
    assert missing == []
