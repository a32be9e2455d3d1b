"""Random profiles and streams through HTTP; `make test-service-truth` looks further."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from tests.service.serving import Hours, RunningService, serving
from tests.service.truth import check_case

pytestmark = [pytest.mark.service, pytest.mark.slow]

HOURS = Hours()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with serving(tmp_path_factory.mktemp("truth"), "--idle", "1 day") as found:
        yield found


@pytest.mark.parametrize("seed", range(15))
def test_what_is_told_is_what_the_oracle_tells(service: RunningService, seed: int) -> None:
    check_case(service, seed, HOURS.fresh())
