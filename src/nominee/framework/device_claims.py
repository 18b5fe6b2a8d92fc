"""Which devices are taken: by allocated claims, and by allocations still on their way to the API server.

Several plugins, profiles and attempts must agree on that, so that it lives with the cluster's state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from nominee.model.dra import AllocationResult, DeviceRequestAllocationResult, ResourceClaim
from nominee.model.quantity import nano_value
from nominee.state.cluster_view import ClusterView

_MEMORY = 4096  # changes to remember

PoolKey = tuple[str, str]
"""(driver, pool)"""


class DeviceID(NamedTuple):
    """What names a device: its name is unique within its pool, a pool's within its driver."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class AllocatedDevices:
    """Devices in use, counted by claim results so that each can be taken back.

    dedicated  devices given to one claim alone
    shares     devices given to several claims, and how many shares each has out
    consumed   of these, how much of each capacity, in nanos
    """

    def __init__(self) -> None:
        self.dedicated: dict[DeviceID, int] = {}
        self.shares: dict[DeviceID, int] = {}
        self.consumed: dict[DeviceID, dict[str, int]] = {}
        self.clock = 0  # how many changes there were
        self._changes: deque[PoolKey] = deque(maxlen=_MEMORY)
        self._in_pool: dict[PoolKey, dict[DeviceID, int]] = {}
        self._occupancies: dict[PoolKey, Hashable] = {}

    def __contains__(self, device: object) -> bool:
        return device in self.dedicated or device in self.shares

    def count(self, allocation: AllocationResult | None, sign: int) -> None:
        """Add (+1) or take back (-1) the devices of an allocation.

        Reproduces foreachAllocatedDevice
        (pkg/scheduler/framework/plugins/dynamicresources/allocateddevices.go, v1.37).
        """
        for result in allocation.devices.results if allocation is not None else ():
            if not result.admin_access:  # that shares a device with whoever has it
                self._count(result, DeviceID(result.driver, result.pool, result.device), sign)

    def _count(self, result: DeviceRequestAllocationResult, device: DeviceID, sign: int) -> None:
        pool = device[:2]
        self._occupancies.pop(pool, None)
        self._changes.append(pool)
        self.clock += 1
        _step(self._in_pool.setdefault(pool, {}), device, sign)
        if not self._in_pool[pool]:
            del self._in_pool[pool]
        if result.share_id is None:
            _step(self.dedicated, device, sign)
            return
        _step(self.shares, device, sign)
        amounts = self.consumed.setdefault(device, {})
        for name, amount in result.consumed_capacity.items():
            amounts[name] = amounts.get(name, 0) + sign * nano_value(amount)
        if device not in self.shares:
            del self.consumed[device]

    def changes_since(self, clock: int) -> list[PoolKey] | None:
        """The pools in which anything was taken or given back since; None if nobody remembers."""
        behind = self.clock - clock
        if clock < 0 or behind > len(self._changes):
            return None
        return [self._changes[i] for i in range(-behind, 0)]

    def occupancy(self, pool: PoolKey) -> Hashable:
        """What is taken of a pool, None for nothing; equal where the same devices are."""
        if pool not in self._in_pool:
            return None
        if pool not in self._occupancies:
            self._occupancies[pool] = tuple(
                (d.device, d in self.dedicated, tuple(sorted(self.consumed.get(d, {}).items())))
                for d in sorted(self._in_pool[pool])
            )
        return self._occupancies[pool]


def _step(counts: dict[DeviceID, int], device: DeviceID, sign: int) -> None:
    counts[device] = counts.get(device, 0) + sign
    if not counts[device]:
        del counts[device]


class _Assumed(NamedTuple):
    claim: ResourceClaim
    pod_uid: str  # who uses a claim that the watch has not shown yet
    known: bool  # the watch has shown it in some form


