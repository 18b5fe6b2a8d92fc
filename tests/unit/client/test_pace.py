"""How fast, and how long to wait."""

from __future__ import annotations

import pytest

from nominee.client import Backoff, RateLimit, rate_limit


class Time:
    """Passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds

    def limit(self, qps: float, burst: int) -> RateLimit:
        return RateLimit(qps, burst, monotonic=lambda: self.now, sleep=self.sleep)


@pytest.fixture
def time() -> Time:
    return Time()


async def test_a_burst_passes_and_the_rest_in_step(time: Time) -> None:
    limit = time.limit(qps=10, burst=3)
    for _ in range(6):
        await limit.take()
    assert time.slept == [0.1, 0.1, 0.1]


async def test_a_pause_earns_another_burst_and_no_more(time: Time) -> None:
    limit = time.limit(qps=10, burst=3)
    for _ in range(3):
        await limit.take()
    time.now += 3600
    for _ in range(4):
        await limit.take()
    assert time.slept == [0.1]


async def test_those_in_line_keep_their_distance(time: Time) -> None:
    limit = time.limit(qps=10, burst=1)
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(round(seconds, 6))

    limit._sleep = note  # nobody's sleep lets time pass: all come at once
    for _ in range(4):
        await limit.take()
    assert waits == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(("qps", "burst", "interval", "size"), [(0, 0, 0.02, 100), (5, 10, 0.2, 10)])
def test_what_client_connection_asks_for(qps: float, burst: int, interval: float, size: int) -> None:
    limit = rate_limit(qps, burst)
    assert limit is not None
    assert (limit._interval, limit._burst) == (interval, size)


def test_a_negative_rate_is_no_limit() -> None:
    assert rate_limit(-1, 100) is None


def test_pauses_grow_to_the_longest() -> None:
    backoff = Backoff(first=1, longest=5, dice=lambda: 0.5)
    assert [backoff.pause() for _ in range(5)] == [1, 2, 4, 5, 5]
    backoff.reset()
    assert backoff.pause() == 1


def test_pauses_are_spread() -> None:
    rolls = iter([0.0, 1.0])
    backoff = Backoff(first=1, longest=1, jitter=0.5, dice=lambda: next(rolls))
    assert [backoff.pause(), backoff.pause()] == [0.5, 1.5]
