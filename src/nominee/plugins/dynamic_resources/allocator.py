"""The search for devices: depth first over claims, requests and devices; the first solution is taken.

Reproduces Allocate and allocateOne (staging/src/k8s.io/dynamic-resource-allocation/structured/internal/
incubating/allocator_incubating.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from nominee.framework import AllocatedDevices, CelError, DeviceID, DeviceSelector
from nominee.plugins.dynamic_resources.capacity import Amount
from nominee.plugins.dynamic_resources.demands import MAX_DEVICES, Alternative, ClaimDemand, DemandError
from nominee.plugins.dynamic_resources.entries import DeviceEntry
from nominee.plugins.dynamic_resources.pools import Pool
from nominee.plugins.dynamic_resources.usage import Features, Usage

Location: TypeAlias = tuple[int, int, int]
"""Where a device is: pool, slice, device."""
ORIGIN: Location = (0, 0, 0)


class TimedOut(Exception):  # noqa: N818 - the search went on for too long
    """The search has taken more steps than it may."""


class _TooMany(Exception):  # noqa: N818 - a turn of the search, not an error
    """The claim would get more devices than a claim can hold, whatever is chosen from here on."""


class Pick(NamedTuple):
    """A device for an alternative of a request; `consumed` is None unless others may share it."""

    alternative: Alternative
    location: Location
    consumed: Mapping[str, Amount] | None


@dataclass(frozen=True, slots=True)
class Solution:
    """For each claim the devices it gets, and for each of its requests which alternative was chosen."""

    picks: tuple[tuple[Pick, ...], ...]
    chosen: tuple[tuple[int, ...], ...]


class Place(NamedTuple):
    """Where the search stands: in a claim, a request, an alternative of it, a device of that."""

    claim: int
    request: int = 0
    alternative: int = 0
    device: int = 0
    within: bool = False  # an alternative has been chosen


class Allocator:
    """One search, on one node."""

    def __init__(
        self,
        claims: Sequence[ClaimDemand],
        pools: Sequence[Pool],
        allocated: AllocatedDevices,
        features: Features,
        steps: int,
    ) -> None:
        self._claims = claims
        self._pools = pools
        self._features = features
        self._steps = steps
        self._usage = Usage(claims, allocated, features)
        self._chosen: dict[tuple[int, int], int] = {}
        self._picks: list[list[Pick]] = [[] for _ in claims]
        self._selectable: dict[tuple[Alternative, Location], bool] = {}
        self._wanted: dict[Alternative, list[Location]] = {}

    def search(self) -> Solution | None:
        """Find devices for all claims; None if there are not enough.

        Raises DemandError for claims that can not be served as they are, and TimedOut.
        """
        self._count_devices()
        if not self._allocate(Place(0), ORIGIN):
            return None
        chosen = tuple(
            tuple(self._chosen.get((c, r), 0) for r in range(len(demand.requests)))
            for c, demand in enumerate(self._claims)
        )
        return Solution(tuple(map(tuple, self._picks)), chosen)

    # -- before: what "all" means ---------------------------------------------------------------

    def _count_devices(self) -> None:
        for demand in self._claims:
            least = 0
            for request in demand.requests:
                for alternative in request.alternatives:
                    if alternative.all:
                        self._wanted[alternative] = self._all_devices(demand, alternative)
                least += min(map(self._size, request.alternatives))
            if least > MAX_DEVICES:
                problem = f"number of requested devices {least} exceeds the claim limit of {MAX_DEVICES}"
                raise DemandError(f"claim {demand.title}: {problem}")

    def _size(self, alternative: Alternative) -> int:
        return len(self._wanted[alternative]) if alternative.all else alternative.count

    def _all_devices(self, demand: ClaimDemand, alternative: Alternative) -> list[Location]:
        place = f"claim {demand.title}, request {alternative.own_name}"
        found = []
        for p, pool in enumerate(self._pools):
            if pool.incomplete or pool.invalid:
                state = "being updated" if pool.incomplete else "invalid"
                problem = f"asks for all devices, but resource pool {pool} is currently {state}"
                raise DemandError(f"{place}: {problem}")
            for s, within in enumerate(pool.slices):
                for d, entry in enumerate(within.devices):
                    location = (p, s, d)
                    selectable = self._is_selectable(demand, alternative, location)
                    if selectable and self._usage.is_large_enough(demand, alternative, entry):
                        found.append(location)
        return found

    # -- the search -----------------------------------------------------------------------------

    def _allocate(self, at: Place, start: Location) -> bool:
        """Serve everything from here on; `start` is where to go on looking within a request."""
        self._steps -= 1
        if self._steps < 0:
            raise TimedOut
        if at.claim >= len(self._claims):
            return True
        demand = self._claims[at.claim]
        if at.request >= len(demand.requests):
            try:
                return self._allocate(Place(at.claim + 1), ORIGIN)
            except _TooMany:
                return False  # other choices in this claim may leave the next one with fewer
        request = demand.requests[at.request]
        if request.prioritized and not at.within:
            return self._first_available(at, request.alternatives)
        alternative = request.alternatives[at.alternative]
        size = self._size(alternative)
        if alternative.all and not size:
            return False
        if at.device >= size:
            return self._allocate(Place(at.claim, at.request + 1), ORIGIN)
        if len(self._picks[at.claim]) + size - at.device > MAX_DEVICES:
            raise _TooMany
        if alternative.all:  # there is no choice: the next one of those that are wanted, or none
            return self._try(at, demand, alternative, self._wanted[alternative][at.device], ORIGIN)
        return self._take_any(at, demand, alternative, start)

    def _first_available(self, at: Place, alternatives: Sequence[Alternative]) -> bool:
        too_many = True
        for i in range(len(alternatives)):
            try:
                if self._allocate(at._replace(alternative=i, within=True), ORIGIN):
                    self._chosen[at.claim, at.request] = i
                    return True
            except _TooMany:
                continue
            too_many = False
        if too_many:
            raise _TooMany
        return False

    def _take_any(self, at: Place, demand: ClaimDemand, alternative: Alternative, start: Location) -> bool:
        """Try one device after the other; within a request only combinations, no permutations."""
        for p in range(start[0], len(self._pools)):
            pool = self._pools[p]  # without slices if it is incomplete or invalid
            for s in range(start[1] if p == start[0] else 0, len(pool.slices)):
                first = start[2] if (p, s) == start[:2] else 0
                for d in range(first, len(pool.slices[s].devices)):
                    location = (p, s, d)
                    if self._is_candidate(at.claim, demand, alternative, location) and self._try(
                        at, demand, alternative, location, (p, s, d + 1)
                    ):
                        return True
        return False

    def _try(
        self, at: Place, demand: ClaimDemand, alternative: Alternative, location: Location, then: Location
    ) -> bool:
        """Take the device and go on; give it back when that leads nowhere."""
        taken = self._usage.take(at.claim, demand, alternative, *self._at(location))
        if taken is None:
            return False
        picks = self._picks[at.claim]
        picks.append(Pick(alternative, location, taken.consumed))
        done = False
        try:
            done = self._allocate(at._replace(device=at.device + 1), then)
        finally:
            if not done:
                picks.pop()
                taken.undo()
        return done

    # -- one device -----------------------------------------------------------------------------

    def _at(self, location: Location) -> tuple[Pool, DeviceEntry]:
        p, s, d = location
        pool = self._pools[p]
        return pool, pool.slices[s].devices[d]

    def _is_candidate(
        self, c: int, demand: ClaimDemand, alternative: Alternative, location: Location
    ) -> bool:
        """Whether it is free and what is asked for; the first costs less to say."""
        pool, entry = self._at(location)
        device = DeviceID(pool.driver, pool.name, entry.device.name)
        free = not self._usage.is_taken(c, alternative, device)
        return free and self._is_selectable(demand, alternative, location)

    def _is_selectable(self, demand: ClaimDemand, alternative: Alternative, location: Location) -> bool:
        known = self._selectable.get((alternative, location))
        if known is None:
            known = self._select(demand, alternative, *self._at(location))
            self._selectable[alternative, location] = known
        return known

    def _select(self, demand: ClaimDemand, alternative: Alternative, pool: Pool, entry: DeviceEntry) -> bool:
        """Ask the class, then the request, then whether the node can reach the device at all."""
        if entry.device.binding_conditions and not self._features.binding_conditions:
            return False
        device_class, device = alternative.device_class, f"{pool}/{entry.device.name}"
        return (
            _all_match(f"class {device_class.name}", device_class.spec.selectors, device, entry)
            and _all_match(f"claim {demand.title}", alternative.selectors, device, entry)
            and entry.device.name not in pool.unreachable
        )


def _all_match(whose: str, selectors: Sequence[DeviceSelector], device: str, entry: DeviceEntry) -> bool:
    for i, selector in enumerate(selectors):
        try:
            if selector.cel is not None and not entry.facts.match(selector.cel.expression):
                return False
        except CelError as error:
            place = "" if error.message.startswith("CEL compile error") else f" on device {device}"
            raise DemandError(f"{whose}: selector #{i}{place}: {error.message}") from None
    return True
