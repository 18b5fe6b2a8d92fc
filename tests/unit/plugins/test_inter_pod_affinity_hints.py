"""Which events wake a pod that pod affinity kept out."""

from __future__ import annotations

import pytest

from nominee.framework import Action, Resource
from nominee.plugins.inter_pod_affinity import InterPodAffinity
from nominee.testing import (
    HOSTNAME,
    ZONE,
    PodBuilder,
    make_cluster,
    make_namespace,
    make_node,
    make_pod,
    pod_of,
)

PODS, TARGET, NODES = InterPodAffinity().events_to_register()
WEB = make_pod("web").label("app", "web").node("n")
OTHER = make_pod("other").label("app", "other").node("n")
NEAR = make_pod("p").pod_affinity(ZONE, {"app": "web"})
FAR = make_pod("p").pod_anti_affinity(ZONE, {"app": "web"})
PLAIN = make_pod("p").label("app", "web")
BARE = make_node("n").meta(labels={})


def woken_by_pod(pod: PodBuilder, old: PodBuilder | None, new: PodBuilder | None) -> bool:
    cluster = make_cluster(objects=[make_namespace("other", {"team": "red"})])
    before, after = (None if one is None else pod_of(cluster, one) for one in (old, new))
    assert PODS.hint is not None
    return PODS.hint(pod_of(cluster, pod), before, after, cluster.view)


def woken_by_node(pod: PodBuilder, old: object, new: object) -> bool:
    cluster = make_cluster()
    assert NODES.hint is not None
    return NODES.hint(pod_of(cluster, pod), old, new, cluster.view)


def test_the_events_it_registers() -> None:
    pods = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
    assert (PODS.resource, PODS.actions) == (Resource.ASSIGNED_POD, pods)
    assert (TARGET.resource, TARGET.actions) == (Resource.TARGET_POD, Action.UPDATE_POD_LABEL)
    assert TARGET.hint is None
    assert (NODES.resource, NODES.actions) == (Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)


@pytest.mark.parametrize(
    ("pod", "old", "new", "woken"),
    [
        pytest.param(NEAR, None, WEB, True, id="wanted company comes"),
        pytest.param(NEAR, None, OTHER, False, id="other company comes"),
        pytest.param(
            NEAR.pod_affinity(ZONE, {"tier": "x"}), None, WEB, False, id="it matches one term of two"
        ),
        pytest.param(NEAR, None, make_pod("w").label("app", "web"), False, id="the pod has no node"),
        pytest.param(
            NEAR, None, make_pod("w").label("app", "web").nominated("n"), True, id="it is nominated"
        ),
        pytest.param(NEAR, OTHER, WEB, True, id="a label makes it wanted"),
        pytest.param(NEAR, WEB, WEB.label("more", "1"), False, id="it was wanted before"),
        pytest.param(FAR, WEB, OTHER, True, id="a label makes it bearable"),
        pytest.param(FAR, OTHER, WEB, False, id="a label makes it unbearable"),
        pytest.param(FAR, WEB, None, True, id="unwanted company goes"),
        pytest.param(FAR, OTHER, None, False, id="other company goes"),
        pytest.param(PLAIN, FAR.node("n"), None, True, id="a pod that refused it goes"),
        pytest.param(PLAIN, WEB, None, False, id="a pod without terms goes"),
    ],
)
def test_pods(pod: PodBuilder, old: PodBuilder | None, new: PodBuilder | None, woken: bool) -> None:
    assert woken_by_pod(pod, old, new) is woken


def test_namespace_selectors_are_looked_up() -> None:
    pod = make_pod("p").pod_affinity(ZONE, {"app": "web"}, namespace_selector={"team": "red"})
    assert woken_by_pod(pod, None, make_pod("w", "other").label("app", "web").node("n"))
    assert not woken_by_pod(pod, None, WEB)


@pytest.mark.parametrize(
    ("pod", "old", "new", "woken"),
    [
        pytest.param(NEAR, None, BARE.zone("a"), True, id="a node with the key of affinity comes"),
        pytest.param(NEAR, None, BARE, False, id="one without it comes"),
        pytest.param(FAR, None, BARE, True, id="any node comes for anti-affinity"),
        pytest.param(NEAR, BARE, BARE.zone("a"), True, id="affinity: the key appears"),
        pytest.param(NEAR, BARE.zone("a"), BARE.zone("b"), True, id="affinity: the domain changes"),
        pytest.param(NEAR, BARE.zone("a"), BARE, False, id="affinity: the key goes"),
        pytest.param(FAR, BARE, BARE.zone("a"), False, id="anti-affinity: the key appears"),
        pytest.param(FAR, BARE.zone("a"), BARE.zone("b"), True, id="anti-affinity: the domain changes"),
        pytest.param(FAR, BARE.zone("a"), BARE, True, id="anti-affinity: the key goes"),
        pytest.param(NEAR, BARE.zone("a"), BARE.zone("a").label("x", "y"), False, id="another label changes"),
        pytest.param(PLAIN, None, BARE.label(HOSTNAME, "n"), False, id="a pod without terms"),
    ],
)
def test_nodes(pod: PodBuilder, old: object, new: object, woken: bool) -> None:
    objects = [getattr(one, "obj", None) for one in (old, new)]
    assert woken_by_node(pod, *objects) is woken
