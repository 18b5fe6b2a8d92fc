"""Builders say what the API's objects say, and never change in place."""

from __future__ import annotations

import pytest

from nominee.model.codec import encode_object
from nominee.model.requests import pod_requests
from nominee.model.storage import PersistentVolumeClaim
from nominee.model.volumes import CSIPersistentVolume
from nominee.plugins.node_volume_limits import NodeVolumeLimits
from nominee.plugins.volume_binding import VolumeBinding
from nominee.sim import Simulation
from nominee.testing import (
    ManualClock,
    filter_with,
    make_cluster,
    make_csi_node,
    make_node,
    make_pod,
    make_pv,
    make_pvc,
    make_storage_class,
    score_with,
)


def spec_of(pod: object) -> dict[str, object]:
    return encode_object(pod.obj)["spec"]  # type: ignore[attr-defined, no-any-return]


def test_a_builder_never_changes() -> None:
    base = make_pod("p")
    base.label("app", "web").req(cpu="1")
    assert (base.obj.labels, pod_requests(base.obj)) == ({}, {})


def test_requests_of_several_containers_add_up() -> None:
    pod = make_pod("p").req(cpu="1").req(cpu="500m", **{"example.com/gpu": 1}).overhead(cpu="10m")
    assert pod_requests(pod.obj) == {"cpu": 1510, "example.com/gpu": 1}
    assert [c.name for c in pod.obj.spec.containers] == ["c1", "c2"]


def test_sidecars_run_beside_and_init_containers_before() -> None:
    pod = make_pod("p").req(cpu="1").sidecar_req(cpu="1").init_req(cpu="3")
    assert pod_requests(pod.obj) == {"cpu": 4000}


def test_required_node_expressions_hold_together() -> None:
    pod = make_pod("p").node_affinity_in("zone", ["a"]).node_affinity_in("metadata.name", ["n"])
    required = pod.obj.spec.affinity.node_affinity.required_during_scheduling_ignored_during_execution  # type: ignore[union-attr]
    (term,) = required.node_selector_terms  # type: ignore[union-attr]
    assert [e.key for e in (*term.match_expressions, *term.match_fields)] == ["zone", "metadata.name"]


def test_pod_affinity_terms_collect() -> None:
    pod = (
        make_pod("p").pod_affinity("zone", {"app": "a"}).pod_affinity("host", expressions=[("app", "Exists")])
    )
    assert spec_of(pod)["affinity"] == {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "zone"},
                {
                    "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]},
                    "topologyKey": "host",
                },
            ]
        }
    }


def test_times_are_seconds_or_text() -> None:
    pod = make_pod("p").created(1.5).started("2026-01-01T00:00:00Z").terminating(60)
    assert pod.obj.metadata.creation_timestamp == "1970-01-01T00:00:01.500000Z"
    assert pod.obj.metadata.deletion_timestamp == "1970-01-01T00:01:00Z"
    assert pod.obj.status.start_time == "2026-01-01T00:00:00Z"


def test_a_nodes_hostname_is_its_name() -> None:
    node = make_node("a").zone("z", region="r").taint("k", effect="NoExecute").obj
    assert node.labels["kubernetes.io/hostname"] == "a"
    assert node.labels["topology.kubernetes.io/region"] == "r"
    assert node.spec.taints[0].effect == "NoExecute"


def test_a_cluster_places_and_nominates() -> None:
    pods = [make_pod("p").node("a"), make_pod("n").nominated("a"), make_pod("pending")]
    cluster = make_cluster([make_node("a")], pods)
    assert [pod.name for pod in cluster.pods_on("a")] == ["p"]
    assert [pod.name for pod in cluster.nominations.on_node("a")] == ["n"]


class Cpu:
    def score_node(self, pod: object, node: object, cycle: object) -> int:
        return node.free["cpu"]  # type: ignore[attr-defined, no-any-return]

    def normalize(self, scores: object, lowest: int, highest: int) -> object:
        return scores * 100 // highest  # type: ignore[operator]


def test_scores_are_normalised_over_feasible_nodes() -> None:
    cluster = make_cluster([make_node(n).capacity(cpu=c) for n, c in (("a", 1), ("b", 2), ("c", 4))])
    assert score_with(Cpu(), make_pod("p"), cluster, feasible=["a", "b"]) == {"a": 50, "b": 100}
    assert score_with(Cpu(), make_pod("p"), cluster, normalized=False)["c"] == 4000


def test_a_clock_moves_by_hand_and_never_back() -> None:
    clock = ManualClock(10)
    assert clock.advance(5) == clock.now() == 15
    with pytest.raises(ValueError, match="a clock does not go back"):
        clock.set(1)


ZONED = [make_node("a").zone("z1"), make_node("b").zone("z2")]
IN_Z2 = {"topology.kubernetes.io/zone": "z2"}


def test_a_bound_claim_takes_its_pod_to_the_volume() -> None:
    volume, claim = make_pv("v", nodes_with=IN_Z2, claim="data"), make_pvc("data", volume="v")
    sim = Simulation(ZONED, [make_pod("db").pvc("data")], [volume, claim])
    sim.run_until_quiet()
    assert sim.node_of("db") == "b"


def test_a_claim_that_waits_for_its_pod_finds_a_volume() -> None:
    objects = [
        make_storage_class("local"),
        make_pv("v", "20Gi", storage_class="local", nodes_with=IN_Z2),
        make_pvc("data", "15Gi", storage_class="local"),
    ]
    rejected = filter_with(VolumeBinding(), make_pod("db").pvc("data"), make_cluster(ZONED, objects=objects))
    assert rejected.keys() == {"a"}


def test_a_csi_node_limits_the_volumes_of_a_driver() -> None:
    sources = [CSIPersistentVolume(driver="x", volume_handle=f"{i}") for i in (0, 1)]
    volumes = [make_pv(f"v{i}", claim=f"d{i}", csi=source) for i, source in enumerate(sources)]
    claims = [make_pvc(f"d{i}", volume=f"v{i}") for i in (0, 1)]
    objects = [*volumes, *claims, make_csi_node("a", {"x": 1}), make_csi_node("b", {"x": None})]
    cluster = make_cluster(ZONED, [make_pod("old").pvc("d0").node("a")], objects)
    assert filter_with(NodeVolumeLimits(), make_pod("new").pvc("d1"), cluster).keys() == {"a"}


def test_a_cluster_takes_builders_and_structs_of_every_kind() -> None:
    cluster = make_cluster(objects=[make_node("a"), make_pvc("data")])
    assert cluster.view.get(PersistentVolumeClaim, "default/data") is not None
