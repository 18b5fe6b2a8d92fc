from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import uvloop

from nominee.client import Access, Client
from tests.integration.client.stub import StubServer, serving


def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Whatever has to do with sockets is tried on both event loops: their transports differ."""
    loops: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"asyncio": asyncio.new_event_loop}
    if item.path.name not in ("test_exec_credentials.py", "test_lists_and_watches.py"):
        loops["uvloop"] = uvloop.new_event_loop
    return loops


@pytest.fixture
async def server() -> AsyncIterator[StubServer]:
    async with serving() as stub:
        yield stub


class Pauses:
    """Waits for nothing, and remembers for how long."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
async def client(server: StubServer, pauses: Pauses) -> AsyncIterator[Client]:
    async with Client(Access(server=server.url), sleep=pauses, timeout=5) as made:
        yield made
