"""One scheduler process: what it is made of, how it begins, and how it ends.

::

    connect ── endpoints ── informers ──┬── lease ── all told ── scheduling ──┬── asked to end: drain, 0
                                        └── asked to end: 0                   ├── lease lost: 1
                                                                              └── may not read: 1
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from nominee import __version__
from nominee.client import Client, discover
from nominee.config.types import Configuration
from nominee.driver.clock import SystemClock
from nominee.driver.collector import look_rarely
from nominee.driver.driver import Driver, drive
from nominee.driver.recorder import MetricsRecorder
from nominee.errors import ApiError, Forbidden, NomineeError, TransportError, Unauthorized
from nominee.live.cluster import ApiCluster
from nominee.live.endpoints import Answer, Asked, Endpoints, Page, json_page
from nominee.live.health import Check, health_pages
from nominee.live.informers import Informers
from nominee.live.kinds import kinds_for
from nominee.live.leader import LeaderElector, own_identity
from nominee.live.lease import ApiLease
from nominee.live.narrator import Narrator, listened_to
from nominee.live.rehearsal import Rehearsal
from nominee.live.reload import Reloader
from nominee.live.setup import Setup
from nominee.live.tidying import tidy

if TYPE_CHECKING:
    from nominee.client.extenders import HttpExtenders

log = logging.getLogger(__name__)
T = TypeVar("T")

DRAIN_SECONDS = 10.0
"""How long bindings under way may take at the end; others wait for our lease meanwhile."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class LeaseLostError(NomineeError):
    """Somebody else may be scheduling by now: nothing more may be written."""


class Connections:
    """The clients of one process; events and the lease have their own, so that nothing holds them up."""

    def __init__(self, setup: Setup) -> None:
        access = setup.access()
        self.main = Client(access, limit=setup.limit())
        self.events = Client(access, limit=setup.limit())
        self.lease = Client(access, attempts=1)
        self.extenders = _extenders(setup.configuration)

    async def close(self) -> None:
        for each in (self.main, self.events, self.lease, self.extenders):
            if each is not None:
                await each.close()


def _extenders(configuration: Configuration) -> HttpExtenders | None:
    """What asks the extenders, if there are any: it takes long to load."""
    if not configuration.extenders:
        return None
    from nominee.client.extenders import HttpExtenders  # noqa: PLC0415

    return HttpExtenders(configuration.extenders)


async def serve(setup: Setup) -> int:
    """Run until asked to end; the answer is the exit code. Raises NomineeError if it can not go on."""
    look_rarely()  # a cluster is about to be listed
    connections = Connections(setup)
    try:
        with _asked_to_end() as asked:
            served = await _unless(asked, _first_contact(connections.main))
            return 0 if served is None else await Process(setup, connections, served, asked).run()
    finally:
        await connections.close()


@contextmanager
def _asked_to_end() -> Iterator[asyncio.Event]:
    """Set once somebody asks this process to come to an end, in order."""
    asked, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, asked.set)
    try:
        yield asked
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


