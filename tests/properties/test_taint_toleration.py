"""TaintToleration over columns agrees with the rules written out node by node."""

from hypothesis import given
from hypothesis import strategies as st

from nominee.framework import Taint, Toleration
from nominee.plugins.taint_toleration import TaintToleration
from nominee.testing import (
    filter_with,
    make_cluster,
    make_cycle,
    make_node,
    make_pod,
    nodes_named,
    score_with,
)

EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
VERDICT = ("UnschedulableAndUnresolvable", ("node(s) had untolerated taint(s)",))
keys, texts = st.sampled_from(["a", "b"]), st.sampled_from(["", "x", "1", "5", "10"])
taints = st.builds(Taint, key=keys, value=texts, effect=st.sampled_from(EFFECTS))
tolerations = st.builds(
    Toleration,
    key=st.just("") | keys,
    operator=st.sampled_from(["", "Equal", "Exists", "Gt", "Lt"]),
    value=texts,
    effect=st.sampled_from(["", *EFFECTS]),
)
clusters = st.lists(st.lists(taints, max_size=3), min_size=1, max_size=6)
several = st.lists(tolerations, max_size=3)


def _covers(toleration: Toleration, taint: Taint, *, comparing: bool) -> bool:
    if toleration.key not in ("", taint.key) or toleration.effect not in ("", taint.effect):
        return False
    if toleration.operator == "Exists":
        return True
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    if not (comparing and toleration.value.isdigit() and taint.value.isdigit()):
        return False
    difference = int(taint.value) - int(toleration.value)
    return difference > 0 if toleration.operator == "Gt" else difference < 0


def _untolerated(on_node: list[Taint], having: list[Toleration], *, comparing: bool) -> list[str]:
    """The effects of the taints that no toleration covers."""
    return [t.effect for t in on_node if not any(_covers(own, t, comparing=comparing) for own in having)]


@given(clusters, several, st.booleans())
def test_filter(by_node: list[list[Taint]], having: list[Toleration], comparing: bool) -> None:
    cluster = make_cluster(
        nodes=[make_node(f"n{i}").spec(taints=tuple(own)) for i, own in enumerate(by_node)]
    )
    cycle = make_cycle(cluster, features={"TaintTolerationComparisonOperators": comparing})
    pod = make_pod("p").spec(tolerations=tuple(having))
    naive = {
        f"n{i}": VERDICT
        for i, own in enumerate(by_node)
        if {"NoSchedule", "NoExecute"} & set(_untolerated(own, having, comparing=comparing))
    }
    assert filter_with(TaintToleration(), pod, cluster, cycle=cycle) == naive
    last = nodes_named(cluster, [f"n{len(by_node) - 1}"])
    of_last = {name: verdict for name, verdict in naive.items() if name == last.name(0)}
    assert filter_with(TaintToleration(), pod, cluster, cycle=cycle, nodes=last) == of_last


@given(clusters, several, st.data())
def test_score(by_node: list[list[Taint]], having: list[Toleration], data: st.DataObject) -> None:
    names = [f"n{i}" for i in range(len(by_node))]
    cluster = make_cluster(
        nodes=[make_node(n).spec(taints=tuple(own)) for n, own in zip(names, by_node, strict=True)]
    )
    feasible = data.draw(st.sets(st.sampled_from(names), min_size=1))
    pod = make_pod("p").spec(tolerations=tuple(having))
    counts = {
        name: _untolerated(own, having, comparing=False).count("PreferNoSchedule")
        for name, own in zip(names, by_node, strict=True)
        if name in feasible
    }
    most = max(counts.values())
    naive = {name: 100 - 100 * count // most if most else 100 for name, count in counts.items()}
    assert score_with(TaintToleration(), pod, cluster, feasible=feasible) == naive
