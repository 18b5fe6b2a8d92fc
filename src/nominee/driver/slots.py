"""A bound on how many calls of a kind are under way."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType


class Slots:
    """So many at a time, the others in line: `async with slots`. Tells how long the line is."""

    __slots__ = ("_free", "_line", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._free = limit
        self._line: deque[asyncio.Future[None]] = deque()

    @property
    def waiting(self) -> int:
        """How many stand in line."""
        return len(self._line)

    @property
    def busy(self) -> int:
        """How many have a slot."""
        return self.limit - self._free

    async def __aenter__(self) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._pass_on()  # the slot came with the cancellation
            else:
                self._line.remove(turn)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        """Give the slot to the first in line, or keep it free."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
