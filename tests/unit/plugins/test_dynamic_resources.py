"""DynamicResources around the search: claims, nodes, scores, what is taken and given back."""

from __future__ import annotations

import pytest

from nominee.framework import (
    Action,
    ClaimLedger,
    Cycle,
    Diagnosis,
    Node,
    Pod,
    PreFlight,
    Resource,
    ResourceClaim,
)
from nominee.model.dra import DeviceClass
from nominee.model.meta import ObjectMeta, OwnerReference
from nominee.model.pod import PodResourceClaimStatus
from nominee.plugins.dynamic_resources import DynamicResources
from nominee.plugins.dynamic_resources.hints import claim_changed
from nominee.state.cluster import ClusterState
from nominee.testing import (
    PodBuilder,
    filter_with,
    make_allocated_claim,
    make_claim,
    make_cluster,
    make_cycle,
    make_device_class,
    make_node,
    make_pod,
    make_slice,
    pod_of,
    score_with,
)
from nominee.testing.devices import DRIVER, alternative, first_of, request
from tests.dra_objects import PLUGIN, cluster_of, rejected

POD = make_pod("p").uid("p").claim("c")
CANNOT = "cannot allocate all claims"


def prepared(cluster: ClusterState, pod: PodBuilder = POD) -> tuple[Pod, Cycle]:
    """A pod after PreFilter and Filter."""
    cycle, seen = make_cycle(cluster), pod_of(cluster, pod)
    filter_with(PLUGIN, seen, cluster, cycle=cycle)
    return seen, cycle


def node_named(cluster: ClusterState, name: str) -> Node:
    node = cluster.view.node_named(name)
    assert node is not None
    return node


# -- which claims -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (None, 'could not find ResourceClaim "default/c"'),
        (
            ResourceClaim(
                metadata=ObjectMeta(name="c", namespace="default", deletion_timestamp="2026-01-01T00:00:00Z")
            ),
            'resourceclaim "c" is being deleted',
        ),
        (
            make_claim("c", request(device_class_name="nope")),
            "request gpus: device class nope does not exist",
        ),
        (
            make_claim("c", first_of("r", alternative("x", device_class_name="nope"))),
            "request r/x: device class nope does not exist",
        ),
    ],
)
def test_pre_filter_says_what_is_wrong_with_a_claim(claim: ResourceClaim | None, reason: str) -> None:
    cluster = cluster_of(*([claim] if claim else []))
    assert rejected(cluster, "c") == {"a": reason, "b": reason}


def test_pods_without_claims_are_none_of_its_business() -> None:
    assert rejected(cluster_of()) == {}


FROM_TEMPLATE = make_pod("p").uid("p").claim("x", template="t")
MADE = FROM_TEMPLATE.status(
    resource_claim_statuses=(PodResourceClaimStatus(name="x", resource_claim_name="p-x"),)
)


def of_pod(uid: str) -> ResourceClaim:
    owner = OwnerReference(kind="Pod", name="p", uid=uid, controller=True)
    return ResourceClaim(
        metadata=ObjectMeta(name="p-x", namespace="default", uid="u", owner_references=(owner,))
    )


@pytest.mark.parametrize(
    ("pod", "claims", "reason"),
    [
        (FROM_TEMPLATE, [], 'pod "default/p": ResourceClaim not created yet'),
        (MADE, [], 'could not find ResourceClaim "default/p-x"'),
        (
            MADE,
            [of_pod("other")],
            "ResourceClaim default/p-x was not created for Pod default/p (Pod is not owner)",
        ),
        (MADE, [of_pod("p")], None),
    ],
)
def test_a_pod_waits_outside_until_its_claims_are_made(
    pod: PodBuilder, claims: list[ResourceClaim], reason: str | None
) -> None:
    cluster = cluster_of(*claims)
    assert PLUGIN.pre_enqueue_in_cluster(pod_of(cluster, pod), cluster.view) == reason


def test_a_claim_that_was_left_out_on_purpose_is_skipped() -> None:
    pod = FROM_TEMPLATE.status(resource_claim_statuses=(PodResourceClaimStatus(name="x"),))
    assert filter_with(PLUGIN, pod, cluster_of()) == {}


# -- which nodes ------------------------------------------------------------------------------------


