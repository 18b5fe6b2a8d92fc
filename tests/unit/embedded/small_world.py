"""Simulated nodes and pods over a store in memory, in virtual time."""

from __future__ import annotations

import json
from typing import Any

from nominee.apiserver.kinds import BUILTIN
from nominee.apiserver.registry import Registry
from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.embedded.agenda import Agenda
from nominee.embedded.bootstrap import bootstrap
from nominee.embedded.kubelet import Kubelets
from nominee.embedded.nodes import SimulatedNodes
from nominee.store.memory import MemoryStore
from nominee.testing import ManualClock

START = 1_800_000_000.0


class SmallWorld:
    """The verbs, the store, and an agenda that runs when `run` is called."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.clock = ManualClock(START)
        self.store = store or MemoryStore()
        self.rest = Rest(self.store, Registry(BUILTIN), clock=self.clock)
        bootstrap(self.rest)
        self.agenda = Agenda(self.clock)
        self.nodes = SimulatedNodes(self.rest, self.agenda)
        self.kubelets = Kubelets(self.rest, self.agenda, self.nodes)

    def start(self) -> SmallWorld:
        self.nodes.start()
        self.kubelets.start()
        self.run(0)
        return self

    def run(self, seconds: float) -> None:
        """Go on for so many seconds, and do all that is due by then."""
        end = self.clock.now() + seconds
        while (due := self.agenda.next_time()) is not None and due <= end:
            self.clock.set(max(due, self.clock.now()))
            self.agenda.run_next(self.clock.now())
        self.clock.set(end)

    # -- objects ------------------------------------------------------------------------------------

    def create_node(self, name: str, **metadata: Any) -> None:
        node = {"metadata": {"name": name, **metadata}, "spec": {}}
        self.rest.create("nodes", "", node, self.rest.context())

    def create_pod(
        self, name: str, node: str = "node-1", annotations: dict[str, str] | None = None, **spec: Any
    ) -> None:
        containers = [{"name": "c", "image": "app"}]
        pod = {
            "metadata": {"name": name, "annotations": annotations or {}},
            "spec": {"nodeName": node, "containers": containers, **spec},
        }
        self.rest.create("pods", "default", pod, self.rest.context())

    def change_container(self, name: str, subresource: str = "", **fields: Any) -> None:
        pod = json.loads(self.rest.get("pods", f"default/{name}").json)
        pod["spec"]["containers"][0].update(fields)
        self.rest.update("pods", f"default/{name}", pod, self.rest.context(), subresource)

    def delete_pod(self, name: str, grace: int | None = None) -> None:
        options = DeleteOptions(grace_period_seconds=grace)
        self.rest.delete("pods", f"default/{name}", options, self.rest.context())

    def pod(self, name: str) -> dict[str, Any] | None:
        stored = self.store.get("pods", f"default/{name}")
        return None if stored is None else stored.object

    def status(self, name: str) -> dict[str, Any]:
        pod = self.pod(name)
        assert pod is not None
        status: dict[str, Any] = pod["status"]
        return status

    def phase(self, name: str) -> str:
        return str(self.status(name).get("phase"))

    def node(self, name: str) -> dict[str, Any]:
        return self.rest.get("nodes", name).object

    def conditions(self, name: str) -> dict[str, str]:
        return {each["type"]: each["status"] for each in self.status(name)["conditions"]}
