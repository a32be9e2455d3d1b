"""When the writer stops gathering."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("fastapi", reason="needs cepheid[service]")

from cepheid.service.lull import ROUNDS, Lull

pytestmark = pytest.mark.service


def test_it_rings_once_when_nothing_more_has_come_for_a_few_rounds() -> None:
    async def scene() -> list[int]:
        loop, rings, rounds = asyncio.get_running_loop(), [], 0
        lull = Lull(60.0, lambda: rings.append(rounds))
        for rounds in range(3 * ROUNDS):  # noqa: B007  the ring notes it
            lull.stir(loop)
            await asyncio.sleep(0)
        assert not rings
        for rounds in range(3 * ROUNDS, 6 * ROUNDS):  # noqa: B007
            await asyncio.sleep(0)
        return rings

    assert len(asyncio.run(scene())) == 1


def test_it_waits_for_no_longer_than_it_is_told() -> None:
    async def scene() -> int:
        loop, rings = asyncio.get_running_loop(), []
        lull = Lull(0.0, lambda: rings.append(True))
        for _ in range(5):  # something comes all the time
            lull.stir(loop)
            await asyncio.sleep(0)
        return len(rings)

    assert asyncio.run(scene()) == 5