def test_only_nodes_with_devices_pass() -> None:
    assert rejected(cluster_of(make_claim("c"), make_slice("a", ["d"])), "c") == {"b": CANNOT}


def test_an_allocated_claim_ties_the_pod_to_its_nodes() -> None:
    cluster = cluster_of(make_allocated_claim("c", ("a", "d"), on="a"), make_slice("a", ["d"]))
    assert rejected(cluster, "c") == {"b": "resourceclaim not available on the node"}


def test_like_nodes_share_a_search_and_differ_by_what_is_taken() -> None:
    nodes = [f"n{i}" for i in range(6)]
    slices = [make_slice(n, ["d0", "d1"]) for n in nodes]
    taken = [
        make_allocated_claim(f"x{i}", *[(f"n{i}", f"d{d}") for d in range(i)], on=f"n{i}") for i in (1, 2)
    ]
    cluster = cluster_of(make_claim("c", request(count=2)), *slices, *taken, nodes=nodes)
    assert rejected(cluster, "c") == {"n1": CANNOT, "n2": CANNOT}


def test_invalid_pools_are_named_as_the_reason() -> None:
    cluster = cluster_of(make_claim("c"), make_slice("a", ["d", "d"]))
    assert rejected(cluster, "c") == {"a": "invalid resource pools were encountered", "b": CANNOT}


# -- scores -----------------------------------------------------------------------------------------


def test_nodes_are_scored_by_how_well_wishes_are_served() -> None:
    wish = first_of("r", alternative("two", 2), alternative("one", 1))
    cluster = cluster_of(make_claim("c", wish), make_slice("a", ["d0", "d1"]), make_slice("b", ["d0"]))
    seen, cycle = prepared(cluster)
    raw = PLUGIN.score(seen, cluster.all_nodes(), cycle)
    assert raw.tolist()[:2] == [8, 7]
    assert PLUGIN.normalize(raw, 7, 8).tolist()[:2] == [100, 87]


def test_without_wishes_nothing_is_scored() -> None:
    cluster = cluster_of(make_claim("c"), make_slice("a", ["d"]))
    assert score_with(PLUGIN, POD, cluster) == {}


# -- taking and giving back -------------------------------------------------------------------------


def test_a_reserved_device_is_taken_for_all_other_attempts_until_it_is_given_back() -> None:
    cluster = cluster_of(make_claim("c"), make_claim("other"), make_slice("a", ["d"]))
    seen, cycle = prepared(cluster)
    PLUGIN.reserve(seen, node_named(cluster, "a"), cycle)
    assert rejected(cluster, "other") == {"a": CANNOT, "b": CANNOT}
    in_process = "resource claim default/c is in the process of being allocated"
    assert rejected(cluster, "c") == {"a": in_process, "b": in_process}
    assert PLUGIN.unreserve(seen, node_named(cluster, "a"), cycle) is None
    assert rejected(cluster, "other") == {"b": CANNOT}


def test_unreserve_bears_being_called_in_vain() -> None:
    cluster = cluster_of()
    assert PLUGIN.unreserve(pod_of(cluster, POD), node_named(cluster, "a"), make_cycle(cluster)) is None


def test_pre_flight_promises_work_for_pods_with_claims_only() -> None:
    cluster = cluster_of(make_claim("c"), make_slice("a", ["d"]))
    seen, cycle = prepared(cluster)
    assert PLUGIN.pre_bind_pre_flight(seen, node_named(cluster, "a"), cycle) is PreFlight.WORK
    idle = make_cycle(cluster)
    assert PLUGIN.pre_bind_pre_flight(seen, node_named(cluster, "a"), idle) is PreFlight.SKIP


# -- the ledger -------------------------------------------------------------------------------------


def test_the_ledger_follows_the_watch_and_never_counts_twice() -> None:
    cluster = cluster_of(make_claim("c"))
    ledger = ClaimLedger.of(cluster.view)
    taken = make_allocated_claim("c", ("a", "d"))
    assert taken.status.allocation is not None
    ledger.reserve("default/c", taken.status.allocation)
    ledger.assume(taken, "p")
    ledger.release("default/c")
    assert dict(ledger.devices.dedicated) == {(DRIVER, "a", "d"): 1}
    cluster.put_object(taken)
    assert dict(ClaimLedger.of(cluster.view).devices.dedicated) == {(DRIVER, "a", "d"): 1}
    cluster.drop_object(taken)
    assert dict(ClaimLedger.of(cluster.view).devices.dedicated) == {}


