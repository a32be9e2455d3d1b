"""Names that are spoken for: refused by name until their engines are there."""

from __future__ import annotations

from typing import Any, NoReturn

from cepheid.errors import UnsupportedError


def match_profiles(*_: Any, **__: Any) -> NoReturn:
    """Profiles over a DataFrame."""
    raise UnsupportedError("profiles are not supported yet", hint="call match() for each query")


def match_xml(*_: Any, **__: Any) -> NoReturn:
    """Tree patterns over a DataFrame of documents."""
    raise UnsupportedError("tree patterns over XML are not supported yet")
