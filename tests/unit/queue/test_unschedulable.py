from nominee.queue.queued_pod import QueuedPod
from nominee.queue.unschedulable import UnschedulablePods
from nominee.testing import make_cluster, make_pod

CLUSTER = make_cluster()


def _queued(name: str, *rejectors: str, at: float = 0.0, gated_by: str = "") -> QueuedPod:
    queued = QueuedPod(CLUSTER.pod(make_pod(name).obj), at)
    queued.blame(rejectors)
    queued.gating_plugin = gated_by
    return queued


def _pods(*queued: QueuedPod) -> UnschedulablePods:
    pods = UnschedulablePods(300)
    for each in queued:
        pods.add(each)
    assert not list(pods.problems())
    return pods


def _names(pods: UnschedulablePods, *plugins: str) -> list[str]:
    return [queued.pod.name for queued in pods.rejected_by(plugins)]


def test_pods_are_found_by_whoever_rejected_them() -> None:
    pods = _pods(_queued("a", "Fit"), _queued("b", "Fit", "Ports"), _queued("c", "Ports"))
    assert _names(pods, "Fit") == ["a", "b"]
    assert _names(pods, "Fit", "Ports", "Nobody") == ["a", "b", "c"]
    assert _names(pods, "Nobody") == []


def test_pending_plugins_are_rejectors_too() -> None:
    queued = _queued("a")
    queued.blame(["Fit"], ["Dra"])
    assert _names(_pods(queued), "Dra") == ["a"]


def test_a_gated_pod_is_found_by_its_gating_plugin_alone() -> None:
    pods = _pods(_queued("a", "Fit", "Gates", gated_by="Gates"))
    assert _names(pods, "Fit") == []
    assert _names(pods, "Gates") == ["a"]
    assert pods.gated == 1
    assert pods.is_gated("default/a")


def test_a_removed_pod_is_in_no_file() -> None:
    pods = _pods(_queued("a", "Fit"), _queued("b", "Gates", gated_by="Gates"))
    pods.remove("default/a")
    pods.remove("default/b")
    assert pods.remove("default/b") is None
    assert not pods
    assert pods.gated == 0
    assert not pods._files
    assert not list(pods.problems())


def test_a_pod_has_waited_too_long_at_the_first_look_after_five_minutes() -> None:
    pods = _pods(_queued("a", "Fit", at=10.0))
    assert pods.next_timeout() == 330
    assert pods.flushed(329.9) == []
    assert [queued.pod.name for queued in pods.flushed(341.0)] == ["a"]


def test_five_minutes_exactly_are_not_too_long() -> None:
    pods = _pods(_queued("a", "Fit", at=0.0))
    assert pods.flushed(300.0) == []
    assert pods.next_timeout() == 330


def test_a_flushed_pod_that_stays_waits_another_five_minutes() -> None:
    queued = _queued("a", "Fit", at=10.0)
    pods = _pods(queued)
    pods.flushed(330.0)
    assert (queued.was_flushed, queued.flush_timestamp) == (True, 330.0)
    assert pods.next_timeout() == 660
    assert not list(pods.problems())
