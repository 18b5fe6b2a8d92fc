"""What always holds of a queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nominee.errors import InternalError
from nominee.queue.places import Places
from nominee.queue.scheduling_queue import SchedulingQueue


def check(queue: SchedulingQueue) -> None:
    """Raise InternalError unless every invariant holds; reads everything, so for tests and doubts."""
    problems = list(_problems(queue))
    if problems:
        raise InternalError(f"the queue is inconsistent: {'; '.join(problems)}")


def _problems(queue: SchedulingQueue) -> Iterator[str]:
    places, in_flight = queue.parts()
    for heap in (places.active, places.backoff.rejected, places.backoff.failed):
        yield from heap.problems()
    yield from places.aside.problems()
    yield from in_flight.problems()
    homes = Counter([q.pod.uid for q in places] + list(in_flight))
    yield from (f"{uid!r} is in {number} places" for uid, number in homes.items() if number > 1)
    yield from _misplaced(places)
    if sum(queue.counts().values()) != len(queue):
        yield "the counts do not add up"


def _misplaced(places: Places) -> Iterator[str]:
    for queued in (*places.active, *places.backoff):
        if queued.gating_plugin:
            yield f"{queued.pod.uid!r} is gated and yet may go on"
    for queued in places.backoff.rejected:
        if not queued.rejectors:
            yield f"{queued.pod.uid!r} was rejected by nobody"
    for queued in places.backoff.failed:
        if queued.rejectors:
            yield f"{queued.pod.uid!r} was rejected and yet waits with the failed"
