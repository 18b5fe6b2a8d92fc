import pytest

from nominee.framework import Allow, PreFlight, Reject, Wait
from nominee.scheduler.effects import RunBind
from nominee.scheduler.permits import WaitingPod, WaitingPods, _duration
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench, plugin_class, raising

Decision = tuple[str, str | None, bool]


def waiting(**deadlines: float) -> tuple[WaitingPods, list[Decision]]:
    pods, decisions = WaitingPods(), list[Decision]()
    pods.add(WaitingPod("uid", 0, deadlines, lambda *said: decisions.append(said[:3])))
    return pods, decisions


def test_a_pod_goes_on_when_every_plugin_has_allowed_it() -> None:
    pods, decisions = waiting(A=10, B=20)
    pods.allow("uid", "A", 1)
    assert decisions == []
    pods.allow("uid", "B", 2)
    assert decisions == [("", None, False)]


def test_only_the_first_decision_counts() -> None:
    pods, decisions = waiting(A=10)
    assert pods.reject("uid", "A", "no", 1)
    assert not pods.preempt("uid", "X", 2)
    assert decisions == [("A", "no", False)]


def test_the_earliest_deadline_rejects() -> None:
    pods, decisions = waiting(A=30, B=20)
    assert pods.next_deadline() == 20
    pods.expire(20)
    assert decisions == [("B", "rejected due to timeout after waiting 20s at plugin B", False)]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.25, "250ms"), (5, "5s"), (90, "1m30s"), (600, "10m0s"), (7200, "2h0m0s")]
)
def test_durations_read_as_in_go(seconds: float, text: str) -> None:
    assert _duration(seconds) == text


def test_a_later_plugin_that_refuses_ends_the_wait() -> None:
    wait = plugin_class("Patient", permit=lambda *_: Wait(60))
    refuse = plugin_class("Strict", permit=lambda *_: Reject(("no",)))
    bench = Bench([make_node("a")], [make_pod("p")], plugins=[wait, refuse])
    bench.run()
    bench.expect_pending("p", "unschedulable")
    assert not list(bench.scheduler.around.waiting)


def test_a_pod_whose_pre_flight_fails_waits_for_nobody() -> None:
    async def pre_bind(*_: object) -> None:
        raise AssertionError("it never comes to this")

    moody = plugin_class(
        "Moody", permit=lambda *_: Wait(60), pre_bind_pre_flight=raising(), pre_bind=pre_bind
    )
    bench = Bench([make_node("a")], [make_pod("p")], plugins=[moody])
    bench.run()
    bench.pass_time(120)
    assert bench.condition("p").message == 'running PreBindPreFlight "Moody": boom'


def test_no_plugin_lets_a_pod_wait_longer_than_a_quarter_of_an_hour() -> None:
    patient = plugin_class("Patient", permit=lambda *_: Wait(10**6))
    bench = Bench([make_node("a")], [make_pod("p")], plugins=[patient])
    bench.run()
    assert bench.scheduler.next_wakeup() == bench.now + 900


def test_binding_starts_only_when_the_plugin_allows_it() -> None:
    answers = {"p": Wait(60)}
    patient = plugin_class("Patient", permit=lambda pod, *_: answers.get(pod.name, Allow.ALLOW))
    bench = Bench([make_node("a")], [make_pod("p"), make_pod("q")], plugins=[patient])
    bench.run()
    bench.expect_bound("q", "a")
    assert not [bind for bind in bench.effects(RunBind) if bind.pod.name == "p"]
    bench.scheduler.around.waiting.allow("default/p", "Patient", bench.now)
    bench.run()
    bench.expect_bound("p", "a")


def test_pre_flight_may_skip() -> None:
    async def pre_bind(*_: object) -> None:
        raise AssertionError("it never comes to this")

    idle = plugin_class("Idle", pre_bind_pre_flight=lambda *_: PreFlight.SKIP, pre_bind=pre_bind)
    bench = Bench([make_node("a")], [make_pod("p")], plugins=[idle])
    bench.run()
    bench.expect_bound("p", "a")
