"""Simulated nodes: they come up when somebody creates them, and say that they are alive."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from nominee.apiserver.rest import Rest
from nominee.driver.simulated.wishes import is_simulated
from nominee.embedded.addresses import Addresses
from nominee.embedded.agenda import Agenda
from nominee.embedded.node_objects import is_up, new_lease, new_node, ready_status, without_not_ready
from nominee.errors import NotFound
from nominee.model.timestamps import format_micro_time, format_time
from nominee.store.ports import Change, JsonObject, Stored

MANAGER = "kubelet"
LEASES = "leases.coordination.k8s.io"
LEASE_NAMESPACE = "kube-node-lease"
NETWORK = "172.16.0.0/12"

RENEW_SECONDS = 10.0
RENEWALS_PER_SECOND = 200
"""Thousands of nodes renew less often than every ten seconds, but well before their leases run out."""
LONGEST_RENEWAL = 30.0
_STEP = 0.5
_AT_ONCE = 10


class SimulatedNodes:
    """All of them, by name. `on_up(name)` is called when one has come up, `on_down` when it is no more."""

    def __init__(self, rest: Rest, agenda: Agenda) -> None:
        self.on_up: Callable[[str], None] = _nothing
        self._rest = rest
        self._agenda = agenda
        self._nodes: dict[str, JsonObject] = {}
        self._addresses = Addresses(NETWORK)
        self._renewed: dict[str, float] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def __len__(self) -> int:
        return len(self._nodes)

    def get(self, name: str) -> JsonObject | None:
        """The node as it is now."""
        return self._nodes.get(name)

    def address(self, name: str) -> str:
        """Its internal IP."""
        addresses = self._nodes[name].get("status", {}).get("addresses") or ()
        internal = (each["address"] for each in addresses if each["type"] == "InternalIP")
        return next(internal, "") or self._addresses.of(name)

    # -- what happens -------------------------------------------------------------------------------

    def start(self) -> Callable[[], None]:
        """Look after the nodes that there are, and those that come; the answer ends that."""
        for stored in self._rest.store.list("nodes"):
            self._seen(stored)
        self._agenda.after(_STEP, self._renew)
        return self._rest.store.listen(self._changed, ["nodes"])

    def create(self, count: int) -> None:
        """See to it that there are nodes of the numbers from 1 up to `count`."""
        self._create_from(1, count)

    def _create_from(self, number: int, count: int) -> None:
        """Some at a time, because thousands take a second."""
        end = min(number + _AT_ONCE, count + 1)
        for each in range(number, end):
            if self._rest.store.get("nodes", f"node-{each}") is None:
                self._rest.create("nodes", "", new_node(each), self._rest.context(MANAGER), copy=True)
        if end <= count:
            self._agenda.after(0, self._create_from, end, count)

    def _changed(self, change: Change) -> None:
        if change.type == "DELETED":
            self._gone(change.stored.key)
        else:
            self._seen(change.stored)

    def _seen(self, stored: Stored) -> None:
        node, name = stored.object, stored.key
        metadata = node["metadata"]
        if not is_simulated(metadata.get("labels") or {}, metadata.get("annotations") or {}):
            self._gone(name)
            return
        new = name not in self._nodes
        self._nodes[name] = node
        if new:
            self._restore_address(name, node)
            self._renewed[name] = 0.0
            self.on_up(name)
        if not is_up(node):
            self._agenda.after(0, self._bring_up, name)

    def _restore_address(self, name: str, node: JsonObject) -> None:
        for each in node.get("status", {}).get("addresses") or ():
            if each["type"] == "InternalIP":
                self._addresses.restore(name, each["address"])

    def _gone(self, name: str) -> None:
        if self._nodes.pop(name, None) is not None:
            self._renewed.pop(name, None)
            self._addresses.release(name)

    # -- what it does -------------------------------------------------------------------------------

    def _bring_up(self, name: str) -> None:
        """Its status says that it is ready, and the taint of a node that is not is taken off.

        Straight into the store, as what a kubelet says of its node is for nobody to dispute.
        """
        node = self._nodes.get(name)
        if node is None or is_up(node):
            return
        status = ready_status(node, self._addresses.of(name), format_time(self._agenda.clock.now()))
        self._rest.store.update("nodes", name, without_not_ready({**node, "status": status}))

    def _renew(self) -> None:
        """The leases that are due, of those that have waited longest."""
        now = self._agenda.clock.now()
        every = min(max(RENEW_SECONDS, len(self._nodes) / RENEWALS_PER_SECOND), LONGEST_RENEWAL)
        due = [name for name, at in self._renewed.items() if now - at >= every - _STEP]
        share = int(len(self._nodes) * _STEP / every) + 1
        for name in due[: share * 5 // 4]:  # not all at once that came at once
            self._renew_lease(name, now)
        self._agenda.after(_STEP, self._renew)

    def _renew_lease(self, name: str, now: float) -> None:
        """Straight into the store: nobody has a say in what a kubelet writes here twice a minute."""
        del self._renewed[name]
        self._renewed[name] = now  # now it is the last in line
        key, store, time = f"{LEASE_NAMESPACE}/{name}", self._rest.store, format_micro_time(now)
        lease = store.get(LEASES, key)
        if lease is not None:
            item = lease.object
            store.update(LEASES, key, {**item, "spec": {**item["spec"], "renewTime": time}})
            return
        node = self._nodes[name]
        with suppress(NotFound):  # the namespace is on its way out
            self._rest.create(LEASES, LEASE_NAMESPACE, new_lease(node, time), self._rest.context(MANAGER))


def _nothing(name: str) -> None:
    """Nobody wants to know."""
