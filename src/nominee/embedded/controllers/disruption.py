"""Disruption budgets: how many pods may go now.

Reproduces pkg/controller/disruption/disruption.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nominee.embedded.controllers.access import Access, key_of
from nominee.embedded.controllers.amounts import amount
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.controllers.events import Subject
from nominee.embedded.controllers.ownership import being_deleted, controller_of
from nominee.embedded.controllers.pods import condition, ready, terminated
from nominee.embedded.controllers.selecting import labels_of
from nominee.model.timestamps import parse_time
from nominee.store.ports import Change, JsonObject

BUDGETS = "poddisruptionbudgets.policy"
SUBJECT = Subject("policy/v1", "PodDisruptionBudget")
POD = Subject("v1", "Pod")
DELETION_SECONDS = 120.0
STALE_SECONDS = 120.0
# Owners of pods whose size says how many there should be.
SCALED = {
    ("apps", "ReplicaSet"): "replicasets.apps",
    ("apps", "StatefulSet"): "statefulsets.apps",
    ("", "ReplicationController"): "replicationcontrollers",
    ("apps", "Deployment"): "deployments.apps",
}
ALLOWED = "DisruptionAllowed"


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What budgets ask of a pod; kept, as the pods of a large namespace are too many to read each time."""

    name: str
    labels: Mapping[str, str]
    ready: bool
    deleted: bool
    controller: tuple[str, str, str, str] | None
    """Group, kind, name and uid."""


@dataclass(frozen=True, slots=True)
class Expected:
    """How many pods there should be, and how many of them healthy."""

    pods: int
    healthy: int
    unmanaged: bool = False


class UnknownScaleError(Exception):
    """Nobody can say how many pods there should be."""


