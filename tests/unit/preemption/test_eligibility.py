"""Which pods may preempt others."""

from nominee.framework import Reject
from nominee.model.meta import Condition
from nominee.preemption import may_preempt
from nominee.state.cluster import ClusterState
from nominee.testing import PodBuilder, make_cluster, make_node, make_pod, pod_of
from tests.unit.preemption.fake_filters import diagnose, small

WAITS = "not eligible due to a terminating pod on the nominated node."
PREEMPTED = Condition(type="DisruptionTarget", status="True", reason="PreemptionByScheduler")
URGENT = make_pod("urgent").req(cpu="3").priority(100)


def leaving(name: str = "victim", condition: Condition = PREEMPTED, priority: int = 0) -> PodBuilder:
    return small(name, "a", priority=priority).terminating().status(conditions=(condition,))


def one_node(*pods: PodBuilder, cpu: str = "3") -> ClusterState:
    return make_cluster([make_node("a").capacity(cpu=cpu)], pods)


def reason(cluster: ClusterState, pod: PodBuilder, rejection: Reject | None = None) -> str:
    seen = pod_of(cluster, pod)
    verdict = may_preempt(seen, diagnose(seen, cluster, rejection=rejection), cluster)
    assert verdict.eligible == (not verdict.reason)
    return verdict.reason


def test_a_pod_may_preempt_unless_something_speaks_against_it() -> None:
    assert reason(one_node(leaving()), URGENT) == ""


def test_a_policy_of_never_forbids_it() -> None:
    assert (
        reason(one_node(), URGENT.preemption_policy("Never")) == "not eligible due to preemptionPolicy=Never."
    )


def test_a_nominated_pod_waits_for_its_victims_to_go() -> None:
    assert reason(one_node(leaving()), URGENT.nominated("a")) == WAITS


def test_a_nomination_counts_before_the_api_server_knows_of_it() -> None:
    cluster = one_node(leaving())
    cluster.nominate(pod_of(cluster, URGENT), "a")

    assert reason(cluster, URGENT) == WAITS


def test_it_does_not_wait_for_a_pod_that_leaves_for_another_reason() -> None:
    drained = Condition(type="DisruptionTarget", status="True", reason="EvictionByEvictionAPI")

    assert reason(one_node(leaving(condition=drained)), URGENT.nominated("a")) == ""


def test_it_does_not_wait_for_a_pod_that_was_not_preempted_after_all() -> None:
    undone = Condition(type="DisruptionTarget", status="False", reason="PreemptionByScheduler")

    assert reason(one_node(leaving(condition=undone)), URGENT.nominated("a")) == ""


def test_it_does_not_wait_for_a_pod_that_only_was_chosen() -> None:
    chosen = small("victim", "a").status(conditions=(PREEMPTED,))

    assert reason(one_node(chosen), URGENT.nominated("a")) == ""


def test_it_does_not_wait_for_a_pod_of_its_own_priority() -> None:
    assert reason(one_node(leaving(priority=100)), URGENT.nominated("a")) == ""


def test_it_looks_elsewhere_when_the_nominated_node_became_impossible() -> None:
    assert reason(one_node(leaving(), cpu="2"), URGENT.nominated("a")) == ""


def test_it_looks_elsewhere_when_the_nominated_node_is_unknown() -> None:
    assert reason(one_node(leaving()), URGENT.nominated("gone")) == ""


def test_it_looks_elsewhere_when_no_node_will_ever_do() -> None:
    assert reason(one_node(leaving()), URGENT.nominated("a"), Reject(("no",), unresolvable=True)) == ""


def test_it_waits_when_another_rule_than_filters_rejected_it_for_now() -> None:
    assert reason(one_node(leaving()), URGENT.nominated("a"), Reject(("not now",))) == WAITS
