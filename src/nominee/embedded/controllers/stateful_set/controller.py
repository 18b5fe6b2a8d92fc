"""The stateful set controller.

Reproduces pkg/controller/statefulset/stateful_set_control.go, v1.37: in order, each pod waits for those
before it; in parallel, none waits for another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.amounts import amount
from nominee.embedded.controllers.claims import claim, keys_of_owners
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.controllers.history import HASH_OF_REVISION, History
from nominee.embedded.controllers.ownership import being_deleted
from nominee.embedded.controllers.pod_control import NAMESPACE_TERMINATING, PodControl, caused_by
from nominee.embedded.controllers.pods import (
    available,
    next_availability,
    phase,
    terminated,
)
from nominee.embedded.controllers.stateful_set.pod_control import CLAIMANT, StatefulPods
from nominee.embedded.controllers.stateful_set.pods import (
    first_ordinal,
    ordinal,
    parent_name,
    replicas,
    revision_of,
    running_and_ready,
    unavailable,
)
from nominee.errors import ApiError
from nominee.store.ports import JsonObject


@dataclass(frozen=True, slots=True)
class Round:
    """A stateful set and its pods at one time.

    slots       a pod, or none, for each number that there should be
    condemned   the pods beyond, the last first
    """

    owner: JsonObject
    slots: list[JsonObject | None]
    condemned: list[JsonObject]
    current: JsonObject
    update: JsonObject
    now: float

    @property
    def wait(self) -> int:
        """For how many seconds a pod is to be ready before it is available."""
        seconds: int = self.owner["spec"].get("minReadySeconds", 0)
        return seconds

    @property
    def in_order(self) -> bool:
        """Whether each pod waits for those before it."""
        policy: str = self.owner["spec"].get("podManagementPolicy", "OrderedReady")
        return policy != "Parallel"

    def unavailable(self, pod: JsonObject | None) -> bool:
        """Whether a pod can not be counted upon."""
        return unavailable(pod, self.wait, self.now)


class StatefulSetController:
    """Keeps numbered pods."""

    name = "statefulset-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        events = access.recorder(self.name)
        self._pods = StatefulPods(access, events, PodControl(access, CLAIMANT, events))
        self._history = History(access, CLAIMANT, HASH_OF_REVISION)

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            CLAIMANT.resource: own_key,
            "pods": lambda change: keys_of_owners(self._access, CLAIMANT, change),
        }

    def reconcile(self, key: str) -> float | None:
        owner = self._access.get(CLAIMANT.resource, key)
        if owner is None:
            return None
        update, old, collisions = self._history.settle(owner)
        noted = (owner.get("status") or {}).get("currentRevision")
        current = next((item for item in old if item["metadata"]["name"] == noted), update)
        claim(self._access, CLAIMANT, owner, "pods")
        failure = None
        if not being_deleted(owner):
            try:
                self._work(self._round(owner, current, update))
            except ApiError as error:
                failure = error
        after = self._round(owner, current, update)
        self._write(after, collisions)
        live = {update["metadata"]["name"], current["metadata"]["name"]}
        live |= {revision_of(pod) for pod in self._members(owner)}
        self._history.truncate(owner, old, live)
        if failure is not None and not caused_by(failure, NAMESPACE_TERMINATING):
            raise failure
        pods = [pod for pod in self._members(owner) if running_and_ready(pod)]
        return next_availability(pods, after.wait, after.now) if after.wait else None

    def _members(self, owner: JsonObject) -> list[JsonObject]:
        name = owner["metadata"]["name"]
        pods = self._access.controlled("pods", owner)
        return [pod for pod in pods if parent_name(pod) == name]

    def _round(self, owner: JsonObject, current: JsonObject, update: JsonObject) -> Round:
        first, wanted = first_ordinal(owner), replicas(owner)
        slots: list[JsonObject | None] = [None] * wanted
        condemned = []
        for pod in self._members(owner):
            position = ordinal(pod) - first
            if 0 <= position < wanted:
                slots[position] = pod
            else:
                condemned.append(pod)
        condemned.sort(key=ordinal, reverse=True)
        return Round(owner, slots, condemned, current, update, self._access.now())

    # -- one thing after the other ------------------------------------------------------------------

    def _work(self, turn: Round) -> None:
        for position in range(len(turn.slots)):
            if self._tend(turn, position) and turn.in_order:
                return
        if self._condemn(turn):
            return
        if turn.owner["spec"]["updateStrategy"]["type"] == "RollingUpdate":
            self._roll(turn)

    def _tend(self, turn: Round, position: int) -> bool:
        """See to one pod; True if those after it have to wait for it."""
        pod, owner = turn.slots[position], turn.owner
        if pod is None:
            number = first_ordinal(owner) + position
            self._pods.create(owner, self._revision_for(turn, position), number)
            return True
        if terminated(pod):
            if not being_deleted(pod):
                self._pods.delete(owner, pod)
            return True
        if phase(pod) == "Pending":
            self._pods.create_claims(owner, ordinal(pod))
        if turn.in_order and (being_deleted(pod) or turn.unavailable(pod) or not running_and_ready(pod)):
            return True
        if not being_deleted(pod):
            self._pods.mend(owner, pod)
        return False

    def _revision_for(self, turn: Round, position: int) -> JsonObject:
        """Pods below the partition stay what they were (newVersionedStatefulSetPod)."""
        strategy = turn.owner["spec"]["updateStrategy"]
        if strategy["type"] != "RollingUpdate":
            return turn.update
        rolling = strategy.get("rollingUpdate")
        if rolling is None:
            kept = (turn.owner.get("status") or {}).get("currentReplicas", 0)
        else:
            kept = rolling.get("partition", 0) - first_ordinal(turn.owner)
        return turn.current if position < kept else turn.update

    def _condemn(self, turn: Round) -> bool:
        """Delete what is too much, the last first; True if there is still something."""
        everyone = [*(pod for pod in turn.slots if pod is not None), *reversed(turn.condemned)]
        first_ill = next((pod for pod in everyone if turn.unavailable(pod)), None)
        for pod in turn.condemned:
            if being_deleted(pod):
                if turn.in_order:
                    return True
                continue
            ill = not running_and_ready(pod) or not available(pod, turn.wait, turn.now)
            if turn.in_order and ill and pod is not first_ill:
                return True
            self._pods.release_claims(turn.owner, pod)
            self._pods.delete(turn.owner, pod)
            if turn.in_order:
                return True
        return bool(turn.condemned)

    def _roll(self, turn: Round) -> None:
        """Delete pods of other revisions, the last first, so that they come back as new ones.

        Reproduces updateStatefulSetAfterInvariantEstablished.
        """
        rolling = turn.owner["spec"]["updateStrategy"].get("rollingUpdate") or {}
        lowest = max(0, rolling.get("partition", 0) - first_ordinal(turn.owner))
        may_miss = max(1, amount(rolling.get("maxUnavailable", 1), len(turn.slots), up=True))
        missing = sum(turn.unavailable(pod) for pod in turn.slots)
        stale = [pod for pod in reversed(turn.slots[lowest:]) if pod is not None and self._stale(turn, pod)]
        if not turn.in_order:
            for pod in stale:
                if turn.unavailable(pod):
                    self._pods.delete(turn.owner, pod)
            stale = [pod for pod in stale if not turn.unavailable(pod)]
        for pod in stale[: max(0, may_miss - missing)]:
            self._pods.delete(turn.owner, pod)

    def _stale(self, turn: Round, pod: JsonObject) -> bool:
        return revision_of(pod) != turn.update["metadata"]["name"] and not being_deleted(pod)

    # -- telling ------------------------------------------------------------------------------------

    def _write(self, turn: Round, collisions: int) -> None:
        owner = turn.owner
        before = owner.get("status") or {}
        status = _counts(turn)
        status["observedGeneration"] = owner["metadata"].get("generation", 0)
        status["collisionCount"] = collisions
        if before.get("conditions"):
            status["conditions"] = before["conditions"]
        current, update = turn.current["metadata"]["name"], turn.update["metadata"]["name"]
        if _complete(owner, status):
            status["currentReplicas"], current = status["updatedReplicas"], update
        status["currentRevision"], status["updateRevision"] = current, update
        always = ("replicas", "availableReplicas", "collisionCount")
        status = {name: value for name, value in status.items() if value or name in always}
        if status != before:
            self._access.update_status(CLAIMANT.resource, {**owner, "status": status})


def _counts(turn: Round) -> JsonObject:
    pods = [*(pod for pod in turn.slots if pod is not None), *turn.condemned]
    staying = [pod for pod in pods if not being_deleted(pod)]
    working = [pod for pod in pods if running_and_ready(pod)]
    return {
        "replicas": len(pods),
        "readyReplicas": len(working),
        "availableReplicas": sum(available(pod, turn.wait, turn.now) for pod in working),
        "currentReplicas": sum(revision_of(pod) == turn.current["metadata"]["name"] for pod in staying),
        "updatedReplicas": sum(revision_of(pod) == turn.update["metadata"]["name"] for pod in staying),
    }


def _complete(owner: JsonObject, status: JsonObject) -> bool:
    """Whether all pods are of the new revision, which then is the current one."""
    wanted = replicas(owner)
    numbers = ("updatedReplicas", "readyReplicas", "replicas")
    return owner["spec"]["updateStrategy"]["type"] == "RollingUpdate" and all(
        status[name] == wanted for name in numbers
    )
