"""NodeName over any view agrees with comparing names."""

from hypothesis import given
from hypothesis import strategies as st

from nominee.plugins.node_name import NodeName
from nominee.testing import make_cluster, make_cycle, make_node, make_pod, nodes_named, pod_of
from nominee.testing.running import rejections

CLUSTER = make_cluster(nodes=map(make_node, "abcd"))


@given(st.sampled_from(["", "a", "b", "gone"]), st.lists(st.sampled_from("abcd"), min_size=1))
def test_filter(named: str, asked: list[str]) -> None:
    pod = pod_of(CLUSTER, make_pod("p").node(named))
    rejected = rejections(NodeName(), pod, nodes_named(CLUSTER, asked), make_cycle(CLUSTER))
    assert set(rejected) == {i for i, name in enumerate(asked) if named not in ("", name)}