class DisruptionController:
    """Keeps the status of disruption budgets up to date."""

    name = "disruption-controller"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._events = access.recorder("controllermanager")
        self._facts: dict[str, dict[str, PodFacts]] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            BUDGETS: own_key,
            "pods": self._keys_of_pod,
            **dict.fromkeys(SCALED.values(), self._keys_of_owner),
        }

    def _keys_of_pod(self, change: Change) -> Iterable[str]:
        pod = change.stored.object
        namespace = pod["metadata"].get("namespace", "")
        facts = self._facts.get(namespace)
        if facts is not None:
            if change.type == "DELETED":
                facts.pop(change.stored.key, None)
            else:
                facts[change.stored.key] = _facts_of(pod)
        budgets = self._access.rest.store.list(BUDGETS, namespace)
        if not budgets:
            return self._keys_of_stale(pod)
        labels = [labels_of(pod)]
        if change.previous is not None:
            labels.append(labels_of(change.previous.object))
        found = [
            stored.key
            for stored in budgets
            if any(map(self._access.selectors.of(stored.object).matches, labels))
        ]
        return [*found, *self._keys_of_stale(pod)]

    def _keys_of_stale(self, pod: JsonObject) -> Iterable[str]:
        found = condition(pod, "DisruptionTarget")
        if found is None or found.get("status") != "True" or being_deleted(pod):
            return ()
        return (f"pod {key_of(pod)}",)

    def _keys_of_owner(self, change: Change) -> Iterable[str]:
        """A change of size changes what is expected."""
        before = change.previous
        if before is not None and before.object.get("spec") == change.stored.object.get("spec"):
            return ()
        namespace = change.stored.object["metadata"].get("namespace", "")
        return [stored.key for stored in self._access.rest.store.list(BUDGETS, namespace)]

    def reconcile(self, key: str) -> float | None:
        if key.startswith("pod "):
            return self._clear_stale(key.removeprefix("pod "))
        budget = self._access.get(BUDGETS, key)
        if budget is None:
            self._forget(key.partition("/")[0])
            return None
        pods = self._pods_of(budget)
        if not pods:
            self._events.normal(SUBJECT, budget, "NoPods", "No matching pods found")
        try:
            expected = self._expected(budget, pods)
        except UnknownScaleError as error:
            self._fail(budget, str(error))
            return None
        if expected.unmanaged:
            self._tell_unmanaged(budget)
        disrupted, recheck = self._disrupted(budget, pods)
        healthy = sum(pod.ready and not pod.deleted and pod.name not in disrupted for pod in pods)
        self._write(budget, expected, healthy, disrupted)
        return recheck

    # -- pods ---------------------------------------------------------------------------------------

    def _pods_of(self, budget: JsonObject) -> list[PodFacts]:
        namespace = budget["metadata"]["namespace"]
        facts = self._facts.get(namespace)
        if facts is None:
            pods = self._access.objects("pods", namespace)
            facts = self._facts[namespace] = {key_of(pod): _facts_of(pod) for pod in pods}
        matches = self._access.selectors.of(budget).matches
        return [pod for pod in facts.values() if matches(pod.labels)]

    def _forget(self, namespace: str) -> None:
        if not self._access.rest.store.list(BUDGETS, namespace):
            self._facts.pop(namespace, None)

    def _expected(self, budget: JsonObject, pods: list[PodFacts]) -> Expected:
        least, most = budget["spec"].get("minAvailable"), budget["spec"].get("maxUnavailable")
        if most is None and isinstance(least, int):
            return Expected(len(pods), least)
        if most is None and least is None:
            return Expected(0, 0)
        total, unmanaged = self._scale(budget["metadata"]["namespace"], pods)
        if most is not None:
            return Expected(total, max(0, total - amount(most, total, up=True)), unmanaged)
        return Expected(total, amount(least, total, up=True), unmanaged)

    def _scale(self, namespace: str, pods: list[PodFacts]) -> tuple[int, bool]:
        """The sizes of all that is in charge of a pod, and whether there is a pod without."""
        controllers = {pod.controller: pod for pod in pods}
        unmanaged = controllers.pop(None, None) is not None
        sizes = dict(
            self._size(namespace, pod, controller)
            for controller, pod in controllers.items()
            if controller is not None
        )
        return sum(sizes.values()), unmanaged

    def _size(self, namespace: str, pod: PodFacts, controller: tuple[str, str, str, str]) -> tuple[str, int]:
        """The uid and size of what is in charge: the deployment rather than its replica set."""
        group, kind, name, uid = controller
        resource = SCALED.get((group, kind))
        owner = self._access.get(resource, f"{namespace}/{name}") if resource else None
        if owner is None or owner["metadata"]["uid"] != uid:
            raise UnknownScaleError(f'found no controllers for pod "{pod.name}"')
        above = controller_of(owner)
        if kind == "ReplicaSet" and above is not None and above.get("kind") == "Deployment":
            deployment = self._access.get("deployments.apps", f"{namespace}/{above['name']}")
            if deployment is not None and deployment["metadata"]["uid"] == above["uid"]:
                return above["uid"], deployment["spec"].get("replicas", 1)
        return uid, owner["spec"].get("replicas", 1)

    def _disrupted(self, budget: JsonObject, pods: list[PodFacts]) -> tuple[dict[str, str], float | None]:
        """Pods that were evicted and are to go any moment, and when to look whether they have."""
        noted = (budget.get("status") or {}).get("disruptedPods") or {}
        now = self._access.now()
        kept, waits = {}, []
        for pod in pods:
            if pod.deleted or pod.name not in noted:
                continue
            wait = parse_time(noted[pod.name]) + DELETION_SECONDS - now
            if wait <= 0:
                self._tell_not_deleted(budget, pod)
            else:
                kept[pod.name] = noted[pod.name]
                waits.append(wait)
        return kept, min(waits, default=None)

    # -- telling ------------------------------------------------------------------------------------

    def _write(self, budget: JsonObject, expected: Expected, healthy: int, disrupted: dict[str, str]) -> None:
        before = budget.get("status") or {}
        spare = max(0, healthy - expected.healthy) if expected.pods > 0 else 0
        generation = budget["metadata"].get("generation", 0)
        said = ("True", "SufficientPods") if spare > 0 else ("False", "InsufficientPods")
        status = {
            "observedGeneration": generation,
            "disruptionsAllowed": spare,
            "currentHealthy": healthy,
            "desiredHealthy": expected.healthy,
            "expectedPods": expected.pods,
            "conditions": self._conditions(before, generation, *said, ""),
        }
        if disrupted:
            status["disruptedPods"] = disrupted
        if status != before:
            self._access.update_status(BUDGETS, {**budget, "status": status})

    def _fail(self, budget: JsonObject, why: str) -> None:
        """Nothing may go while nobody can tell."""
        message = f"Failed to calculate the number of expected pods: {why}"
        self._events.warning(SUBJECT, budget, "CalculateExpectedPodCountFailed", message)
        before = budget.get("status") or {}
        generation = before.get("observedGeneration", 0)
        conditions = self._conditions(before, generation, "False", "SyncFailed", why)
        status = {**before, "disruptionsAllowed": 0, "conditions": conditions}
        if status != before:
            self._access.update_status(BUDGETS, {**budget, "status": status})

    def _conditions(
        self, before: JsonObject, generation: int, status: str, reason: str, message: str
    ) -> list[JsonObject]:
        conditions = before.get("conditions") or []
        old = next((item for item in conditions if item["type"] == ALLOWED), None)
        unchanged = old is not None and old["status"] == status
        moment = old["lastTransitionTime"] if old is not None and unchanged else self._access.timestamp()
        new = {
            "type": ALLOWED,
            "status": status,
            "reason": reason,
            "message": message,
            "lastTransitionTime": moment,
        }
        if generation:
            new["observedGeneration"] = generation
        return [*(item for item in conditions if item["type"] != ALLOWED), new]

    def _tell_unmanaged(self, budget: JsonObject) -> None:
        message = (
            "Pods selected by this PodDisruptionBudget (selector: "
            f"{budget['spec'].get('selector')}) were found to be unmanaged. As a result, the status of "
            "the PDB cannot be calculated correctly, which may result in undefined behavior. To account "
            'for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
        )
        self._events.warning(SUBJECT, budget, "UnmanagedPods", message)

    def _tell_not_deleted(self, budget: JsonObject, pod: PodFacts) -> None:
        namespace = budget["metadata"]["namespace"]
        item = self._access.get("pods", f"{namespace}/{pod.name}")
        if item is not None:
            message = f"Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't"
            self._events.warning(POD, item, "NotDeleted", message)

    def _clear_stale(self, key: str) -> float | None:
        """A pod that was to be disrupted and is still there is not to be disrupted any more."""
        pod = self._access.get("pods", key)
        found = None if pod is None else condition(pod, "DisruptionTarget")
        if pod is None or found is None or found.get("status") != "True" or being_deleted(pod):
            return None
        if terminated(pod) or found.get("reason") == "TerminationByKubelet":
            return None
        wait = parse_time(found["lastTransitionTime"]) + STALE_SECONDS - self._access.now()
        if wait > 0:
            return wait
        cleared = {"type": "DisruptionTarget", "status": "False"}
        cleared["lastTransitionTime"] = self._access.timestamp()
        conditions = [cleared if item is found else item for item in pod["status"]["conditions"]]
        status = {**pod["status"], "conditions": conditions}
        self._access.update_status("pods", {**pod, "status": status})
        return None


def _facts_of(pod: JsonObject) -> PodFacts:
    reference = controller_of(pod)
    return PodFacts(
        name=pod["metadata"]["name"],
        labels=labels_of(pod),
        ready=ready(pod),
        deleted=being_deleted(pod),
        controller=None
        if reference is None
        else (
            reference["apiVersion"].rpartition("/")[0],
            reference["kind"],
            reference["name"],
            reference["uid"],
        ),
    )
