"""What a search has taken so far, on top of what was taken before: devices, capacity, counters.

Reproduces allocateDevice (staging/src/k8s.io/dynamic-resource-allocation/structured/internal/
incubating/allocator_incubating.go, v1.37).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from nominee.framework import AllocatedDevices, DeviceID
from nominee.plugins.dynamic_resources.capacity import Amount, CapacityError, consumption, is_left
from nominee.plugins.dynamic_resources.constraints import Constraint
from nominee.plugins.dynamic_resources.counters import Counters, consumption_of
from nominee.plugins.dynamic_resources.demands import Alternative, ClaimDemand, DemandError
from nominee.plugins.dynamic_resources.entries import DeviceEntry
from nominee.plugins.dynamic_resources.pools import Pool
from nominee.plugins.dynamic_resources.taints import prevent

_NOTHING: Mapping[str, int] = {}


class Features(NamedTuple):
    """The gates that the search depends on."""

    consumable_capacity: bool = True
    partitionable_devices: bool = True
    device_taints: bool = True
    binding_conditions: bool = True
    fractional_capacity: bool = True


class Taken(NamedTuple):
    """A device that was taken: of a shared one how much, and how to give it back."""

    consumed: Mapping[str, Amount] | None
    undo: Callable[[], None]


class Usage:
    """Devices in use, before the search and by it. `claim` is the position of a claim in the search."""

    def __init__(
        self, claims: Sequence[ClaimDemand], allocated: AllocatedDevices, features: Features
    ) -> None:
        self._allocated = allocated
        self._features = features
        self._constraints = [[Constraint(c) for c in demand.constraints] for demand in claims]
        self._holders: dict[DeviceID, list[int]] = {}  # claims that get the device for themselves
        self._shares: dict[DeviceID, list[Mapping[str, Amount]]] = {}
        self._counters: dict[Pool, Counters] = {}
        self._consumptions: dict[tuple[Alternative, DeviceEntry], Mapping[str, Amount] | None] = {}

    def is_taken(self, claim: int, alternative: Alternative, device: DeviceID) -> bool:
        """Whether the device is out of reach; with admin access only within the same claim."""
        if alternative.admin:
            return claim in self._holders.get(device, ())
        dedicated = device in self._allocated.dedicated or bool(self._holders.get(device))
        return dedicated or (not self._features.consumable_capacity and device in self._allocated.shares)

    def is_large_enough(self, demand: ClaimDemand, alternative: Alternative, entry: DeviceEntry) -> bool:
        """Whether the device could serve the request were nothing of it taken."""
        if not self._features.consumable_capacity:
            return True
        consumed = self._consumption(demand, alternative, entry)
        return consumed is not None and is_left(consumed, entry.device.capacity)

    def take(
        self, claim: int, demand: ClaimDemand, alternative: Alternative, pool: Pool, entry: DeviceEntry
    ) -> Taken | None:
        """Take a device that the selectors like; None if it can not be had."""
        device = DeviceID(pool.driver, pool.name, entry.device.name)
        shared = self._features.consumable_capacity and bool(entry.device.allow_multiple_allocations)
        if self.is_taken(claim, alternative, device) and not (shared and alternative.admin):
            return None
        if not self._is_left(device, demand, alternative, entry):
            return None
        if self._features.device_taints and prevent(entry.taints, alternative.tolerations):
            return None
        release = self._draw_counters(device, pool, entry, shared=shared)
        if release is None:
            return None
        leave = self._join(claim, demand, alternative, pool, entry)
        if leave is None:
            release()
            return None
        consumed = self._consumption(demand, alternative, entry) if shared else None
        self._hold(device, claim, consumed)

        def undo() -> None:
            self._let_go(device, claim, consumed)
            leave()
            release()

        return Taken(consumed, undo)

    # -- holders --------------------------------------------------------------------------------

    def _hold(self, device: DeviceID, claim: int, consumed: Mapping[str, Amount] | None) -> None:
        if consumed is None:
            self._holders.setdefault(device, []).append(claim)
        else:
            self._shares.setdefault(device, []).append(consumed)

    def _let_go(self, device: DeviceID, claim: int, consumed: Mapping[str, Amount] | None) -> None:
        if consumed is None:
            self._holders[device].remove(claim)
        else:
            self._shares[device].pop()

    # -- constraints ----------------------------------------------------------------------------

    def _join(
        self, claim: int, demand: ClaimDemand, alternative: Alternative, pool: Pool, entry: DeviceEntry
    ) -> Callable[[], None] | None:
        """Let the device join the others under all constraints; the way to leave them again."""
        joined: list[Constraint] = []

        def leave() -> None:
            for constraint in joined:
                constraint.remove(alternative)

        for constraint in self._constraints[claim]:
            if not constraint.add(alternative, pool.driver, entry.device):
                leave()
                if alternative.all:  # such a claim makes no sense
                    device = f"{pool}/{entry.device.name}"
                    problem = f"cannot add device {device} because a claim constraint would not be satisfied"
                    raise DemandError(f"claim {demand.title}, request {alternative.own_name}: {problem}")
                return None
            joined.append(constraint)
        return leave

    # -- counters -------------------------------------------------------------------------------

    def _draw_counters(
        self, device: DeviceID, pool: Pool, entry: DeviceEntry, *, shared: bool
    ) -> Callable[[], None] | None:
        """Draw what the device needs; a further share of one in use needs nothing more."""
        in_use = device in self._allocated.shares or bool(self._shares.get(device))
        if not entry.device.consumes_counters or (shared and in_use):
            return _nothing
        if not self._features.partitionable_devices:
            return None
        counters = self._counters.get(pool)
        if counters is None:
            counters = self._counters[pool] = Counters(pool, self._allocated)
        drawn = consumption_of(entry.device)
        return (lambda: counters.release(drawn)) if counters.reserve(drawn) else None

    # -- capacity -------------------------------------------------------------------------------

    def _is_left(
        self, device: DeviceID, demand: ClaimDemand, alternative: Alternative, entry: DeviceEntry
    ) -> bool:
        if not self._features.consumable_capacity:
            return True
        consumed = self._consumption(demand, alternative, entry)
        if consumed is None:
            return False
        before = self._allocated.consumed.get(device, _NOTHING)
        shares = ({n: a.nanos for n, a in share.items()} for share in self._shares.get(device, ()))
        return is_left(consumed, entry.device.capacity, before, *shares)

    def _consumption(
        self, demand: ClaimDemand, alternative: Alternative, entry: DeviceEntry
    ) -> Mapping[str, Amount] | None:
        key = (alternative, entry)
        if key not in self._consumptions:
            try:
                self._consumptions[key] = consumption(
                    alternative.capacity,
                    entry.device.capacity,
                    fractional=self._features.fractional_capacity,
                )
            except CapacityError as error:
                place = f"claim {demand.title}, request {alternative.own_name}"
                problem = f"checking capacity for device {entry.device.name}: {error}"
                raise DemandError(f"{place}: {problem}") from None
        return self._consumptions[key]


def _nothing() -> None:
    """There is nothing to give back."""
