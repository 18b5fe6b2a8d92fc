"""Which events wake a pod that spread constraints have rejected."""

import pytest

from nominee.framework import Action, Resource
from nominee.plugins.pod_topology_spread import PodTopologySpread
from nominee.testing import ZONE, NodeBuilder, PodBuilder, make_cluster, make_node, make_pod, pod_of

WEB = {"app": "web"}
REJECTED = make_pod("rejected").uid("rejected").labels(WEB).spread(1, ZONE, labels=WEB)
HONOURING = REJECTED.spread(1, ZONE, labels=WEB, node_taints_policy="Honor")
HINTS = {hint.resource: hint for hint in PodTopologySpread().events_to_register()}


def pod_event_helps(
    resource: Resource, old: PodBuilder | None, new: PodBuilder | None, rejected: PodBuilder = REJECTED
) -> bool:
    cluster = make_cluster()
    before, after = (pod_of(cluster, pod) if pod else None for pod in (old, new))
    hint = HINTS[resource].hint
    assert hint is not None
    return hint(pod_of(cluster, rejected), before, after, cluster.view)


def node_event_helps(old: NodeBuilder | None, new: NodeBuilder | None) -> bool:
    cluster = make_cluster()
    hint = HINTS[Resource.NODE].hint
    assert hint is not None
    return hint(pod_of(cluster, REJECTED), old and old.obj, new and new.obj, cluster.view)


def test_what_is_registered() -> None:
    assert {resource: hint.actions for resource, hint in HINTS.items()} == {
        Resource.ASSIGNED_POD: Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE,
        Resource.TARGET_POD: Action.UPDATE_POD_LABEL | Action.UPDATE_POD_TOLERATION,
        Resource.NODE: Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT,
    }


@pytest.mark.parametrize(
    ("pod", "helps"),
    [
        (make_pod("x").labels(WEB).node("n"), True),
        (make_pod("x").labels(WEB).nominated("n"), True),
        (make_pod("x").labels(WEB), False),
        (make_pod("x").label("app", "db").node("n"), False),
        (make_pod("x", "other").labels(WEB).node("n"), False),
    ],
    ids=["placed", "nominated", "pending", "not matching", "other namespace"],
)
def test_a_pod_comes_or_goes(pod: PodBuilder, helps: bool) -> None:
    assert pod_event_helps(Resource.ASSIGNED_POD, None, pod) == helps
    assert pod_event_helps(Resource.ASSIGNED_POD, pod, None) == helps


@pytest.mark.parametrize(
    ("old", "new", "helps"),
    [
        ({"app": "db"}, WEB, True),
        (WEB, {}, True),
        (WEB, {"app": "web", "rev": "2"}, False),
        (WEB, WEB, False),
    ],
)
def test_a_pods_labels_change(old: dict[str, str], new: dict[str, str], helps: bool) -> None:
    pod = make_pod("x").node("n")
    assert pod_event_helps(Resource.ASSIGNED_POD, pod.labels(old), pod.labels(new)) == helps


def test_the_rejected_pods_own_labels_change() -> None:
    without = REJECTED.meta(labels={})
    assert pod_event_helps(Resource.TARGET_POD, REJECTED, without)
    assert not pod_event_helps(Resource.TARGET_POD, REJECTED, REJECTED.label("rev", "2"))


@pytest.mark.parametrize(("rejected", "helps"), [(HONOURING, True), (REJECTED, False)])
def test_a_new_toleration_helps_where_taints_are_honoured(rejected: PodBuilder, helps: bool) -> None:
    tolerant = rejected.toleration("k", operator="Exists")
    assert pod_event_helps(Resource.TARGET_POD, rejected, tolerant, rejected) == helps


@pytest.mark.parametrize(
    ("old", "new", "helps"),
    [
        (None, make_node("n").zone("a"), True),
        (None, make_node("n"), False),
        (make_node("n").zone("a"), None, True),
        (make_node("n"), None, False),
        (make_node("n"), make_node("n").zone("a"), True),
        (make_node("n").zone("a"), make_node("n"), True),
        (make_node("n").zone("a"), make_node("n").zone("b"), True),
        (make_node("n").zone("a"), make_node("n").zone("a").taint("k"), True),
        (make_node("n").zone("a"), make_node("n").zone("a").label("disk", "ssd"), False),
        (make_node("n"), make_node("n").taint("k"), False),
    ],
    ids=[
        "added", "added without key", "deleted", "deleted without key", "gains key", "loses key", "moves",
        "tainted", "other label", "tainted without key",
    ],
)  # fmt: skip
def test_a_node_changes(old: NodeBuilder | None, new: NodeBuilder | None, helps: bool) -> None:
    assert node_event_helps(old, new) == helps
