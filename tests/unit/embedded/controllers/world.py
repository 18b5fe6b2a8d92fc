"""A cluster of controllers alone, in virtual time: pods are bound and become ready when a test says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from nominee.apiserver.assembly import rest_of
from nominee.apiserver.rest import DeleteOptions
from nominee.apiserver.rest.identity import Identity
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Controller
from nominee.embedded.controllers.daemon_set.fit import pinned_to
from nominee.embedded.controllers.pods import active, node_of, ready
from nominee.embedded.controllers.runner import Controllers
from nominee.store.memory import MemoryStore
from nominee.store.ports import JsonObject
from nominee.testing.clock import ManualClock

START = 1_770_000_000.0
STEPS = 500


class World:
    """Store, verbs and controllers; `settle` lets these work until they have nothing to do now."""

    def __init__(self, *controllers: Callable[[Access], Controller]) -> None:
        self.clock = ManualClock(START)
        self.store = MemoryStore()
        self.rest = rest_of(self.store, clock=self.clock, identity=Identity(Random(7)))
        self.create("namespaces", {"metadata": {"name": "default"}})
        self.access = Access(self.rest, self.clock)
        self.restart(*controllers)

    def restart(self, *controllers: Callable[[Access], Controller]) -> None:
        """Controllers that know of those before them only what the store has."""
        made = [make(self.access) for make in controllers]
        self.controllers = Controllers(self.access, made, stopwatch=lambda: 0.0)
        self.controllers.start()

    # -- time ---------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Until nobody has anything to do at this time."""
        for _ in range(STEPS):
            if not self.controllers.step():
                return
        raise AssertionError("the controllers find no end")

    def pass_time(self, seconds: float) -> None:
        """Let time pass, from one thing that is due to the next."""
        end = self.clock.now() + seconds
        while True:
            self.settle()
            due = self.controllers.next_time()
            if due is None or due > end:
                break
            self.clock.set(max(due, self.clock.now()))
        self.clock.set(end)
        self.settle()

    # -- what clients do ----------------------------------------------------------------------------

    def create(self, resource: str, item: JsonObject) -> JsonObject:
        namespaced = self.rest.registry.kind(resource).names.namespaced
        namespace = item["metadata"].get("namespace", "default") if namespaced else ""
        return self.rest.create(resource, namespace, item, self.rest.context("test")).object

    def get(self, resource: str, name: str, namespace: str = "default") -> JsonObject:
        namespaced = self.rest.registry.kind(resource).names.namespaced
        return self.rest.get(resource, f"{namespace}/{name}" if namespaced else name).object

    def find(self, resource: str, name: str, namespace: str = "default") -> JsonObject | None:
        return self.access.get(resource, f"{namespace}/{name}")

    def all(self, resource: str, namespace: str = "") -> list[JsonObject]:
        return list(self.access.objects(resource, namespace))

    def change(self, resource: str, name: str, **spec: Any) -> JsonObject:
        item = self.get(resource, name)
        changed = {**item, "spec": {**item["spec"], **spec}}
        return self.rest.update(resource, f"default/{name}", changed, self.rest.context("test")).object

    def delete(self, resource: str, name: str, namespace: str = "default", **options: Any) -> None:
        namespaced = self.rest.registry.kind(resource).names.namespaced
        key = f"{namespace}/{name}" if namespaced else name
        self.rest.delete(resource, key, DeleteOptions(**options), self.rest.context("test"))

    # -- what kubelets do ---------------------------------------------------------------------------

    def status(self, pod: JsonObject, **status: Any) -> JsonObject:
        key = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        item = {**self.rest.get("pods", key).object, "status": status}
        return self.rest.update("pods", key, item, self.rest.context("kubelet"), "status").object

    def bind(self, pod: JsonObject) -> None:
        """Bring a pod to its node, or to any."""
        name = pod["metadata"]["name"]
        key = f"{pod['metadata']['namespace']}/{name}"
        target = {"kind": "Node", "name": pinned_to(pod) or "somewhere"}
        body = {"metadata": {"name": name}, "target": target}
        self.rest.connect("pods", key, "binding", body, self.rest.context("scheduler"))

    def make_ready(self, pods: Sequence[JsonObject] | None = None) -> None:
        """All active pods, or these, are bound, run and are ready from now on."""
        for pod in self.active_pods() if pods is None else pods:
            if not node_of(pod):
                self.bind(pod)
            if not ready(pod):
                condition = {
                    "type": "Ready",
                    "status": "True",
                    "lastTransitionTime": self.access.timestamp(),
                }
                self.status(pod, phase="Running", conditions=[condition])

    def finish(self, pod: JsonObject, phase: str = "Succeeded") -> None:
        self.status(pod, phase=phase)

    def bury(self) -> None:
        """Pods that are being deleted are gone."""
        for pod in self.all("pods"):
            if "deletionTimestamp" in pod["metadata"]:
                key = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
                options = DeleteOptions(grace_period_seconds=0)
                self.rest.delete("pods", key, options, self.rest.context("kubelet"))

    def live(self, rounds: int = 50) -> None:
        """Controllers and kubelets in turns, until nothing changes any more."""
        for _ in range(rounds):
            before = self.store.version
            self.settle()
            self.make_ready()
            self.bury()
            self.settle()
            if self.store.version == before:
                return
        raise AssertionError("the cluster finds no rest")

    # -- what tests ask -----------------------------------------------------------------------------

    def pods(self) -> list[JsonObject]:
        return self.all("pods")

    def active_pods(self) -> list[JsonObject]:
        return [pod for pod in self.pods() if active(pod)]

    def nodes_of_pods(self) -> list[str]:
        return sorted(node_of(pod) for pod in self.pods())

    def events(self, reason: str = "") -> list[str]:
        events = sorted(self.all("events"), key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [event["message"] for event in events if reason in ("", event["reason"])]


def template(app: str = "web", **pod: Any) -> JsonObject:
    return {
        "metadata": {"labels": {"app": app}},
        "spec": {"containers": [{"name": "server", "image": "nginx:1.27"}], **pod},
    }


def workload(name: str = "web", **spec: Any) -> JsonObject:
    return {
        "metadata": {"name": name},
        "spec": {"template": template(name), "selector": {"matchLabels": {"app": name}}, **spec},
    }


def pod(name: str, labels: dict[str, str] | None = None, **spec: Any) -> JsonObject:
    return {
        "metadata": {"name": name, "namespace": "default", "labels": labels or {}},
        "spec": {"containers": [{"name": "server", "image": "nginx:1.27"}], **spec},
    }


def set_condition(item: JsonObject, kind: str) -> JsonObject:
    for condition in (item.get("status") or {}).get("conditions") or ():
        if condition["type"] == kind:
            return condition  # type: ignore[no-any-return]
    raise AssertionError(f"no condition {kind}: {item.get('status')}")
