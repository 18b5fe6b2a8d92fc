"""A pod goes only where the kubelet declares what its spec needs."""

import pytest

from nominee.framework import Skip
from nominee.model.container import Container, ContainerRestartRule, EphemeralContainer, VolumeMount
from nominee.plugins.node_declared_features import NodeDeclaredFeatures, required_features
from nominee.testing import PodBuilder, filter_with, make_cluster, make_cycle, make_node, make_pod, pod_of

HOST_NETWORK = "UserNamespacesHostNetworkSupport"
RESTART_ALL = "RestartAllContainersOnContainerExits"
MOUNT_OPTIONS = "VolumeBindMountOptions"
IN_USER_NAMESPACE = make_pod("p").spec(host_network=True, host_users=False)
RESTARTING = Container(restart_policy_rules=(ContainerRestartRule(action="RestartAllContainers"),))
MOUNTS = (VolumeMount(bind_mount_options=("noexec",)),)
CLUSTER = make_cluster(
    nodes=[
        make_node("old"),
        make_node("new").declared_feature(HOST_NETWORK).declared_feature("SomethingElse"),
    ]
)
AFTER_NODE, AFTER_POD = (registered.hint for registered in NodeDeclaredFeatures().events_to_register())


def test_rejects_nodes_that_do_not_declare_what_is_needed_for_good() -> None:
    verdict = ("UnschedulableAndUnresolvable", ("node(s) didn't match Pod's required features",))
    assert filter_with(NodeDeclaredFeatures(), IN_USER_NAMESPACE, CLUSTER) == {"old": verdict}


@pytest.mark.parametrize(
    ("pod", "features"),
    [
        (make_pod("p"), set()),
        (make_pod("p").spec(host_network=True), set()),
        (make_pod("p").spec(host_network=True, host_users=True), set()),
        (make_pod("p").spec(host_users=False), set()),
        (IN_USER_NAMESPACE, {HOST_NETWORK}),
        (make_pod("p").spec(containers=(RESTARTING,)), {RESTART_ALL}),
        (IN_USER_NAMESPACE.spec(init_containers=(RESTARTING,)), {RESTART_ALL, HOST_NETWORK}),
        (make_pod("p").spec(containers=(Container(volume_mounts=MOUNTS),)), {MOUNT_OPTIONS}),
        (make_pod("p").spec(init_containers=(Container(volume_mounts=MOUNTS),)), {MOUNT_OPTIONS}),
        (
            make_pod("p").spec(ephemeral_containers=(EphemeralContainer(volume_mounts=MOUNTS),)),
            {MOUNT_OPTIONS},
        ),
    ],
)
def test_infers_features_from_the_spec(pod: PodBuilder, features: set[str]) -> None:
    assert required_features(pod_of(CLUSTER, pod)) == features


def test_skips_pods_that_need_nothing_special() -> None:
    pod = pod_of(CLUSTER, make_pod("p"))
    answer = NodeDeclaredFeatures().pre_filter(pod, CLUSTER.all_nodes(), make_cycle(CLUSTER))
    assert answer is Skip.THIS_SHAPE


def test_a_node_wakes_pods_when_it_comes_or_declares_something_else() -> None:
    assert AFTER_NODE is not None
    pod = pod_of(CLUSTER, IN_USER_NAMESPACE)
    before, after = make_node("n").obj, make_node("n").declared_feature("x").obj
    assert AFTER_NODE(pod, None, before, CLUSTER.view)
    assert AFTER_NODE(pod, before, after, CLUSTER.view)
    assert not AFTER_NODE(pod, after, after, CLUSTER.view)


def test_the_pod_wakes_when_its_needs_change() -> None:
    assert AFTER_POD is not None
    needy, modest = pod_of(CLUSTER, IN_USER_NAMESPACE), pod_of(CLUSTER, make_pod("p"))
    assert AFTER_POD(needy, needy, modest, CLUSTER.view)
    assert not AFTER_POD(needy, modest, pod_of(CLUSTER, make_pod("p").label("a", "b")), CLUSTER.view)
