"""The daemon set controller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.claims import Claimant, claim, keys_of_owners
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.controllers.daemon_set.fit import pinned, pinned_to, tolerations_of
from nominee.embedded.controllers.daemon_set.plan import (
    TEMPLATE_GENERATION,
    Plan,
    Round,
    by_node,
    manage,
    over,
    replace,
)
from nominee.embedded.controllers.events import Subject
from nominee.embedded.controllers.history import HASH, History, hash_of
from nominee.embedded.controllers.ownership import being_deleted
from nominee.embedded.controllers.pod_control import NAMESPACE_TERMINATING, PodControl, caused_by
from nominee.embedded.controllers.pods import next_availability, phase, ready
from nominee.embedded.controllers.work_queue import LONGEST_DELAY
from nominee.errors import ApiError
from nominee.store.ports import Change, JsonObject

CLAIMANT = Claimant("daemonsets.apps", "apps/v1", "DaemonSet")
SUBJECT = Subject("apps/v1", "DaemonSet")
GENERATION = "deprecated.daemonset.template.generation"
AT_ONCE = 250
FIRST_BACKOFF = 1.0
LONGEST_BACKOFF = 900.0


class DaemonSetController:
    """Keeps a pod on every node that will have it."""

    name = "daemonset-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._events = access.recorder(self.name)
        self._control = PodControl(access, CLAIMANT, self._events)
        self._history = History(access, CLAIMANT, HASH)
        self._failures: dict[tuple[str, str], tuple[float, float]] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            CLAIMANT.resource: own_key,
            "pods": lambda change: keys_of_owners(self._access, CLAIMANT, change),
            "nodes": self._keys_of_node,
        }

    def _keys_of_node(self, change: Change) -> Iterable[str]:
        before, node = change.previous, change.stored.object
        if change.type == "MODIFIED" and before is not None:
            old = before.object
            same = old.get("spec") == node.get("spec")
            if same and old["metadata"].get("labels") == node["metadata"].get("labels"):
                return ()
        return [stored.key for stored in self._access.rest.store.list(CLAIMANT.resource)]

    def reconcile(self, key: str) -> float | None:
        owner = self._access.get(CLAIMANT.resource, key)
        if owner is None:
            return None
        claim(self._access, CLAIMANT, owner, "pods")
        revision, old, collisions = self._history.settle(owner)
        word = hash_of(revision, HASH)
        failure, wait = None, None
        if not being_deleted(owner):
            failure, wait = self._work(owner, word)
        turn = self._round(owner, word)
        self._write(turn, collisions)
        live = {
            (pod["metadata"].get("labels") or {}).get(HASH, "") for pods in turn.pods.values() for pod in pods
        }
        self._history.truncate(owner, old, {*live, word})
        if failure is not None:
            raise failure
        return wait if wait is not None else self._next_check(turn)

    def _round(self, owner: JsonObject, word: str) -> Round:
        nodes = list(self._access.objects("nodes"))
        pods = by_node(self._access.controlled("pods", owner))
        return Round(owner, nodes, pods, word, self._access.now())

    def _work(self, owner: JsonObject, word: str) -> tuple[ApiError | None, float | None]:
        """What the server refused, and when to go on, if not at the next change."""
        turn = self._round(owner, word)
        plan = manage(turn)
        waits = self._hold_failed(turn, plan)
        try:
            self._carry_out(turn, plan)
            if not plan.create_on and not plan.delete:
                self._carry_out(turn, replace(turn))
        except ApiError as error:
            return (None if caused_by(error, NAMESPACE_TERMINATING) else error), None
        if len(plan.create_on) > AT_ONCE or len(plan.delete) > AT_ONCE:
            return None, 0.0
        return None, min(waits, default=None)

    def _carry_out(self, turn: Round, plan: Plan) -> None:
        for name in plan.create_on[:AT_ONCE]:
            self._control.create(turn.owner, self._pod(turn, name))
        for pod in plan.delete[:AT_ONCE]:
            self._control.delete(turn.owner, pod)

    def _pod(self, turn: Round, node: str) -> JsonObject:
        pod = self._control.from_template(turn.owner)
        metadata, spec = pod["metadata"], pod["spec"]
        labels = {**metadata.get("labels", {}), HASH: turn.hash}
        generation = (turn.owner["metadata"].get("annotations") or {}).get(GENERATION)
        if generation:
            labels[TEMPLATE_GENERATION] = generation
        metadata["labels"] = labels
        placed = {"affinity": pinned(spec.get("affinity"), node), "tolerations": tolerations_of(spec)}
        return {**pod, "spec": {**spec, **placed}}

    def _hold_failed(self, turn: Round, plan: Plan) -> list[float]:
        """Tell of pods that have ended; one that failed is replaced later each time."""
        waits, now = [], turn.now
        for pod in [item for item in plan.delete if over(item)]:
            place = (turn.owner["metadata"]["uid"], pinned_to(pod))
            about = f"{pod['metadata']['namespace']}/{pod['metadata']['name']} on node {place[1]}"
            if phase(pod) == "Succeeded":
                message = f"Found succeeded daemon pod {about}, will try to delete it"
                self._events.normal(SUBJECT, turn.owner, "SucceededDaemonPod", message)
                continue
            until, delay = self._failures.get(place, (0.0, FIRST_BACKOFF / 2))
            if until > now:
                plan.delete.remove(pod)
                waits.append(until - now)
                continue
            delay = min(delay * 2 if now - until < LONGEST_BACKOFF else FIRST_BACKOFF, LONGEST_BACKOFF)
            self._failures[place] = (now + delay, delay)
            message = f"Found failed daemon pod {about}, will try to kill it"
            self._events.warning(SUBJECT, turn.owner, "FailedDaemonPod", message)
        return waits

    # -- telling ------------------------------------------------------------------------------------

    def _write(self, turn: Round, collisions: int) -> None:
        owner = turn.owner
        before = owner.get("status") or {}
        desired = turn.desired
        oldest = [turn.pods[name][0] for name in desired if turn.pods.get(name)]
        reachable = sum(turn.available(pod) for pod in oldest)
        there = {node["metadata"]["name"] for node in turn.nodes}
        numbers = {
            "observedGeneration": owner["metadata"].get("generation", 0),
            "updatedNumberScheduled": sum(turn.new(pod) for pod in oldest),
            "numberAvailable": reachable,
            "numberUnavailable": len(desired) - reachable,
            "collisionCount": collisions,
        }
        status = {
            "desiredNumberScheduled": len(desired),
            "currentNumberScheduled": len(oldest),
            "numberMisscheduled": len(there & turn.pods.keys() - set(desired)),
            "numberReady": sum(ready(pod) for pod in oldest),
            **{name: number for name, number in numbers.items() if number},
        }
        if before.get("conditions"):
            status["conditions"] = before["conditions"]
        if status != before:
            self._access.update_status(CLAIMANT.resource, {**owner, "status": status})

    def _next_check(self, turn: Round) -> float | None:
        wait = turn.owner["spec"].get("minReadySeconds", 0)
        if not wait:
            return None
        pods = [pod for items in turn.pods.values() for pod in items]
        due = next_availability(pods, wait, turn.now)
        return None if due is None else min(due, LONGEST_DELAY)
