"""Tests of the driver run in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from tests.virtual_time import VirtualLoop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """In this folder, and for all of it."""
    return {"virtual": VirtualLoop}
