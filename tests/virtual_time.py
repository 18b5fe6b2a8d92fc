"""An asyncio event loop whose clock jumps to the next timer when there is nothing else to do.

`asyncio.sleep(3600)` takes no time, and a test that would wait for ever fails at once.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Mapping
from typing import Any


class _Jumping(selectors.SelectSelector):
    """Instead of waiting for so many seconds, lets them pass."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("nothing is left that could ever happen, and the test still waits")
        self.now += max(timeout, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        self.unhandled: list[Mapping[str, Any]] = []
        super().__init__(self._jumping)
        self.set_exception_handler(lambda _, context: self.unhandled.append(context))

    def time(self) -> float:
        return self._jumping.now


class VirtualClock:
    """The driver's clock on such a loop: its time is the loop's."""

    EPOCH = 1_800_000_000.0

    def now(self) -> float:
        return self.EPOCH + asyncio.get_running_loop().time()

    wall = now

    def stopwatch(self) -> float:
        return asyncio.get_running_loop().time()