def test_an_assumed_claim_that_was_never_seen_falls_with_its_pod() -> None:
    cluster = cluster_of()
    ledger = ClaimLedger.of(cluster.view)
    ledger.assume(make_allocated_claim("c", ("a", "d")), "p")
    assert not dict(ClaimLedger.of(cluster.view).devices.dedicated)


# -- extended resources -----------------------------------------------------------------------------

RESOURCE = "example.com/gpu"
WANTS_GPU = make_pod("p").uid("p").req(cpu="1", **{RESOURCE: "1"})


def gpu_cluster(*objects: ResourceClaim) -> ClusterState:
    own = make_node("own").capacity(cpu="8", memory="8Gi", pods="32", **{RESOURCE: "2"})
    nodes = [own, *(make_node(n).capacity(cpu="8", memory="8Gi", pods="32") for n in ("devices", "none"))]
    classes: list[DeviceClass] = [make_device_class("gpu", resource=RESOURCE)]
    return make_cluster(nodes=nodes, objects=[*classes, make_slice("devices", ["d"]), *objects])


def test_devices_stand_in_where_a_node_has_none_of_a_resource() -> None:
    cluster = gpu_cluster()
    assert set(filter_with(PLUGIN, WANTS_GPU, cluster)) == {"none"}


def test_a_claim_left_over_from_an_earlier_attempt_is_deleted_first() -> None:
    owner = OwnerReference(kind="Pod", name="p", uid="p", controller=True)
    meta = ObjectMeta(
        name="p-extended-resources-x",
        namespace="default",
        uid="u",
        owner_references=(owner,),
        annotations={"resource.kubernetes.io/extended-resource-claim": "true"},
    )
    cluster = gpu_cluster(ResourceClaim(metadata=meta, spec=make_claim().spec))
    seen, cycle = prepared(cluster, WANTS_GPU)
    said = PLUGIN.post_filter(seen, _any_diagnosis(), cycle)
    assert said is not None
    assert (said.message, said.reject) == ("deletion of ResourceClaim completed", True)


def _any_diagnosis() -> Diagnosis:
    return None  # type: ignore[return-value]


# -- giving up a claim ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("users", "given_up"), [((), True), (("p",), True), (("q",), False), (("p", "q"), False)]
)
def test_a_claim_where_the_pod_can_not_go_is_given_up_unless_others_use_it(
    users: tuple[str, ...], given_up: bool
) -> None:
    cluster = cluster_of(make_allocated_claim("c", ("x", "d"), on="elsewhere", users=users))
    seen, cycle = prepared(cluster)
    said = PLUGIN.post_filter(seen, _any_diagnosis(), cycle)
    assert (said is not None and said.errand is not None) is given_up


# -- hints ------------------------------------------------------------------------------------------


def test_a_pod_hears_of_its_own_claims_and_of_devices_that_became_free() -> None:
    mine, other = make_claim("c"), make_claim("other")
    cluster = cluster_of(mine, other)
    pod, allocated = pod_of(cluster, POD), make_allocated_claim("other", ("a", "d"))
    assert claim_changed(pod, None, mine, cluster.view)
    assert not claim_changed(pod, None, other, cluster.view)
    assert not claim_changed(pod, mine, mine, cluster.view)
    assert claim_changed(pod, mine, make_allocated_claim("c", ("a", "d")), cluster.view)
    assert claim_changed(pod, allocated, other, cluster.view)
    assert claim_changed(pod, allocated, None, cluster.view)
    assert not claim_changed(pod, other, None, cluster.view)


def test_it_hears_of_slices_classes_and_nodes() -> None:
    registered = {hint.resource: hint.actions for hint in DynamicResources().events_to_register()}
    assert registered[Resource.RESOURCE_SLICE] == Action.ADD | Action.UPDATE
    assert {Resource.DEVICE_CLASS, Resource.NODE, Resource.TARGET_POD} <= registered.keys()
