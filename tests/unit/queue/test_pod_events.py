import pytest

from nominee.framework import Action, Resource
from nominee.model.container import ContainerStatus
from nominee.model.pod import PodExtendedResourceClaimStatus, PodResourceClaimStatus
from nominee.queue.pod_events import pod_events
from nominee.testing import PodBuilder, make_cluster, make_pod

POD = make_pod("a").req(cpu="1", memory="1Gi")


def _labels(old: PodBuilder, new: PodBuilder, resource: Resource = Resource.TARGET_POD) -> list[str]:
    cluster = make_cluster()
    return [str(event) for event in pod_events(cluster.pod(old.obj), cluster.pod(new.obj), resource)]


def _asks(**requests: str) -> PodBuilder:
    return make_pod("a").req(**requests)


@pytest.mark.parametrize(
    ("old", "new", "label"),
    [
        (POD, POD.label("app", "web"), "UpdatePodLabel"),
        (POD, _asks(cpu="500m", memory="1Gi"), "UpdatePodScaleDown"),
        (POD, _asks(cpu="1"), "UpdatePodScaleDown"),
        (POD, _asks(cpu="2", memory="1Gi"), "UpdatePodScaleUp"),
        (_asks(cpu="1"), POD, "UpdatePodScaleUp"),
        (POD.gate("g"), POD, "UpdatePodSchedulingGatesEliminated"),
        (POD, POD.toleration("k"), "UpdatePodToleration"),
    ],
)
def test_a_kind_of_change_is_told(old: PodBuilder, new: PodBuilder, label: str) -> None:
    assert _labels(old, new) == [f"TargetPod{label}"]


@pytest.mark.parametrize(
    "status",
    [
        {"resource_claim_statuses": (PodResourceClaimStatus(name="c", resource_claim_name="a-c"),)},
        {"extended_resource_claim_status": PodExtendedResourceClaimStatus(resource_claim_name="x")},
    ],
)
def test_claims_made_for_the_pod_are_told(status: dict[str, object]) -> None:
    assert _labels(POD, POD.status(**status)) == ["TargetPodUpdatePodGeneratedResourceClaim"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (POD, POD),
        (POD, POD.annotation("k", "v")),
        (POD, POD.nominated("n")),
        (POD.toleration("k", "v1"), POD.toleration("k", "v2")),  # their number is what counts
        (POD.gate("g1").gate("g2"), POD.gate("g1")),
        (_asks(cpu="1"), _asks(cpu="1000m")),
    ],
)
def test_other_changes_are_a_general_update(old: PodBuilder, new: PodBuilder) -> None:
    assert _labels(old, new) == ["TargetPodUpdate"]


def test_several_changes_are_told_one_by_one_in_a_fixed_order() -> None:
    old = _asks(cpu="1", memory="1Gi").gate("g")
    new = _asks(cpu="2", memory="1Mi").label("app", "web").toleration("k")
    assert _labels(old, new) == [
        "TargetPodUpdatePodLabel",
        "TargetPodUpdatePodScaleDown",
        "TargetPodUpdatePodScaleUp",
        "TargetPodUpdatePodSchedulingGatesEliminated",
        "TargetPodUpdatePodToleration",
    ]


def test_a_pod_on_a_node_is_an_assigned_one_whoever_asks() -> None:
    assert _labels(POD, POD.node("n").label("k")) == ["AssignedPodUpdatePodLabel"]
    assert _labels(POD.node("n"), POD.node("n"), Resource.UNSCHEDULED_POD) == ["AssignedPodUpdate"]


def test_other_pods_without_a_node_are_unscheduled() -> None:
    assert _labels(POD, POD.label("k"), Resource.UNSCHEDULED_POD) == ["UnscheduledPodUpdatePodLabel"]


def test_a_pod_whose_resize_is_under_way_counts_what_it_still_holds() -> None:
    held = ContainerStatus(name="c1", allocated_resources={"cpu": "4"})
    old = POD.node("n").status(container_statuses=(held,))
    assert _labels(old, POD.node("n")) == ["AssignedPodUpdatePodScaleDown"]


def test_actions_are_those_that_plugins_register() -> None:
    cluster = make_cluster()
    (event,) = pod_events(cluster.pod(POD.obj), cluster.pod(POD.label("k").obj))
    assert event.action is Action.UPDATE_POD_LABEL
