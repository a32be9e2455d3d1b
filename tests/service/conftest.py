"""What the tests of the service share: a service on its usual settings, a receiver, and fresh times."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # the service may not be installed
    import httpx2

    from tests.service.receiver import Receiver
    from tests.service.serving import Hours, RunningService


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    from tests.service.serving import serving

    with serving(tmp_path_factory.mktemp("service"), "--idle", "1 day") as found:
        yield found


@pytest.fixture(scope="module")
def hours() -> Hours:
    from tests.service.serving import Hours

    return Hours()


@pytest.fixture
def since(hours: Hours) -> datetime:
    return hours.fresh()


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    from tests.service.receiver import Receiver

    found = Receiver()
    yield found
    found.close()


@pytest.fixture(scope="module")
def admin(service: RunningService) -> httpx2.Client:
    """A browser that is signed in."""
    from tests.service.pages import browser

    return browser(service)
