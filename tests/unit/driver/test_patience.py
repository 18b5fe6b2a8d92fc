"""How long it is worth to wait for the API server."""

from __future__ import annotations

import pytest

from nominee.driver import patience
from nominee.errors import TooManyRequests


async def test_nobody_waits_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that asks for so much keeps pods waiting for half a minute a try, and no slot for hours."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def refuse() -> None:
        raise TooManyRequests(429, "later", retry_after=3600.0)

    monkeypatch.setattr("nominee.driver.patience.asyncio.sleep", sleep)
    with pytest.raises(TooManyRequests):
        await patience.patiently(refuse)
    assert len(slept) == len(patience.REFUSED_FOR_NOW)
    assert max(slept) < 2 * patience.LONGEST_PAUSE
