"""Preemption on all nodes at once equals preemption on one node after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nominee.model.policy import PodDisruptionBudget
from nominee.preemption import PreemptionMemory, evaluate
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod
from nominee.testing import make_cluster, make_node, make_pdb, make_pod, pod_of
from tests.unit.preemption.fake_filters import diagnose

NODES = ("a", "b", "c")


# -- a naive preemption, written from the specification ------------------------------------------


@dataclass
class World:
    """One node with some pods on it. Its ports are a set: whoever leaves frees what others hold too."""

    cpu: int
    pods: list[Pod]
    ports: set[int]

    def add(self, pod: Pod) -> None:
        self.pods.append(pod)
        self.ports |= host_ports(pod)

    def remove(self, pod: Pod) -> None:
        self.pods.remove(pod)
        self.ports -= host_ports(pod)

    def with_more(self, pods: list[Pod]) -> World:
        more = World(self.cpu, list(self.pods), set(self.ports))
        for pod in pods:
            more.add(pod)
        return more

    def reasons(self, pod: Pod) -> list[str]:
        wanted = pod.requests.get("cpu", 0)
        used = sum(p.requests.get("cpu", 0) for p in self.pods)
        found = ["Insufficient cpu"] if wanted and wanted > self.cpu - used else []
        found += ["Too many pods"] if len(self.pods) + 1 > 4 else []
        found += ["no free ports"] if host_ports(pod) & self.ports else []
        rivals = [p for p in self.pods if "rival" in p.labels]
        return found + (["a rival is here"] if "shy" in pod.labels and rivals else [])


def host_ports(pod: Pod) -> set[int]:
    return {port.host_port for container in pod.spec.containers for port in container.ports}


def reasons_with_nominated(cluster: ClusterState, node: str, world: World, pod: Pod) -> list[str]:
    weighty = [
        p for p in cluster.nominations.on_node(node) if p.priority >= pod.priority and p.uid != pod.uid
    ]
    return world.with_more(weighty).reasons(pod) or world.reasons(pod)


def naive_victims(cluster: ClusterState, node: str, pod: Pod) -> tuple[list[Pod], int] | list[str]:
    """(victims, violations), or why the node is of no help."""
    found = cluster.nodes.objects[cluster.nodes.row_of[node]]
    assert found is not None
    cpu = found.status.allocatable["cpu"]
    everyone = cluster.pods_on(node)
    lower = sorted((p for p in everyone if p.priority < pod.priority), key=importance)
    if not lower:
        return ["No preemption victims found for incoming pod"]
    world = World(int(cpu) * 1000, [], set()).with_more(everyone)
    for victim in lower:
        world.remove(victim)
    if reasons := reasons_with_nominated(cluster, node, world, pod):
        return reasons
    violating = naive_violating(cluster, lower)
    victims = []
    for candidate in [*violating, *(p for p in lower if p not in violating)]:
        world.add(candidate)
        if reasons_with_nominated(cluster, node, world, pod):
            world.remove(candidate)
            victims.append(candidate)
    return sorted(victims, key=importance), sum(v in violating for v in victims)


def importance(pod: Pod) -> tuple[int, float]:
    return -pod.priority, float("inf") if pod.start_time is None else pod.start_time


def naive_violating(cluster: ClusterState, pods: list[Pod]) -> list[Pod]:
    budgets = list(cluster.objects.all(PodDisruptionBudget))
    left = {b.key: b.status.disruptions_allowed for b in budgets}
    violating = []
    for pod in pods:
        for budget in budgets:
            selector = budget.spec.selector
            wanted = selector.match_labels if selector is not None else {}
            selected = wanted and all(pod.labels.get(k) == v for k, v in wanted.items())
            if budget.namespace != pod.namespace or not selected:
                continue
            if pod.name in budget.status.disrupted_pods:
                continue
            left[budget.key] -= 1
            if left[budget.key] < 0:
                violating.append(pod)
                break
    return violating


def naive_picks(candidates: dict[str, tuple[list[Pod], int]]) -> list[str]:
    def key(victims: list[Pod], violations: int) -> tuple[Any, ...]:
        first = victims[0].priority
        start = min(importance(v)[1] for v in victims if v.priority == first)
        return violations, first, sum(v.priority + 2**31 for v in victims), len(victims), -start

    keys = {name: key(*found) for name, found in candidates.items()}
    return sorted(name for name in keys if keys[name] == min(keys.values()))


# -- clusters -----------------------------------------------------------------------------------

few = st.integers(0, 3)


@st.composite
def placed_pods(draw: st.DrawFn, number: int) -> Any:
    pod = make_pod(f"p{number}", draw(st.sampled_from(["default", "other"]))).node(
        draw(st.sampled_from(NODES))
    )
    pod = pod.req(cpu=str(draw(few))).priority(draw(st.sampled_from([-(2**31), -5, 0, 7, 100])))
    # Every start is another: where all is equal, upstream's order is accidental.
    pod = pod.started(1000 + draw(few) * 100 + number)
    pod = pod.label("app", "x") if draw(st.booleans()) else pod
    pod = pod.label("rival", "yes") if draw(few) == 0 else pod
    pod = pod.host_port(80) if draw(few) == 0 else pod
    return pod.terminating() if draw(few) == 0 else pod


@st.composite
def budgets(draw: st.DrawFn) -> PodDisruptionBudget:
    return make_pdb(
        draw(st.sampled_from(["b0", "b1"])),
        draw(st.sampled_from([{"app": "x"}, {"rival": "yes"}, {}])),
        draw(st.sampled_from(["default", "other"])),
        allowed=draw(st.integers(-1, 2)),
        disrupted={"p1": "now"} if draw(st.booleans()) else {},
    )


@st.composite
def clusters(draw: st.DrawFn) -> ClusterState:
    nodes = [make_node(name).capacity(cpu=str(draw(st.integers(1, 5))), pods=4) for name in NODES]
    pods = [draw(placed_pods(i)) for i in range(draw(st.integers(0, 12)))]
    pods += [
        make_pod(f"n{i}")
        .req(cpu="1")
        .priority(draw(st.sampled_from([0, 7, 100])))
        .nominated(draw(st.sampled_from(NODES)))
        for i in range(draw(st.integers(0, 2)))
    ]
    return make_cluster(nodes, pods, draw(st.lists(budgets(), max_size=2)))


@st.composite
def preemptors(draw: st.DrawFn) -> Any:
    pod = make_pod("preemptor").req(cpu=str(draw(few))).priority(draw(st.sampled_from([0, 7, 50])))
    pod = pod.label("shy", "yes") if draw(st.booleans()) else pod
    return pod.host_port(80) if draw(st.booleans()) else pod


def assert_as_one_by_one(cluster: ClusterState, pod: Pod, memory: PreemptionMemory | None = None) -> None:
    diagnosis = diagnose(pod, cluster)
    tried = [cluster.nodes.name(row) for row in np.flatnonzero(diagnosis.preemptable).tolist()]
    outcomes = {name: naive_victims(cluster, name, pod) for name in tried}
    expected = {name: found for name, found in outcomes.items() if isinstance(found, tuple)}

    evaluation = evaluate(pod, diagnosis, cluster, remembered=memory)

    candidates = evaluation.candidates
    found = {
        cluster.nodes.name(row): (candidates.victims(row), candidates.violations(row))
        for row in candidates.rows.tolist()
    }
    assert found == expected
    if expected:
        assert sorted(cluster.nodes.name(row) for row in candidates.picks()) == naive_picks(expected)
        assert candidates.victim_counts.tolist() == [
            len(found[n][0]) for n in sorted(found, key=cluster.nodes.row_of.__getitem__)
        ]
        return
    for reason in {r for reasons in outcomes.values() for r in reasons}:
        nodes = sum(reason in reasons for reasons in outcomes.values())
        assert f" {nodes} {reason}" in evaluation.message


@given(clusters(), preemptors())
def test_all_nodes_at_once_equal_one_by_one(cluster: ClusterState, preemptor: Any) -> None:
    assert_as_one_by_one(cluster, pod_of(cluster, preemptor))


@settings(max_examples=60)
@given(clusters(), preemptors(), st.data())
def test_what_is_remembered_equals_what_is_tried_anew(
    cluster: ClusterState, preemptor: Any, data: Any
) -> None:
    memory = PreemptionMemory()
    askers = [pod_of(cluster, preemptor), pod_of(cluster, preemptor.meta(name="twin", uid="twin"))]
    for number in range(data.draw(st.integers(1, 6))):
        change(cluster, data, number, askers)
        assert_as_one_by_one(cluster, data.draw(st.sampled_from(askers)), memory)


def change(cluster: ClusterState, data: Any, number: int, askers: list[Pod]) -> None:
    node = data.draw(st.sampled_from(NODES))
    match data.draw(st.sampled_from(["place", "remove", "nominate", "nominate asker", "budget", "node"])):
        case "place":
            cluster.add_pod(pod_of(cluster, data.draw(placed_pods(100 + number))))
        case "remove":
            for pod in cluster.pods_on(node)[:1]:
                cluster.remove_pod(pod.uid)
        case "nominate":
            cluster.nominate(
                pod_of(cluster, make_pod("n0").req(cpu="1").priority(100)),
                data.draw(st.sampled_from(["", node])),
            )
        case "nominate asker":
            cluster.nominate(data.draw(st.sampled_from(askers)), data.draw(st.sampled_from(["", node])))
        case "budget":
            cluster.put_object(data.draw(budgets()))
        case "node":
            cluster.add_node(make_node(node).capacity(cpu=str(data.draw(st.integers(1, 5))), pods=4).obj)
