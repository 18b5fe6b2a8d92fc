"""A pod waits outside until its gates are gone."""

from nominee.plugins.scheduling_gates import SchedulingGates
from nominee.testing import make_cluster, make_pod, pod_of


def test_names_the_gates_that_hold_a_pod_back() -> None:
    pod = pod_of(make_cluster(), make_pod("p").gate("quota").gate("example.com/data"))
    reason = "waiting for scheduling gates: [quota example.com/data]"
    assert SchedulingGates().pre_enqueue(pod) == reason


def test_lets_pods_without_gates_pass() -> None:
    assert SchedulingGates().pre_enqueue(pod_of(make_cluster(), make_pod("p"))) is None


def test_hears_when_the_gates_are_gone() -> None:
    events = [str(registered.event) for registered in SchedulingGates().events_to_register()]
    assert events == ["TargetPodUpdatePodSchedulingGatesEliminated"]
