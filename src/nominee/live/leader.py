"""Leader election: of several replicas one schedules, the others wait for its lease to run out.

Reproduces client-go/tools/leaderelection/leaderelection.go, v1.37. A lease counts from the moment at which
*this* process has seen it change, by its own monotonic clock: what others write as their time is
never compared with ours.
"""

from __future__ import annotations

import asyncio
import logging
import random
import socket
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from nominee.client.pace import Dice, Sleep
from nominee.errors import ApiError, Conflict, TransportError
from nominee.live.lease import LeaseLock, Record
from nominee.model.coordination import LeaseSpec
from nominee.model.timestamps import format_micro_time

log = logging.getLogger(__name__)

_JITTER = 1.2


def own_identity() -> str:
    """A name that no other candidate has: `hostname_uuid`."""
    return f"{socket.gethostname()}_{uuid.uuid4()}"


@dataclass(frozen=True, slots=True)
class Terms:
    """The rhythm of an election, in seconds.

    lease_duration   how long others wait before they take over
    renew_deadline   how long a leader tries to renew before it gives up
    retry_period     how long to wait between tries
    """

    lease_duration: float = 15.0
    renew_deadline: float = 10.0
    retry_period: float = 2.0

    @property
    def request_seconds(self) -> float:
        """How long a request may take: half the deadline, so that there is time for another one."""
        return max(self.renew_deadline / 2, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """The ways in which time enters an election.

    wall        seconds since the epoch, for others to read
    monotonic   what durations are measured by
    sleep       how to wait
    dice        0 to 1, so that candidates do not ask in step
    """

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep
    dice: Dice = random.random


TERMS, TIME = Terms(), Time()


class LeaderElector:
    """One candidate: `acquire`, then `hold` until that returns, then `release`."""

    def __init__(self, lock: LeaseLock, identity: str, terms: Terms = TERMS, at: Time = TIME) -> None:
        self.identity = identity
        self.terms = terms
        self._lock = lock
        self._at = at
        self._observed: Record | None = None
        self._observed_at = 0.0
        self._reported = ""
        self._failing = False

    @property
    def leader(self) -> str:
        """Who leads, as far as is known; empty if nobody does."""
        return self._observed.holder if self._observed is not None else ""

    @property
    def is_leader(self) -> bool:
        """Whether the lease is ours, as far as is known."""
        return self.leader == self.identity

    def overdue(self, tolerance: float = 20.0) -> bool:
        """Whether we should have renewed or given up long ago: this process hangs.

        Reproduces the watch dog of leaderelection/healthzadaptor.go, v1.37.
        """
        lasting = self.terms.lease_duration + tolerance
        return self.is_leader and self._at.monotonic() - self._observed_at > lasting

    async def acquire(self) -> None:
        """Wait until the lease is ours."""
        log.info("waiting for the lease %s", self._lock)
        while not await self._try(self._at.monotonic() + self.terms.renew_deadline):
            await self._at.sleep(self.terms.retry_period * (1 + _JITTER * self._at.dice()))
        log.info("holding the lease %s as %s", self._lock, self.identity)

    async def hold(self) -> None:
        """Renew the lease again and again; returns when it is another's, or could not be for too long."""
        while await self._renew():
            await self._at.sleep(self.terms.retry_period)
        log.error("lost the lease %s to %s", self._lock, self.leader if not self.is_leader else "time")

    async def release(self) -> None:
        """Give the lease up, so that others need not wait; only after all work it guards has ended."""
        deadline = self._at.monotonic() + self.terms.renew_deadline
        while self.is_leader and self._at.monotonic() < deadline:
            try:
                if await self._give_up(self._seconds_until(deadline)):
                    log.info("gave up the lease %s", self._lock)
            except Conflict:
                continue
            except (ApiError, TransportError) as error:
                log.warning("could not give up the lease %s, it will run out: %s", self._lock, error)
                return

    # -- one try --------------------------------------------------------------------------------

    async def _renew(self) -> bool:
        deadline = self._at.monotonic() + self.terms.renew_deadline
        while not await self._try(deadline):
            if not self.is_leader or self._at.monotonic() + self.terms.retry_period >= deadline:
                return False  # client-go would try on, while the other one is leading already
            await self._at.sleep(self.terms.retry_period)
        return True

    async def _try(self, deadline: float) -> bool:
        """Take the lease, or renew it, if that is possible now."""
        try:
            held = await self._renew_unread(deadline) or await self._take_or_renew(deadline)
            self._failing = False
        except (ApiError, TransportError) as error:
            level = logging.DEBUG if self._failing else logging.WARNING
            log.log(level, "can not get at the lease %s, trying again: %s", self._lock, error)
            held, self._failing = False, True
        self._report()
        return held

    async def _renew_unread(self, deadline: float) -> bool:
        """The usual case: nobody has written since we did."""
        record = self._observed
        if record is None or not self.is_leader or not self._is_valid():
            return False
        try:
            claim = self._claim(record, transitions=record.transitions)
            self._observe(await self._lock.update(record, claim, self._seconds_until(deadline)))
        except (ApiError, TransportError) as error:
            log.debug("reading the lease %s again: %s", self._lock, error)
            return False
        return True

    async def _take_or_renew(self, deadline: float) -> bool:
        record = await self._lock.get(self._seconds_until(deadline))
        if record is None:
            claim = self._claim(None, transitions=0)
            self._observe(await self._lock.create(claim, self._seconds_until(deadline)))
            return True
        if self._observed is None or self._observed.spec != record.spec:
            self._observe(record)
        else:
            self._observed = record  # nothing has changed but, perhaps, the version
        if record.holder and not self.is_leader and self._is_valid():
            return False
        ours = self.is_leader
        transitions = record.transitions + (0 if ours else 1)
        claim = self._claim(record if ours else None, transitions=transitions)
        self._observe(await self._lock.update(record, claim, self._seconds_until(deadline)))
        return True

    async def _give_up(self, seconds: float) -> bool:
        record = await self._lock.get(seconds)
        if record is None or record.holder != self.identity:
            self._observed = record
            return False
        now = format_micro_time(self._at.wall())
        spec = LeaseSpec(
            holder_identity="",
            lease_duration_seconds=1,
            acquire_time=now,
            renew_time=now,
            lease_transitions=record.transitions,
        )
        self._observe(await self._lock.update(record, spec, seconds))
        return True

    def _seconds_until(self, deadline: float) -> float:
        """How long the next call may take."""
        left = deadline - self._at.monotonic()
        if left <= 0:
            raise TransportError("no time is left")
        return min(left, self.terms.request_seconds)

    def _claim(self, ours: Record | None, *, transitions: int) -> LeaseSpec:
        now = format_micro_time(self._at.wall())
        return LeaseSpec(
            holder_identity=self.identity,
            lease_duration_seconds=int(self.terms.lease_duration),
            acquire_time=ours.spec.acquire_time if ours is not None else now,
            renew_time=now,
            lease_transitions=transitions,
        )

    def _observe(self, record: Record) -> None:
        self._observed = record
        self._observed_at = self._at.monotonic()

    def _is_valid(self) -> bool:
        lasting = (self._observed.spec.lease_duration_seconds or 0) if self._observed is not None else 0
        return self._observed_at + lasting > self._at.monotonic()

    def _report(self) -> None:
        if self.leader and self.leader != self._reported:
            self._reported = self.leader
            log.info("the leader is %s", self.leader)
