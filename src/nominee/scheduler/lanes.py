"""One after the other for one pod, side by side for different ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

Start = Callable[[Callable[[], None]], None]


class Lanes:
    """A line for each pod; `start(leave)` runs when its turn comes and calls `leave` when it is done."""

    def __init__(self) -> None:
        self._lanes: dict[str, deque[Start]] = {}

    def __contains__(self, uid: str) -> bool:
        return uid in self._lanes

    def enter(self, uid: str, start: Start) -> None:
        lane = self._lanes.get(uid)
        if lane is None:
            self._lanes[uid] = deque()
            start(lambda: self._leave(uid))
        else:
            lane.append(start)

    def _leave(self, uid: str) -> None:
        lane = self._lanes[uid]
        if lane:
            lane.popleft()(lambda: self._leave(uid))
        else:
            del self._lanes[uid]

    def clear(self) -> None:
        """Nobody's turn comes any more."""
        for lane in self._lanes.values():
            lane.clear()