class ClaimLedger:
    """Claims as decisions see them: what the watch shows, and what it is bound to show soon.

    A claim is *pending* from Reserve until its allocation is written (or given up), then *assumed*
    until the watch shows a version at least as new.
    Reproduces claimTracker (pkg/scheduler/framework/plugins/dynamicresources/dra_manager.go, v1.37).
    """

    def __init__(self) -> None:
        self.clock = 0  # changes with everything here
        self._devices = AllocatedDevices()
        self._version = -1
        self._shown: dict[str, ResourceClaim] = {}
        self._pending: dict[str, AllocationResult] = {}  # by the claim's uid
        self._assumed: dict[str, _Assumed] = {}  # by its key

    @staticmethod
    def of(cluster: ClusterView) -> ClaimLedger:
        """The one ledger of a cluster, up to date."""
        ledger = cluster.lasting(ClaimLedger)
        ledger.bring_up(cluster)
        return ledger

    # -- reading --------------------------------------------------------------------------------

    @property
    def devices(self) -> AllocatedDevices:
        return self._devices

    def claim(self, key: str) -> ResourceClaim | None:
        """The claim of that `namespace/name` in its latest form."""
        assumed = self._assumed.get(key)
        return assumed.claim if assumed is not None else self._shown.get(key)

    def claims(self) -> Iterator[ResourceClaim]:
        """All claims."""
        latest: Mapping[str, ResourceClaim] = {
            **self._shown,
            **{key: assumed.claim for key, assumed in self._assumed.items()},
        }
        return iter(latest.values())

    def is_pending(self, uid: str) -> bool:
        """Whether an allocation of the claim is on its way."""
        return uid in self._pending

    # -- writing --------------------------------------------------------------------------------

    def reserve(self, uid: str, allocation: AllocationResult) -> None:
        """The claim is to get these devices; nobody else shall."""
        self.release(uid)
        self._pending[uid] = allocation
        self._devices.count(allocation, 1)
        self.clock += 1

    def release(self, uid: str) -> None:
        """It is not to get them after all, or has them."""
        allocation = self._pending.pop(uid, None)
        if allocation is not None:
            self._devices.count(allocation, -1)
            self.clock += 1

    def assume(self, claim: ResourceClaim, pod_uid: str) -> None:
        """The API server has this form of the claim; the watch will show it."""
        self.forget(claim.key)
        self._count(self._shown.get(claim.key), -1)
        self._assumed[claim.key] = _Assumed(claim, pod_uid, claim.key in self._shown)
        self._count(claim, 1)
        self.clock += 1

    def forget(self, key: str) -> None:
        """What the watch shows of the claim holds again."""
        assumed = self._assumed.pop(key, None)
        if assumed is not None:
            self._count(assumed.claim, -1)
            self._count(self._shown.get(key), 1)
            self.clock += 1

    def _count(self, claim: ResourceClaim | None, sign: int) -> None:
        if claim is not None:
            self._devices.count(claim.status.allocation, sign)

    # -- keeping up with the watch --------------------------------------------------------------

    def bring_up(self, cluster: ClusterView) -> None:
        """Take in what the watch has shown since."""
        version = cluster.version(ResourceClaim)
        if version != self._version:
            changed = cluster.changes_since(ResourceClaim, self._version)
            if changed is None:
                changed = [*self._shown, *(claim.key for claim in cluster.all(ResourceClaim))]
            for key in changed:
                claim = cluster.get(ResourceClaim, key)
                if self._shown.get(key) is not claim:
                    self._show(key, claim)
            self._version = version
            self.clock += 1
        for key, assumed in list(self._assumed.items()):
            if not assumed.known and not cluster.is_placed(assumed.pod_uid):
                self.forget(key)

    def _show(self, key: str, claim: ResourceClaim | None) -> None:
        assumed = self._assumed.get(key)
        if assumed is not None and claim is not None and _is_older(claim, assumed.claim):
            self._assumed[key] = assumed._replace(known=True)
            self._shown[key] = claim  # not counted: the assumed form is
            return
        self.forget(key)
        self._count(self._shown.pop(key, None), -1)
        if claim is not None:
            self._shown[key] = claim
            self._count(claim, 1)


def _is_older(claim: ResourceClaim, than: ResourceClaim) -> bool:
    """Whether it is an earlier version of the same claim."""
    if claim.metadata.uid != than.metadata.uid:
        return False
    old, new = claim.metadata.resource_version, than.metadata.resource_version
    return int(old) < int(new) if old.isdigit() and new.isdigit() else old != new
