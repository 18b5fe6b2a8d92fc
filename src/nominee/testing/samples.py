"""Varied clusters and pods for checks: the same ones every time, for the same seed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from nominee.state.cluster import ClusterState
from nominee.testing.clusters import make_cluster
from nominee.testing.nodes import NodeBuilder, make_node
from nominee.testing.objects import make_namespace, make_service
from nominee.testing.pods import PodBuilder, make_pod

LABELS = ("disk", "example.com/team", "topology.kubernetes.io/zone")
VALUES = ("a", "b", "c")
GPU = "example.com/gpu"


def words_of(plugin: Any) -> tuple[str, ...]:
    """The texts among a plugin's arguments: label keys and resources that samples should have too."""
    values = [getattr(plugin, f.name) for f in dataclasses.fields(plugin)]
    return tuple(value for value in values if isinstance(value, str) and value)


def sample_pods(seed: int = 0, words: Sequence[str] = (), count: int = 24) -> list[PodBuilder]:
    """Pods that differ in everything plugins look at; the first asks for nothing."""
    random = Random(seed)  # noqa: S311 - variety, not secrets
    return [make_pod("plain"), *(_pod(random, f"sample-{i}", words) for i in range(count - 1))]


def sample_clusters(seed: int = 0, words: Sequence[str] = ()) -> list[ClusterState]:
    """An empty cluster, a small one and a crowded one, the latter two with rows that are no node."""
    random = Random(seed + 1)  # noqa: S311 - variety, not secrets
    return [make_cluster(), *(_cluster(random, nodes, words) for nodes in (3, 9))]


def _pod(random: Random, name: str, words: Sequence[str]) -> PodBuilder:
    pod = make_pod(name, namespace=random.choice(["default", "default", "other"]))
    pod = pod.labels({"app": random.choice(["web", "db"])}).priority(random.choice([0, 0, 10]))
    pod = pod.labels({key: random.choice(VALUES) for key in (*LABELS, *words) if random.random() < 0.4})
    pod = pod.req(cpu=random.choice(["0", "250m", "3"]), memory=random.choice(["0", "1Gi"]))
    for change in random.sample(_CHANGES, k=random.randint(0, 3)):
        pod = change(pod, random)
    return pod


def _cluster(random: Random, size: int, words: Sequence[str]) -> ClusterState:
    nodes = [_node(random, f"node-{i}", words) for i in range(size)]
    names = [node.obj.name for node in nodes]
    pods = [_pod(random, f"placed-{i}", words).node(random.choice(names)) for i in range(2 * size)]
    cluster = make_cluster(
        [*nodes, make_node("gone")],
        [*pods, _pod(random, "nominated", words).nominated(names[0])],
        [
            make_namespace("default"),
            make_namespace("other", {"team": "x"}),
            make_service("web", {"app": "web"}),
        ],
    )
    cluster.remove_node("gone")
    return cluster


def _node(random: Random, name: str, words: Sequence[str]) -> NodeBuilder:
    scalars = {GPU: random.randint(1, 2)} if random.random() < 0.5 else {}
    node = make_node(name).capacity(
        cpu=random.randint(1, 8),
        memory=random.choice(["0", "2Gi", "8Gi"]),
        pods=random.choice([2, 110]),
        **scalars,
    )
    node = node.labels({key: random.choice(VALUES) for key in (*LABELS, *words) if random.random() < 0.7})
    if random.random() < 0.3:
        effect = random.choice(["NoSchedule", "PreferNoSchedule", "NoExecute"])
        node = node.taint("dedicated", random.choice(VALUES), effect)
    if random.random() < 0.4:
        node = node.image("registry.example/web:1", random.randint(1, 900) << 20)
    return node.unschedulable() if random.random() < 0.2 else node


_CHANGES: tuple[Callable[[PodBuilder, Random], PodBuilder], ...] = (
    lambda pod, random: pod.node_selector(disk=random.choice(VALUES)),
    lambda pod, random: pod.node_affinity_in("disk", random.sample(VALUES, k=2)),
    lambda pod, random: pod.preferred_node_affinity(random.randint(1, 100), "disk", [random.choice(VALUES)]),
    lambda pod, random: pod.toleration("dedicated", random.choice(VALUES)),
    lambda pod, _: pod.toleration(operator="Exists"),
    lambda pod, random: pod.host_port(random.choice([80, 81])),
    lambda pod, _: pod.req(**{GPU: 1}),
    lambda pod, _: pod.image("registry.example/web:1"),
    lambda pod, random: pod.pod_anti_affinity(LABELS[2], {"app": random.choice(["web", "db"])}),
    lambda pod, random: pod.preferred_pod_affinity(5, LABELS[2], {"app": random.choice(["web", "db"])}),
    lambda pod, _: pod.spread(1, LABELS[2], labels={"app": "web"}),
    lambda pod, _: pod.annotation("example.com/note", "x").created(5),
    lambda pod, _: pod.owner("ReplicaSet", "web-1"),
    lambda pod, _: pod.init_req(cpu="2").overhead(memory="10Mi"),
)
