"""All controllers: what changes reaches those whom it concerns, and each gets its turn."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Controller, Keys
from nominee.embedded.controllers.work_queue import WorkQueue
from nominee.errors import ApiError, Conflict, NotFound
from nominee.store.ports import Change

logger = logging.getLogger(__name__)

SHARE = 0.1
"""Of the time, no single key may take more."""
SLICE = 0.005
"""Seconds for which others of the process wait for controllers at a time."""
NEGLIGIBLE = 0.001


class Controllers:
    """Runs controllers one key at a time, in turns.

    `stopwatch` measures what a key costs; tests give one that stands still.
    """

    def __init__(
        self,
        access: Access,
        controllers: Sequence[Controller],
        *,
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._access = access
        self._stopwatch = stopwatch
        self._queues = [(controller, WorkQueue(access.clock)) for controller in controllers]
        self._watching: dict[str, list[tuple[WorkQueue, Keys]]] = {}
        self._everything: list[tuple[WorkQueue, Keys]] = []
        for controller, queue in self._queues:
            for resource, keys in controller.watches.items():
                watching = self._watching.setdefault(resource, []) if resource else self._everything
                watching.append((queue, keys))
        self._stop: Callable[[], None] | None = None
        self._work = asyncio.Event()
        self._turn = 0

    def start(self) -> None:
        """Look at all there is, and at every change from now on."""
        store = self._access.rest.store
        self._stop = store.listen(self._changed)
        for resource in list(store.resources()):
            for stored in store.list(resource):
                self._access.hear(Change("ADDED", stored))
        for resource in list(store.resources()):
            for stored in store.list(resource):
                self._tell(Change("ADDED", stored))
        self._work.set()

    def stop(self) -> None:
        """Look no more."""
        if self._stop is not None:
            self._stop()
            self._stop = None

    def step(self) -> bool:
        """Let the next controller that has work do it for one key; False if none has any now."""
        for offset in range(len(self._queues)):
            position = (self._turn + offset) % len(self._queues)
            controller, queue = self._queues[position]
            key = queue.take()
            if key is not None:
                self._turn = position + 1
                self._reconcile(controller, queue, key)
                return True
        return False

    def next_time(self) -> float | None:
        """When there is work: now, later, or never as far as is known."""
        times = [due for _, queue in self._queues if (due := queue.next_time()) is not None]
        return min(times, default=None)

    async def run(self) -> None:
        """Work until cancelled, and give way to others of the process in between."""
        while True:
            self._work.clear()
            end = self._stopwatch() + SLICE
            while self._stopwatch() < end:
                if not self.step():
                    await self._wait()
                    break
            await asyncio.sleep(0)

    async def _wait(self) -> None:
        due = self.next_time()
        seconds = None if due is None else max(0.0, due - self._access.now())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._work.wait()

    def _changed(self, change: Change) -> None:
        self._access.hear(change)
        self._tell(change)
        self._work.set()

    def _tell(self, change: Change) -> None:
        for queue, keys in self._watching.get(change.stored.resource, ()):
            for key in keys(change):
                queue.add(key)
        for queue, keys in self._everything:
            for key in keys(change):
                queue.add(key)

    def _reconcile(self, controller: Controller, queue: WorkQueue, key: str) -> None:
        start = self._stopwatch()
        try:
            again = controller.reconcile(key)
        except (Conflict, NotFound):  # somebody else was faster: look again
            queue.add_failed(key)
        except ApiError as error:
            logger.info("%s could not settle %s: %s", controller.name, key, error.reason)
            queue.add_failed(key)
        except Exception:
            # The border of a task: a fault in one controller must not end the others, nor the cluster.
            logger.exception("%s failed over %s", controller.name, key)
            queue.add_failed(key)
        else:
            queue.forget(key)
            if again is not None:
                queue.add_after(key, again)
        cost = self._stopwatch() - start
        if cost > NEGLIGIBLE:
            queue.hold(key, cost * (1.0 / SHARE - 1.0))
