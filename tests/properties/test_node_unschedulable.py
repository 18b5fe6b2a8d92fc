"""NodeUnschedulable over columns agrees with looking at each node."""

from hypothesis import given
from hypothesis import strategies as st

from nominee.framework import Toleration
from nominee.plugins.node_unschedulable import NodeUnschedulable
from nominee.testing import filter_with, make_cluster, make_node, make_pod, nodes_named

CORDON = "node.kubernetes.io/unschedulable"
VERDICT = ("UnschedulableAndUnresolvable", ("node(s) were unschedulable",))
tolerations = st.builds(
    Toleration,
    key=st.sampled_from(["", CORDON, "other"]),
    operator=st.sampled_from(["", "Equal", "Exists"]),
    value=st.sampled_from(["", "true"]),
    effect=st.sampled_from(["", "NoSchedule", "NoExecute"]),
)


def _covers(toleration: Toleration) -> bool:
    right_place = toleration.key in ("", CORDON) and toleration.effect in ("", "NoSchedule")
    return right_place and (toleration.operator == "Exists" or not toleration.value)


@given(st.lists(st.booleans(), min_size=1, max_size=6), st.lists(tolerations, max_size=3))
def test_filter(cordoned: list[bool], having: list[Toleration]) -> None:
    names = [f"n{i}" for i in range(len(cordoned))]
    nodes = [make_node(n).spec(unschedulable=c) for n, c in zip(names, cordoned, strict=True)]
    cluster, pod = make_cluster(nodes=nodes), make_pod("p").spec(tolerations=tuple(having))
    closed = [n for n, c in zip(names, cordoned, strict=True) if c and not any(map(_covers, having))]
    assert filter_with(NodeUnschedulable(), pod, cluster) == dict.fromkeys(closed, VERDICT)
    last = nodes_named(cluster, names[-1:])
    of_last = dict.fromkeys(set(closed) & {names[-1]}, VERDICT)
    assert filter_with(NodeUnschedulable(), pod, cluster, nodes=last) == of_last
