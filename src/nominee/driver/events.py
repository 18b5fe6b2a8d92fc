"""Writes events to the cluster without ever holding up the scheduler."""

from __future__ import annotations

import asyncio
import logging
import random
import socket
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress

from nominee.driver.ports import Cluster
from nominee.driver.series import Recorded, SeriesTable
from nominee.errors import ApiError, Conflict, NomineeError, NotFound, TooManyRequests, TransportError
from nominee.scheduler.effects import RecordEvent

log = logging.getLogger(__name__)

_LIMIT = 20_000
_WORKERS = 16
_TRIES = 8
_FIRST_DELAY, _LONGEST_DELAY = 0.25, 10.0
_SWEEP_EVERY = 60.0


class Events:
    """A line of events in front of a few workers; what does not fit in is dropped and counted.

    dropped  by cause, how many were never written: `overflow` (the server is slower than we are),
             `rejected` (it does not want them), `unanswered` (it was away too long)
    """

    def __init__(
        self,
        cluster: Cluster,
        wall: Callable[[], float],
        *,
        host: str = "",
        limit: int = _LIMIT,
        workers: int = _WORKERS,
    ) -> None:
        self.dropped: Counter[str] = Counter()
        self.written = 0
        self._cluster = cluster
        self._wall = wall
        self._host = host or socket.gethostname()
        self._limit = limit
        self._most_workers = workers
        self._series = SeriesTable()
        self._line: deque[Recorded] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._complained: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def record(self, effect: RecordEvent) -> None:
        """Take note of an event; it is written soon, or counted as dropped."""
        event = self._series.observe(effect, self._wall())
        if event.count > 2 or event.in_line:
            return  # the server is told when the series is refreshed or over
        self._enqueue(event)
        if self._timer is None and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(_SWEEP_EVERY, self._sweep)

    async def close(self, patience: float) -> None:
        """Write what is in line, as far as that can be done in so many seconds."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._workers:
            _, late = await asyncio.wait(self._workers, timeout=patience)
            for worker in late:
                worker.cancel()
            if late:
                await asyncio.wait(late)
        if self._line:
            self._drop("unanswered", len(self._line))
            self._line.clear()

    # -- the line ---------------------------------------------------------------------------------

    def _enqueue(self, event: Recorded) -> None:
        if len(self._line) >= self._limit:
            self._drop("overflow")
            return
        event.in_line = True
        self._line.append(event)
        if len(self._workers) < self._most_workers:
            worker = asyncio.create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    def _sweep(self) -> None:
        self._timer = None
        for event in self._series.sweep(self._wall()):
            if not event.in_line:
                self._enqueue(event)
        if len(self._series) and not self._closed:
            self._timer = asyncio.get_running_loop().call_later(_SWEEP_EVERY, self._sweep)

    async def _work(self) -> None:
        line = self._line
        while line:
            event = line.popleft()
            try:
                await self._write_patiently(event)
            except Exception:
                log.exception("an event was not written")
                self._drop("rejected")
            event.in_line = False

    # -- one event --------------------------------------------------------------------------------

    async def _write_patiently(self, event: Recorded) -> None:
        delay = _FIRST_DELAY
        for _ in range(_TRIES):
            try:
                await self._write(event)
            except NomineeError as error:
                if not _may_pass(error):
                    self._drop("rejected", because=error)
                    return
                await asyncio.sleep(delay * (0.5 + random.random()))  # noqa: S311 - jitter is no secret
                delay = min(2 * delay, _LONGEST_DELAY)
            else:
                self.written += 1
                return
        self._drop("unanswered")

    async def _write(self, event: Recorded) -> None:
        """Create it, or tell how often it came again."""
        count = event.count
        if event.told == 0:
            await self._create(event)
        else:
            await self._patch(event)
        event.told, event.told_at = count, self._wall()
        if event.told == 1 < event.count:  # it became a series meanwhile
            await self._write(event)

    async def _create(self, event: Recorded) -> None:
        with suppress(Conflict):  # an earlier try was not answered, and had come through
            await self._cluster.create_event(event.namespace, event.body(self._host))

    async def _patch(self, event: Recorded) -> None:
        try:
            await self._cluster.patch_event(event.namespace, event.name, {"series": event.series()})
        except NotFound:
            await self._create(event)  # it has outlived its time at the server

    def _drop(self, cause: str, number: int = 1, because: NomineeError | None = None) -> None:
        """Count it, and say so once for each cause."""
        self.dropped[cause] += number
        said = f"{cause} {getattr(because, 'status', '')}"
        if said not in self._complained:
            self._complained.add(said)
            log.warning("events are dropped (%s): %s", cause, because or _WHY[cause])


_WHY = {
    "overflow": "the API server takes them slower than they come",
    "unanswered": "the API server does not answer",
    "rejected": "the API server does not take them",
}


def _may_pass(error: NomineeError) -> bool:
    if isinstance(error, TransportError | TooManyRequests):
        return True
    return isinstance(error, ApiError) and error.status >= 500
