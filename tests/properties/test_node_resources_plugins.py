"""The plugins that look at resources equal loops over nodes that follow the rules word by word."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nominee.framework import (
    NodeView,
    RequestedToCapacityRatioParam,
    ResourceSpec,
    ScoringStrategy,
    Skip,
    UtilizationShapePoint,
)
from nominee.model.dra import DeviceClass, DeviceClassSpec
from nominee.model.meta import ObjectMeta
from nominee.plugins.node_resources_allocatable import NodeResourcesAllocatable
from nominee.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from nominee.plugins.node_resources_fit import NodeResourcesFit
from nominee.state.cluster import ClusterState
from nominee.testing import (
    PodBuilder,
    Verdict,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    nodes_named,
    pod_of,
    rejections,
    what_if,
)

GPU, FPGA, PAGES = "example.com/gpu", "vendor.io/fpga", "hugepages-2Mi"
SCALARS = (GPU, FPGA, PAGES)
MEASURED = ("cpu", "memory", "ephemeral-storage", *SCALARS)
DEFAULTS = {"cpu": 100, "memory": 200 << 20}

Amounts = dict[str, int]


@dataclass
class Asking:
    """A pod: what its container requests, and what it requests as a whole."""

    container: Amounts
    whole: Amounts

    @property
    def requests(self) -> Amounts:
        return {**self.container, **self.whole}

    @property
    def defaulted(self) -> Amounts:
        return {**DEFAULTS, **self.requests}

    def build(self, name: str) -> PodBuilder:
        pod = make_pod(name).req(**in_units(self.container))
        return pod.pod_req(**in_units(self.whole)) if self.whole else pod


@dataclass
class Site:
    """A node and the pods on it."""

    has: Amounts
    pods: list[Asking] = field(default_factory=list)

    def used(self, resource: str, *, defaults: bool = False) -> int:
        return sum((p.defaulted if defaults else p.requests).get(resource, 0) for p in self.pods)


def in_units(amounts: Mapping[str, int]) -> dict[str, Any]:
    return {name: f"{amount}m" if name == "cpu" else amount for name, amount in amounts.items()}


# -- the rules, naively ---------------------------------------------------------------------------


def naive_filter(plugin: NodeResourcesFit, pod: Asking, site: Site, devices: set[str]) -> Verdict | None:
    reasons, hopeless = [], False
    if len(site.pods) + 1 > site.has.get("pods", 0):
        reasons.append("Too many pods")
    for name, amount in pod.requests.items():
        total = site.has.get(name, 0)
        extended = name in (GPU, FPGA)
        if extended and (
            name in plugin.ignored_resources or name.split("/")[0] in plugin.ignored_resource_groups
        ):
            continue
        if name in SCALARS and total == 0 and name in devices:
            continue
        if amount > 0 and amount > total - site.used(name):
            reasons.append(f"Insufficient {name}")
            hopeless = hopeless or amount > total
    code = "UnschedulableAndUnresolvable" if hopeless else "Unschedulable"
    return Verdict(code, tuple(sorted(reasons))) if reasons else None


def naive_ratio(points: tuple[UtilizationShapePoint, ...], utilization: int) -> int:
    if utilization <= points[0].utilization:
        return points[0].score * 10
    for a, b in pairwise(points):
        if utilization <= b.utilization:
            climbed = (b.score - a.score) * 10 * (utilization - a.utilization)
            return a.score * 10 + math.trunc(climbed / (b.utilization - a.utilization))
    return points[-1].score * 10


def naive_fit_score(strategy: ScoringStrategy, pod: Asking, site: Site) -> int:
    requests = {**DEFAULTS, **pod.container}
    score = weights = 0
    for spec in strategy.resources:
        if spec.name == "pods":
            continue  # no node has any as far as scores go
        wanted, total = requests.get(spec.name, 0), site.has.get(spec.name, 0)
        if (spec.name in SCALARS and wanted == 0) or total == 0:
            continue
        taken = site.used(spec.name, defaults=True) + wanted
        if strategy.type == "LeastAllocated":
            resource_score = 0 if taken > total else (total - taken) * 100 // total
        elif strategy.type == "MostAllocated":
            resource_score = min(taken, total) * 100 // total
        else:
            assert strategy.requested_to_capacity_ratio is not None
            utilization = 100 if taken > total else taken * 100 // total
            resource_score = naive_ratio(strategy.requested_to_capacity_ratio.shape, utilization)
            if resource_score == 0:
                continue
        score += resource_score * spec.weight
        weights += spec.weight
    if weights == 0:
        return 0
    if strategy.type == "RequestedToCapacityRatio":
        return math.floor(score / weights + 0.5)
    return score // weights


def naive_balance(used: list[int], totals: list[int]) -> int:
    fractions = [min(u / t, 1.0) for u, t in zip(used, totals, strict=True) if t]
    deviation = 0.0
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        total = squares = 0.0
        for fraction in fractions:
            total += fraction
        mean = total / len(fractions)
        for fraction in fractions:
            squares = squares + (fraction - mean) * (fraction - mean)
        deviation = math.sqrt(squares / len(fractions))
    return int((1 - deviation) * 100.0)


def naive_balanced_score(names: list[str], pod: Asking, site: Site) -> int:
    if not any(pod.requests.get(name) for name in names):
        return 0
    names = [name for name in names if name not in SCALARS or pod.requests.get(name)]
    totals = [site.has.get(name, 0) for name in names]
    before = [site.used(name) for name in names]
    after = [used + pod.requests.get(name, 0) for used, name in zip(before, names, strict=True)]
    gain = 50 + naive_balance(after, totals) - naive_balance(before, totals)
    return 50 + math.trunc(gain / 2)


# -- what may come ----------------------------------------------------------------------------------

AMOUNT = st.sampled_from([0, 1, 3, 99, 100, 101, 250, 1000]) | st.integers(0, 4000)
BYTES = st.sampled_from([0, 200 << 20, (200 << 20) + 1]) | st.integers(0, 16 << 30)


def amounts(*names: str) -> st.SearchStrategy[Amounts]:
    of_each = {
        name: BYTES if name in ("memory", "ephemeral-storage") else st.integers(0, 8) for name in names
    }
    if "cpu" in names:
        of_each["cpu"] = AMOUNT
    return st.fixed_dictionaries({}, optional=of_each)


ASKING = st.builds(Asking, amounts(*MEASURED), st.just({}) | amounts("cpu", "memory"))
SITE = st.builds(Site, amounts(*MEASURED, "pods"), st.lists(ASKING, max_size=3))
SITES = st.lists(SITE, min_size=1, max_size=5)
WEIGHED = st.lists(
    st.builds(ResourceSpec, st.sampled_from([*MEASURED, "pods"]), st.integers(1, 100)),
    min_size=1,
    max_size=6,
    unique_by=lambda spec: spec.name,
).map(tuple)
CURVE = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 10)), min_size=1, max_size=5, unique_by=lambda p: p[0]
).map(lambda points: tuple(UtilizationShapePoint(*point) for point in sorted(points)))
STRATEGY = st.builds(
    ScoringStrategy,
    st.sampled_from(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]),
    st.just((ResourceSpec("cpu", 1), ResourceSpec("memory", 1))) | WEIGHED,
    st.builds(RequestedToCapacityRatioParam, CURVE),
)


def cluster_of(sites: list[Site], devices: Collection[str] = ()) -> ClusterState:
    classes = [
        DeviceClass(metadata=ObjectMeta(name=f"c{i}"), spec=DeviceClassSpec(extended_resource_name=name))
        for i, name in enumerate(sorted(devices))
    ]
    return make_cluster(
        nodes=[
            make_node(f"n{i}").capacity(**{"pods": 0, **in_units(site.has)}) for i, site in enumerate(sites)
        ],
        pods=[
            pod.build(f"p{i}-{j}").node(f"n{i}")
            for i, site in enumerate(sites)
            for j, pod in enumerate(site.pods)
        ],
        objects=classes,
    )


def wide(cluster: ClusterState) -> NodeView:
    """Every node many times over: long columns are worked on in another way than short ones."""
    return cluster.all_nodes().take(np.resize(np.arange(len(cluster.all_nodes())), 150))


# -- the properties ---------------------------------------------------------------------------------


@given(
    SITES,
    ASKING,
    st.sets(st.sampled_from([GPU, FPGA])),
    st.sets(st.sampled_from([GPU, PAGES])),
    st.sets(st.sampled_from(["vendor.io", "example.com"])),
)
def test_filter(
    sites: list[Site], pod: Asking, ignored: set[str], devices: set[str], groups: set[str]
) -> None:
    plugin = NodeResourcesFit(ignored_resources=tuple(ignored), ignored_resource_groups=tuple(groups))
    cluster = cluster_of(sites, devices)
    seen = pod_of(cluster, pod.build("new"))
    said = rejections(plugin, seen, cluster.all_nodes(), make_cycle(cluster))
    expected = {i: naive_filter(plugin, pod, site, devices) for i, site in enumerate(sites)}
    assert {i: Verdict(v.code, tuple(sorted(v.reasons))) for i, v in said.items()} == {
        i: verdict for i, verdict in expected.items() if verdict
    }


@given(SITE, ASKING, ASKING, st.booleans(), STRATEGY)
def test_what_if(site: Site, pod: Asking, other: Asking, add: bool, strategy: ScoringStrategy) -> None:
    plugin = NodeResourcesFit(scoring_strategy=strategy)
    cluster = cluster_of([site, Site({})])
    cycle, seen = make_cycle(cluster), pod_of(cluster, pod.build("new"))
    pod_of(cluster, other.build("other"))  # a view knows the resources that were named before it
    if add:
        view = what_if(cluster, ["n0"], add={"n0": [other.build("other")]})
        supposed = Site(site.has, [*site.pods, other])
    else:
        view = what_if(cluster, ["n0"], remove={"n0": cluster.pods_on("n0")})
        supposed = Site(site.has)
    verdict = rejections(plugin, seen, view, cycle).get(0)
    expected = naive_filter(plugin, pod, supposed, set())
    assert (verdict and (verdict.code, sorted(verdict.reasons))) == (
        expected and (expected.code, sorted(expected.reasons))
    )
    assert plugin.score(seen, view, cycle).tolist() == [naive_fit_score(strategy, pod, supposed)]


@given(SITES, ASKING, STRATEGY)
def test_fit_scores(sites: list[Site], pod: Asking, strategy: ScoringStrategy) -> None:
    plugin = NodeResourcesFit(scoring_strategy=strategy)
    cluster = cluster_of(sites)
    cycle, seen = make_cycle(cluster), pod_of(cluster, pod.build("new"))
    expected = [naive_fit_score(strategy, pod, site) for site in sites]
    assert plugin.score(seen, cluster.all_nodes(), cycle).tolist() == expected
    assert plugin.score(seen, nodes_named(cluster, ["n0"]), cycle).tolist() == expected[:1]
    assert plugin.score(seen, wide(cluster), cycle).tolist() == np.resize(expected, 150).tolist()


@given(SITES, ASKING, WEIGHED)
def test_balanced_scores(sites: list[Site], pod: Asking, resources: tuple[ResourceSpec, ...]) -> None:
    plugin = NodeResourcesBalancedAllocation(resources=resources)
    cluster = cluster_of(sites)
    cycle, seen = make_cycle(cluster), pod_of(cluster, pod.build("new"))
    names = [spec.name for spec in resources if spec.name != "pods"]  # a node "has" none to score
    expected = [naive_balanced_score(names, pod, site) for site in sites]
    nothing_asked = not any(pod.requests.get(name) for name in names)
    skipped = plugin.pre_score(seen, cluster.all_nodes(), cycle)
    assert skipped is (Skip.THIS_SHAPE if nothing_asked else None)
    assert plugin.score(seen, cluster.all_nodes(), cycle).tolist() == expected
    assert plugin.score(seen, nodes_named(cluster, ["n0"]), cycle).tolist() == expected[:1]
    assert plugin.score(seen, wide(cluster), cycle).tolist() == np.resize(expected, 150).tolist()


@given(
    st.lists(amounts("cpu", "memory", GPU), min_size=1, max_size=6),
    st.sampled_from(["Least", "Most"]),
    st.lists(
        st.builds(
            ResourceSpec,
            st.sampled_from(["cpu", "memory", GPU, "pods", "nobody"]),
            st.integers(1, 1 << 21) | st.integers(1, (1 << 63) - 1),
        ),
        min_size=1,
        max_size=4,
    ).map(tuple),
)
def test_allocatable_scores(has: list[Amounts], mode: str, resources: tuple[ResourceSpec, ...]) -> None:
    plugin = NodeResourcesAllocatable(mode=mode, resources=resources)
    cluster = cluster_of([Site(amounts) for amounts in has])
    pod, cycle = pod_of(cluster, make_pod("new")), make_cycle(cluster)
    weights = {spec.name: spec.weight for spec in resources}
    sums = [sum(amounts.get(name, 0) * weight for name, weight in weights.items()) for amounts in has]
    raw = [total // sum(weights.values()) * (-1 if mode == "Least" else 1) for total in sums]
    scores = plugin.score(pod, cluster.all_nodes(), cycle)
    assert scores.tolist() == raw
    low, high = min(raw), max(raw)
    expected = [(score - low) * 100 // (high - low) if high > low else 0 for score in raw]
    assert plugin.normalize(scores, low, high).tolist() == expected
