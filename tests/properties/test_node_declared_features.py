"""NodeDeclaredFeatures over columns agrees with comparing sets node by node."""

from hypothesis import given
from hypothesis import strategies as st

from nominee.model.container import Container, ContainerRestartRule, VolumeMount
from nominee.plugins.node_declared_features import NodeDeclaredFeatures
from nominee.testing import filter_with, make_cluster, make_node, make_pod, nodes_named

NAMESPACE, RESTART = "UserNamespacesHostNetworkSupport", "RestartAllContainersOnContainerExits"
MOUNT = "VolumeBindMountOptions"
VERDICT = ("UnschedulableAndUnresolvable", ("node(s) didn't match Pod's required features",))
features = st.sets(st.sampled_from([NAMESPACE, RESTART, MOUNT, "Another"]))


@given(st.lists(features, min_size=1, max_size=6), features)
def test_filter(declared: list[set[str]], needed: set[str]) -> None:
    container = Container(
        restart_policy_rules=(ContainerRestartRule(action="RestartAllContainers"),) * (RESTART in needed),
        volume_mounts=(VolumeMount(bind_mount_options=("noexec",)),) * (MOUNT in needed),
    )
    pod = make_pod("p").spec(containers=(container,), host_network=True, host_users=NAMESPACE not in needed)
    names = [f"n{i}" for i in range(len(declared))]
    cluster = make_cluster(
        nodes=[make_node(n).status(declared_features=tuple(d)) for n, d in zip(names, declared, strict=True)]
    )
    required = needed - {"Another"}
    naive = {n: VERDICT for n, d in zip(names, declared, strict=True) if not required <= d}
    assert filter_with(NodeDeclaredFeatures(), pod, cluster) == naive
    first = nodes_named(cluster, names[:1])
    assert filter_with(NodeDeclaredFeatures(), pod, cluster, nodes=first) == {
        name: verdict for name, verdict in naive.items() if name == names[0]
    }
