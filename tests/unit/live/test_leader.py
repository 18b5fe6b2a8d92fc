"""Elections in virtual time: candidates share a lease, and a clock that jumps."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator

import pytest

from nominee.errors import ApiError, Conflict, TransportError
from nominee.live.leader import LeaderElector, Terms, Time, own_identity
from nominee.live.lease import Record
from nominee.model.coordination import LeaseSpec


class VirtualTime:
    """Jumps to the next moment at which somebody wakes up, when all are asleep."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    async def sleep(self, seconds: float) -> None:
        self._count += 1
        wakes = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, self._count, wakes))
        await wakes

    async def run(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self.now + seconds
        await settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            self.now, _, wakes = heapq.heappop(self._sleepers)
            if not wakes.done():
                wakes.set_result(None)
            await settle()
        self.now = end

    def as_time(self, ahead: float) -> Time:
        # Walls differ between machines by hours: nobody may rely on another one's.
        return Time(
            wall=lambda: self.now + ahead, monotonic=lambda: self.now, sleep=self.sleep, dice=lambda: 0.0
        )


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


class SharedLease:
    """A lease in memory, with versions; a failure can be put in the way of each candidate."""

    def __init__(self) -> None:
        self.spec: LeaseSpec | None = None
        self.version = 0
        self.written: list[str] = []

    def held_by(self, holder: str, seconds: int = 15) -> None:
        self.spec = LeaseSpec(holder_identity=holder, lease_duration_seconds=seconds, renew_time="t")
        self.version += 1


class Door:
    """One candidate's way to the lease."""

    def __init__(self, lease: SharedLease) -> None:
        self.lease = lease
        self.failure: Exception | None = None
        self.acts_all_the_same = False

    def _check(self) -> None:
        if self.failure is not None:
            raise self.failure

    async def get(self, seconds: float) -> Record | None:
        assert seconds > 0
        self._check()
        lease = self.lease
        return None if lease.spec is None else Record(lease.spec, {"version": lease.version})

    async def create(self, spec: LeaseSpec, seconds: float) -> Record:
        self._check()
        if self.lease.spec is not None:
            raise Conflict(409, "there is one")
        return self._write(spec)

    async def update(self, record: Record, spec: LeaseSpec, seconds: float) -> Record:
        assert seconds > 0
        if not self.acts_all_the_same:
            self._check()
        if record.item["version"] != self.lease.version:
            raise Conflict(409, "somebody else was first")
        written = self._write(spec)
        self._check()
        return written

    def _write(self, spec: LeaseSpec) -> Record:
        self.lease.spec = spec
        self.lease.version += 1
        self.lease.written.append(spec.holder_identity or "")
        return Record(spec, {"version": self.lease.version})


class Candidate:
    """Runs an elector as a process does."""

    def __init__(self, name: str, lease: SharedLease, time: VirtualTime) -> None:
        self.door = Door(lease)
        self.elector = LeaderElector(self.door, name, Terms(), time.as_time(3600.0 * ord(name)))
        self._leads = False
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        await self.elector.acquire()
        self._leads = True
        await self.elector.hold()
        self._leads = False

    @property
    def leads(self) -> bool:
        return self._leads

    def kill(self) -> None:
        self.task.cancel()


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def lease() -> SharedLease:
    return SharedLease()


@pytest.fixture
async def a(lease: SharedLease, time: VirtualTime) -> AsyncIterator[Candidate]:
    """A candidate that has taken the lease."""
    candidate = Candidate("a", lease, time)
    await settle()
    yield candidate
    candidate.kill()


@pytest.fixture
async def b(a: Candidate, lease: SharedLease, time: VirtualTime) -> AsyncIterator[Candidate]:
    """One that came later."""
    assert a.leads
    candidate = Candidate("b", lease, time)
    await settle()
    yield candidate
    candidate.kill()


async def test_the_first_takes_a_lease_that_is_not_there(a: Candidate, lease: SharedLease) -> None:
    assert a.leads
    assert lease.spec is not None
    assert lease.spec == replace_times(
        LeaseSpec(holder_identity="a", lease_duration_seconds=15, lease_transitions=0), lease.spec
    )


def replace_times(spec: LeaseSpec, like: LeaseSpec) -> LeaseSpec:
    return LeaseSpec(
        holder_identity=spec.holder_identity,
        lease_duration_seconds=spec.lease_duration_seconds,
        lease_transitions=spec.lease_transitions,
        acquire_time=like.acquire_time,
        renew_time=like.renew_time,
    )


async def test_only_one_leads_while_it_renews(a: Candidate, b: Candidate, time: VirtualTime) -> None:
    await time.run(600)
    assert (a.leads, b.leads) == (True, False)
    assert b.elector.leader == "a"


async def test_it_renews_every_two_seconds(a: Candidate, lease: SharedLease, time: VirtualTime) -> None:
    before = len(lease.written)
    await time.run(20)
    assert a.leads
    assert len(lease.written) - before == 10


async def test_a_dead_leader_is_succeeded_when_its_lease_has_run_out(
    a: Candidate, b: Candidate, lease: SharedLease, time: VirtualTime
) -> None:
    await time.run(60)
    a.kill()
    await time.run(12)
    assert b.elector.leader == "a"
    await time.run(6)
    assert b.elector.leader == "b"
    assert lease.spec is not None
    assert lease.spec.lease_transitions == 1


async def test_of_two_followers_one_succeeds(
    a: Candidate, b: Candidate, lease: SharedLease, time: VirtualTime
) -> None:
    c = Candidate("c", lease, time)
    await time.run(60)
    a.kill()
    await time.run(30)
    assert sorted((b.leads, c.leads)) == [False, True]
    c.kill()


async def test_a_lease_counts_from_when_we_saw_it_change(lease: SharedLease, time: VirtualTime) -> None:
    lease.held_by("somebody long dead")
    candidate = Candidate("b", lease, time)
    await time.run(14)
    assert candidate.elector.leader == "somebody long dead"
    await time.run(4)
    assert candidate.elector.leader == "b"
    candidate.kill()


async def test_a_released_lease_is_taken_at_the_next_try(
    a: Candidate, b: Candidate, lease: SharedLease, time: VirtualTime
) -> None:
    await time.run(60)
    a.kill()
    await settle()
    await a.elector.release()
    assert lease.spec is not None
    assert (lease.spec.holder_identity, lease.spec.lease_duration_seconds) == ("", 1)
    await time.run(2.1)
    assert b.leads


async def test_releasing_what_is_not_ours_changes_nothing(b: Candidate, lease: SharedLease) -> None:
    before = lease.version
    await b.elector.release()
    assert lease.version == before


async def test_release_reads_again_after_a_conflict(a: Candidate, lease: SharedLease) -> None:
    lease.version += 1  # somebody labelled it
    await a.elector.release()
    assert lease.spec is not None
    assert lease.spec.holder_identity == ""


async def test_a_server_that_is_away_longer_than_the_deadline_ends_the_lead(
    a: Candidate, time: VirtualTime
) -> None:
    await time.run(9)
    a.door.failure = TransportError("no connection")
    await time.run(7)
    assert a.leads
    await time.run(5)
    assert not a.leads


async def test_the_leader_gives_up_before_others_take_over(
    a: Candidate, b: Candidate, time: VirtualTime
) -> None:
    await time.run(60)
    a.door.failure = TransportError("no connection")
    while not b.leads:
        await time.run(0.5)
        assert not (a.leads and b.leads)
    assert not a.leads


async def test_a_short_absence_does_not(a: Candidate, time: VirtualTime) -> None:
    a.door.failure = ApiError(500, "etcd has no leader")
    await time.run(8)
    a.door.failure = None
    await time.run(60)
    assert a.leads


async def test_an_update_whose_answer_was_lost_is_ours(a: Candidate, time: VirtualTime) -> None:
    a.door.failure, a.door.acts_all_the_same = TransportError("broke"), True
    await time.run(3)
    a.door.failure = None
    await time.run(60)
    assert a.leads


async def test_a_conflict_leads_to_another_look(a: Candidate, lease: SharedLease, time: VirtualTime) -> None:
    lease.version += 1
    await time.run(10)
    assert a.leads


async def test_a_leader_that_finds_another_one_stops_at_once(
    a: Candidate, lease: SharedLease, time: VirtualTime
) -> None:
    lease.held_by("usurper")
    await time.run(2)
    assert not a.leads
    assert a.elector.leader == "usurper"


async def test_the_time_of_acquiring_stays(a: Candidate, lease: SharedLease, time: VirtualTime) -> None:
    assert lease.spec is not None
    lease.spec = replace_times(lease.spec, LeaseSpec(acquire_time="then", renew_time="then"))
    lease.version += 1
    await time.run(10)
    assert a.leads
    assert lease.spec.acquire_time == "then"


async def test_a_leader_that_hangs_is_overdue(a: Candidate, time: VirtualTime) -> None:
    await time.run(60)
    assert not a.elector.overdue()
    a.kill()
    await time.run(36)
    assert a.elector.overdue()


def test_identities_differ() -> None:
    assert own_identity() != own_identity()
    assert "_" in own_identity()