async def _unless(asked: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """What comes of the work; None if this process is asked to end before that."""
    working, waiting = asyncio.create_task(work), asyncio.create_task(asked.wait())
    try:
        await asyncio.wait((working, waiting), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        waiting.cancel()
        await asyncio.gather(working, waiting, return_exceptions=True)


async def _first_contact(client: Client) -> frozenset[str]:
    """Find out what the server has, and whether it is there and lets us in at all."""
    access = client.access
    where = f" in {access.source}" if access.source else ""
    try:
        return await discover(client)
    except Unauthorized as error:
        message = f"{error.reason}: {access.server} does not accept the credentials{where}: renew them"
        raise ApiError(error.status, message) from None
    except ApiError as error:
        message = f"{error.reason}: is {access.server} the right address{where}?"
        raise ApiError(error.status, message) from None
    except TransportError as error:
        hint = f"is it up, and is that the right address{where}?"
        raise TransportError(f"{access.server}: {error} ({hint})") from None


class Process:
    """The parts of a scheduler process and their life."""

    def __init__(
        self, setup: Setup, connections: Connections, served: frozenset[str], asked_to_end: asyncio.Event
    ) -> None:
        self._setup = setup
        self._connections = connections
        self._clock = SystemClock()
        recorder = MetricsRecorder(self._clock.stopwatch)
        self.driver = self._make_driver(setup.scheduler(recorder))
        self.kinds = tuple(kind for kind in kinds_for(setup.profiles.values()) if kind.KIND in served)
        self.informers = Informers(connections.main, self.kinds, self.driver.loop.tell)
        self.elector = self._make_elector() if setup.elects else None
        self.endpoints = Endpoints(self._pages(recorder))
        self._asked_to_end = asked_to_end
        self._tasks: list[asyncio.Task[None]] = []
        self._broken: asyncio.Future[asyncio.Task[None]] = asyncio.get_running_loop().create_future()

    # -- parts ------------------------------------------------------------------------------------

    def _make_driver(self, scheduler: Any) -> Driver:
        if self._setup.options.dry_run:
            return Driver(scheduler, self._clock, Rehearsal)
        cluster = ApiCluster(self._connections.main, self._connections.events)
        driver = drive(scheduler, cluster, self._clock, extenders=self._connections.extenders)
        if listened_to():
            driver.hands = Narrator(driver.hands)
        return driver

    def _make_elector(self) -> LeaderElector:
        terms = self._setup.terms()
        return LeaderElector(ApiLease(self._connections.lease, self._setup.lease), own_identity(), terms)

    def _pages(self, recorder: MetricsRecorder) -> dict[str, Page]:
        healthy = self._healthy()
        return {
            **health_pages("/healthz", healthy),
            **health_pages("/livez", healthy),
            **health_pages("/readyz", healthy | self._ready()),
            "/metrics": self._metrics_page(recorder),
            "/configz": json_page(self._setup.configz),
        }

    def _metrics_page(self, recorder: MetricsRecorder) -> Page:
        """Loads Prometheus' client when it is first asked, not before the first pod is placed."""
        made: list[Page] = []

        def page(asked: Asked) -> Answer:
            if not made:
                from nominee.live.metrics import MetricsPage  # noqa: PLC0415

                made.append(MetricsPage(recorder, self.driver, self.elector, self._setup.lease))
            return made[0](asked)

        return page

    def _healthy(self) -> dict[str, Check]:
        elector = self.elector
        if elector is None:
            return {}
        return {"leaderElection": lambda: "the lease is long overdue" if elector.overdue() else None}

    def _ready(self) -> dict[str, Check]:
        def synced() -> str | None:
            behind = ", ".join(self.informers.behind)
            return f"handlers are not fully synchronized: {behind}" if behind else None

        def shutdown() -> str | None:
            return "process is shutting down" if self._asked_to_end.is_set() else None

        return {"shutdown": shutdown, "sched-handler-sync": synced}

    # -- life -------------------------------------------------------------------------------------

    async def run(self) -> int:
        """Schedule until asked to end."""
        await self._start_endpoints()
        try:
            return await self._run()
        finally:
            await self._cancel()
            await self.endpoints.stop()

    async def _start_endpoints(self) -> None:
        if address := self._setup.options.metrics_address:
            await self.endpoints.start(address)
            log.info("answering on port %d: /healthz /livez /readyz /metrics /configz", self.endpoints.port)

    async def _run(self) -> int:
        self._say_hello()
        if not self._setup.configuration.delay_cache_until_active:
            self._begin(self._inform())
        if self._setup.files.sources:
            self._begin(self._reloader().run())
        self._begin(self._work())
        asked = asyncio.create_task(self._asked_to_end.wait())
        either: set[asyncio.Future[Any]] = {asked, self._broken}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        if not self._broken.done():
            await self._end()
        if not self._broken.done():
            return 0
        self.driver.loop.stop()  # at once: who has lost the lease must not write any more
        self.driver.hands.stop()
        self._broken.result().result()
        return 1

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin with a piece of work; if it fails, the process ends."""
        task = asyncio.create_task(work)
        self._tasks.append(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None and not self._broken.done():
            self._broken.set_result(task)

    async def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(self) -> None:
        """Schedule, as long as the lease is ours."""
        if self.elector is not None:
            await self.elector.acquire()
        if self._setup.configuration.delay_cache_until_active:
            self._begin(self._inform())
        self._begin(self._schedule())
        if self.elector is None:
            return
        await self.elector.hold()
        raise LeaseLostError("leader election lost: another replica may take over, restart this one")

    async def _inform(self) -> None:
        try:
            await self.informers.run()
        except Forbidden as error:
            raise Forbidden(error.status, f"{error.reason}: grant it, see deploy/", body=error.body) from None

    async def _schedule(self) -> None:
        await self.informers.synced()
        while self.driver.loop.untold:  # noqa: ASYNC110 - a look a slice, once in a life
            await asyncio.sleep(0)
        look_rarely()
        cluster = self.driver.scheduler.cluster
        log.info("scheduling: %d nodes, %d pods on them", len(cluster.nodes), len(cluster.pods))
        self.driver.start()
        loop = self.driver.loop
        await tidy(lambda: loop.steps, lambda: self.driver.under_way or self.driver.scheduler.ready)

    async def _end(self) -> None:
        log.info("asked to end: bindings under way may take %d s", DRAIN_SECONDS)
        stopping = asyncio.create_task(self.driver.stop(DRAIN_SECONDS))
        either: set[asyncio.Future[Any]] = {stopping, self._broken}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not stopping.done():
            stopping.cancel()
            return
        if left := stopping.result():
            log.warning("%d bindings, evictions or writes were not over in time", left)
        await self._cancel()
        if self.elector is not None:
            await self.elector.release()

    def _reloader(self) -> Reloader:
        setup, driver = self._setup, self.driver

        def use(profiles: dict[str, Any]) -> None:
            driver.scheduler.replace_profiles(profiles, self._clock.now())
            driver.loop.wake()

        return Reloader(setup.files, setup.reloaded, use, self.kinds)

    def _say_hello(self) -> None:
        names = ", ".join(self._setup.profiles)
        kinds = ", ".join(kind.KIND for kind in self.kinds)
        server = self._connections.main.access.server
        log.info("nominee %s schedules for %s at %s, and watches %s", __version__, names, server, kinds)
        if self._setup.options.dry_run:
            log.info("dry run: nothing will be written")
