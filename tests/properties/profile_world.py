"""A random cluster with a random history, written down so that it can be built anew by another road."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from nominee.model.workload import Service
from nominee.state.cluster import ClusterState
from nominee.testing import NodeBuilder, PodBuilder, make_node, make_pod, make_service, pod_of

SIZE = 40
APPS = ("web", "db")
ZONES = ("za", "zb", "zc")
ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
SERVICES = (
    make_service("web", {"app": "web"}),
    make_service("all", {}),
    make_service("frozen", {"app": "none"}),
)


class World:
    """The cluster under test, and beside it the plain truth."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.cluster = ClusterState()
        self.nodes: dict[str, NodeBuilder] = {}
        self.placed: dict[str, PodBuilder] = {}
        self.nominated: dict[str, tuple[PodBuilder, str]] = {}
        self.services: dict[str, Service] = {}
        self.templates = [self._template(i) for i in range(10)]
        self.count = 0
        for i in range(SIZE):
            self.write_node(f"n{i}")
        for _ in range(SIZE):
            self.place()

    def build(self) -> ClusterState:
        """The same cluster from nothing, in another order."""
        cluster = ClusterState()
        for service in self.services.values():
            cluster.put_object(service)
        for name in sorted(self.nodes):
            cluster.add_node(self.nodes[name].obj)
        for uid in sorted(self.placed):
            cluster.add_pod(pod_of(cluster, self.placed[uid]))
        for pod, node in self.nominated.values():
            cluster.nominate(pod_of(cluster, pod), node)
        return cluster

    def pending(self) -> PodBuilder:
        """A pod of a known shape, sometimes one that is nominated itself."""
        if self.nominated and self.random.random() < 0.2:
            return self.random.choice(list(self.nominated.values()))[0]
        return self._fresh()

    # -- what may happen ----------------------------------------------------------------------

    def step(self) -> None:
        """One change, or a few of a kind."""
        action = self.random.choice(
            [
                *[self.place] * 4,
                *[self.remove] * 2,
                *[self.touch_node] * 3,
                self.add_node,
                self.remove_node,
                *[self.nominate] * 2,
                self.take_back,
                self.toggle_service,
            ]
        )
        for _ in range(self.random.choice([1, 1, 1, 2, 4, 12])):
            action()

    def place(self) -> None:
        pod = self._fresh()
        if self.random.random() < 0.1:
            pod = pod.terminating(5)
        pod = pod.node(self._some_node())
        self.placed[pod.obj.uid] = pod
        self.cluster.add_pod(pod_of(self.cluster, pod))

    def remove(self) -> None:
        if self.placed:
            uid = self.random.choice(list(self.placed))
            del self.placed[uid]
            self.cluster.remove_pod(uid)

    def touch_node(self) -> None:
        self.write_node(self._some_node())

    def add_node(self) -> None:
        self.count += 1
        self.write_node(f"m{self.count}")

    def remove_node(self) -> None:
        """Together with its pods; its row is free for the next one."""
        name = self._some_node()
        for uid in [uid for uid, pod in self.placed.items() if pod.obj.spec.node_name == name]:
            del self.placed[uid]
            self.cluster.remove_pod(uid)
        del self.nodes[name]
        self.cluster.remove_node(name)

    def nominate(self) -> None:
        pod, node = self._fresh(), self.random.choice([self._some_node(), "nowhere"])
        self.nominated[pod.obj.uid] = (pod, node)
        self.cluster.nominate(pod_of(self.cluster, pod), node)

    def take_back(self) -> None:
        if self.nominated:
            uid = self.random.choice(list(self.nominated))
            pod, _ = self.nominated.pop(uid)
            self.cluster.nominate(pod_of(self.cluster, pod), "")

    def toggle_service(self) -> None:
        service = self.random.choice(SERVICES)
        if self.services.pop(service.key, None) is not None:
            self.cluster.drop_object(service)
        else:
            self.services[service.key] = service
            self.cluster.put_object(service)

    def write_node(self, name: str) -> None:
        random = self.random
        node = make_node(name).zone(random.choice(ZONES))
        node = node.capacity(cpu=random.choice([2, 4, 8]), memory="8Gi", pods=random.choice([3, 110]))
        if random.random() < 0.7:
            node = node.label("shelf", random.choice(["web", "db", "broken"]))
        if random.random() < 0.3:
            effect = random.choice(["NoSchedule", "PreferNoSchedule", "NoExecute"])
            node = node.taint("dedicated", random.choice(APPS), effect)
        if random.random() < 0.3:
            node = node.image("registry.example/web:1", random.randint(1, 900) << 20)
        if random.random() < 0.1:
            node = node.unschedulable()
        if random.random() < 0.1:
            node = node.capacity(cpu=4, memory="8Gi", **{f"example.com/rare-{random.randint(0, 9)}": 1})
        self.nodes[name] = node
        self.cluster.add_node(node.obj)

    # -- pods ---------------------------------------------------------------------------------

    def _some_node(self) -> str:
        return self.random.choice(list(self.nodes))

    def _fresh(self) -> PodBuilder:
        self.count += 1
        template = self.random.choice(self.templates)
        if self.random.random() < 0.3:  # every pod another sum, so another reason
            template = template.req(memory=str(self.random.randint(1, 1 << 20)))
        return template.meta(name=f"p{self.count}").uid(f"p{self.count}")

    def _template(self, number: int) -> PodBuilder:
        random = self.random
        pod = make_pod(f"t{number}").label("app", random.choice(APPS)).priority(random.choice([0, 5]))
        pod = pod.req(cpu=random.choice(["100m", "1", "3"]), memory=f"{random.randint(0, 900)}")
        for word in ("picky", "exact", "shy", "noisy"):
            if random.random() < 0.25:
                pod = pod.label(word)
        changes: list[Callable[[], PodBuilder]] = [
            lambda: pod.host_port(80),
            lambda: pod.image("registry.example/web:1"),
            lambda: pod.toleration("dedicated", random.choice(APPS)),
            lambda: pod.toleration(operator="Exists"),
            lambda: pod.node_affinity_in(ZONE, random.sample(ZONES, k=2)),
            lambda: pod.node_affinity_in(HOST, [f"n{i}" for i in range(5)]),
            lambda: pod.preferred_node_affinity(7, ZONE, [random.choice(ZONES)]),
            lambda: pod.spread(1, ZONE, labels={"app": "web"}),
            lambda: pod.spread(2, HOST, "ScheduleAnyway", {"app": "web"}),
            lambda: pod.pod_anti_affinity(HOST, {"app": random.choice(APPS)}),
            lambda: pod.pod_affinity(ZONE, {"app": random.choice(APPS)}),
            lambda: pod.preferred_pod_affinity(5, ZONE, {"app": random.choice(APPS)}),
            lambda: pod.req(**{f"example.com/rare-{random.randint(0, 9)}": 1}),
        ]
        for change in random.sample(changes, k=random.choice([0, 0, 1, 2])):
            pod = change()
        return pod
