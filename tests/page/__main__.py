"""Run the page in a real browser, or say what is missing.

python -m tests.page [--pictures FOLDER] [pytest's options]
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from tests.page.browser import chromium

TESTS = ("looks.py", "flows.py", "report.py")
NEEDED = ("fastapi", "jinja2", "playwright")


def missing() -> str | None:
    """What a run needs and does not have."""
    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            return f"the package {name}: pip install -c constraints.txt 'cepheid[service,browser]'"
    if chromium() is None:
        return "Chromium: apt-get install chromium, or name one in CHROMIUM"
    return None


def main() -> None:
    lacking = missing()
    if lacking is not None:
        print(f"The page is not tested here, for want of {lacking}")
        sys.exit(0)
    here = Path(__file__).parent
    sys.exit(pytest.main(["-q", *(str(here / name) for name in TESTS), *sys.argv[1:]]))


if __name__ == "__main__":
    main()
