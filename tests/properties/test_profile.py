"""What a profile remembers equals what the plugins say when asked anew, after any history of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.errors import PluginError
from nominee.framework import Cycle, Narrow, NodeView, Pod, Reject, Skip, SkipWhile
from nominee.profile.profile import Profile
from nominee.profile.ranking import Ranking
from nominee.profile.search import Search
from nominee.scheduler.assembly import build_profiles, make_registry
from nominee.state.cluster import ClusterState
from nominee.testing import PodBuilder, make_cycle, pod_of, rejections, score_with, what_if
from tests.properties.profile_plugins import FAULTS, PLUGINS, POINTS_THAT_RAISE
from tests.properties.profile_world import World

FEATURES = FeatureGates()
CONFIGURATION = load_config(
    {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": p.__name__} for p in PLUGINS]}}}],
    },
    features=FEATURES,
)


def make_profile() -> Profile:
    """The default plugins and those of third parties, with nothing remembered."""
    registry = make_registry(given=PLUGINS)
    return build_profiles(CONFIGURATION, FEATURES, registry)["default-scheduler"]


# -- what a profile says, by node name ------------------------------------------------------------


def said(profile: Profile, cluster: ClusterState, pod: Pod) -> dict[str, Any]:
    """Everything about a pod that somebody outside could see."""
    some = sorted(cluster.nodes.row_of)[::9]
    alone = Search(profile, cluster, pod, 0.0)
    fitting = {name for name in some if alone.fits(cluster.nodes.row_of[name])}
    search = Search(profile, cluster, pod, 0.0)
    found = search.run()
    nodes = search.nodes
    rows = np.flatnonzero(nodes.valid).tolist()
    answer: dict[str, Any] = {
        "fitting": fitting,
        "feasible": {nodes.name(row) for row in rows if found and search.feasible[row]},
    }
    diagnosis = search.diagnosis()
    answer["statuses"] = {nodes.name(row): readable(diagnosis.status(row)) for row in rows}
    if found:
        ranking = Ranking(search)
        totals = ranking.totals()
        answer["totals"] = differences({nodes.name(r): int(totals[r]) for r in rows if search.feasible[r]})
        answer["best"] = totals[ranking.choose(3)] == totals.max()
        answer["scores"] = {
            entry.name: {nodes.name(r): int(scores[r]) for r in rows if search.feasible[r]}
            for entry, scores in ranking.scores()
        }
    else:
        answer["message"] = diagnosis.message
        answer["blamed"] = diagnosis.unschedulable_plugins
    return answer


def readable(status: Any) -> Any:
    return status and (status.plugin, sorted(status.reasons), status.unresolvable)


def differences(totals: dict[str, int]) -> dict[str, int]:
    return {name: total - min(totals.values()) for name, total in totals.items()}


# -- the same, asked plugin by plugin and node by node --------------------------------------------


class OneByOne:
    """The filters of one pod, with no column in sight."""

    def __init__(self, profile: Profile, cluster: ClusterState, pod: Pod) -> None:
        self.profile, self.cluster, self.pod = profile, cluster, pod
        self.cycle = make_cycle(cluster)
        self.skipped: set[str] = set()
        self.rejects: list[tuple[str, Reject]] = []
        self.narrows: dict[str, Narrow] = {}
        for name, plugin in profile.pre_filters:
            answer = plugin.pre_filter(pod, cluster.all_nodes(), self.cycle)
            if isinstance(answer, Skip | SkipWhile):
                self.skipped.add(name)
            elif isinstance(answer, Narrow):
                self.narrows[name] = answer
            elif answer is not None:
                self.rejects.append((name, answer))

    def verdict(self, name: str) -> Any:
        if self.rejects:
            plugin, reject = next((r for r in self.rejects if r[1].unresolvable), self.rejects[0])
            return plugin, sorted(reject.reasons), reject.unresolvable
        if any(name not in narrow.names for narrow in self.narrows.values()):
            return "", [f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(self.narrows))}]"], True
        nominated = [
            pod
            for pod in self.cluster.nominations.on_node(name)
            if pod.priority >= self.pod.priority and pod.uid != self.pod.uid
        ]
        supposed = what_if(self.cluster, [name], add={name: nominated})
        alone = self.cluster.all_nodes().take(np.array([self.cluster.nodes.row_of[name]], np.intp))
        return (self._first_failure(supposed) if nominated else None) or self._first_failure(alone)

    def _first_failure(self, nodes: NodeView) -> Any:
        for entry in self.profile.filters:
            if entry.name in self.skipped:
                continue
            for verdict in rejections(entry.plugin, self.pod, nodes, self.cycle).values():
                hard = verdict.code == "UnschedulableAndUnresolvable"
                return entry.name, sorted(verdict.reasons), hard
        return None

    def totals(self, feasible: set[str]) -> dict[str, int]:
        totals = dict.fromkeys(feasible, 0)
        for entry in self.profile.scores:
            cycle = Cycle(self.cluster.view, FEATURES)
            scores = score_with(entry.plugin, self.pod, self.cluster, feasible=feasible, cycle=cycle)
            for name, score in scores.items():
                totals[name] += entry.weight * score
        return differences(totals)


# -- the tests ------------------------------------------------------------------------------------


def expect_as_asked_anew(keeper: Profile, world: World, pending: PodBuilder) -> None:
    remembered = said(keeper, world.cluster, pod_of(world.cluster, pending))
    cluster, fresh = world.build(), make_profile()
    pod = pod_of(cluster, pending)
    assert remembered == said(fresh, cluster, pod)

    one_by_one = OneByOne(fresh, cluster, pod)
    for name in world.random.sample(sorted(world.nodes), k=10):
        verdict = one_by_one.verdict(name)
        assert remembered["statuses"][name] == verdict
        assert (name in remembered["feasible"]) == (verdict is None)
    if remembered["feasible"]:
        assert remembered["totals"] == one_by_one.totals(remembered["feasible"])


@contextmanager
def raising(place: str) -> Iterator[None]:
    FAULTS.add(place)
    try:
        yield
    finally:
        FAULTS.discard(place)


@settings(max_examples=12)
@given(st.integers(0, 1 << 32))
def test_what_is_remembered_is_what_is_true(seed: int) -> None:
    world = World(Random(seed))
    keeper = make_profile()
    for _ in range(12):
        world.step()
        for _ in range(2):
            expect_as_asked_anew(keeper, world, world.pending())


@settings(max_examples=12)
@given(st.integers(0, 1 << 32))
def test_nothing_wrong_is_remembered_after_a_plugin_raised(seed: int) -> None:
    world = World(Random(seed))
    keeper = make_profile()
    for _ in range(12):
        world.step()
        with raising(world.random.choice(POINTS_THAT_RAISE)):
            for _ in range(3):
                with suppress(PluginError):
                    said(keeper, world.cluster, pod_of(world.cluster, world.pending()))
        if world.random.random() < 0.5:
            world.step()
        expect_as_asked_anew(keeper, world, world.pending())
