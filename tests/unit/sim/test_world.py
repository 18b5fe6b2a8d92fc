"""The API world: the rules of binding, statuses, deletion and admission."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from nominee.errors import Conflict, Forbidden, NotFound
from nominee.model.meta import Condition, ObjectMeta
from nominee.model.pod import Pod
from nominee.model.policy import PriorityClass
from nominee.sim.agenda import Agenda
from nominee.sim.kubelet import Kubelets
from nominee.sim.world import World
from nominee.testing import PodBuilder, make_pod

KEY = "default/web"


def world_with(pod: PodBuilder | None = None) -> World:
    world = World(Agenda())
    Kubelets(world)
    if pod is not None:
        world.restore(pod.obj)
    return world


def run_to(world: World, time: float) -> None:
    while (due := world.agenda.next_time()) is not None and due <= time:
        world.agenda.now = due
        world.agenda.run_due()
    world.agenda.now = time


def pod_of(world: World) -> Pod:
    return world.pods[KEY]


def test_binding_sets_the_node_and_the_condition_and_clears_the_nomination() -> None:
    world = world_with(make_pod("web").nominated("a"))
    world.bind(KEY, "", "b")
    pod = pod_of(world)
    assert (pod.spec.node_name, pod.status.nominated_node_name) == ("b", "")
    assert [(c.type, c.status) for c in pod.status.conditions] == [("PodScheduled", "True")]


def test_binding_leaves_the_nomination_when_the_gate_is_off() -> None:
    world = world_with(make_pod("web").nominated("a"))
    world.clearing_nominated_node_name = False
    assert world.bind(KEY, "", "b").status.nominated_node_name == "a"


def test_a_pod_is_bound_once() -> None:
    world = world_with(make_pod("web").node("a"))
    with pytest.raises(Conflict, match='pod web is already assigned to node "a"'):
        world.bind(KEY, "", "a")


def test_another_pod_of_the_same_name_is_not_bound() -> None:
    with pytest.raises(Conflict, match="UID"):
        world_with(make_pod("web").uid("new")).bind(KEY, "old", "a")


def test_a_missing_pod_is_not_bound() -> None:
    with pytest.raises(NotFound, match='pods "web" not found'):
        world_with().bind(KEY, "", "a")


def test_a_bound_pod_takes_no_new_nomination() -> None:
    world = world_with(make_pod("web").node("a"))
    with pytest.raises(Forbidden, match="already bound"):
        world.patch_status(KEY, nominated_node_name="b")


def test_a_condition_keeps_the_time_of_its_last_change() -> None:
    world = world_with(make_pod("web"))
    for time, message in ((0.0, "one"), (60.0, "two")):
        world.agenda.now = time
        said = Condition(type="PodScheduled", status="False", message=message)
        pod = world.patch_status(KEY, condition=said)
    assert pod.status.conditions[0].last_transition_time == "1970-01-01T00:00:00Z"
    assert pod.status.conditions[0].message == "two"


def test_a_write_that_changes_nothing_is_no_write() -> None:
    world = world_with(make_pod("web").nominated("a"))
    before = pod_of(world)
    assert world.patch_status(KEY, nominated_node_name="a") is before


def test_a_pod_without_a_node_is_deleted_at_once() -> None:
    world = world_with(make_pod("web"))
    world.delete_pod(KEY)
    assert KEY not in world.pods


def test_a_pod_on_a_node_goes_when_its_grace_period_is_over() -> None:
    world = world_with(make_pod("web").node("a"))
    world.delete_pod(KEY)
    run_to(world, 29.0)
    assert pod_of(world).metadata.deletion_timestamp == "1970-01-01T00:00:30Z"
    run_to(world, 30.0)
    assert KEY not in world.pods


def test_a_second_deletion_may_only_shorten_the_grace_period() -> None:
    world = world_with(make_pod("web").node("a"))
    world.delete_pod(KEY, grace=10)
    world.delete_pod(KEY, grace=20)
    assert pod_of(world).metadata.deletion_grace_period_seconds == 10
    world.delete_pod(KEY, grace=2)
    run_to(world, 2.0)
    assert KEY not in world.pods


def test_finalizers_hold_a_pod_that_is_deleted() -> None:
    world = world_with(make_pod("web").node("a").meta(finalizers=("example.com/hold",)))
    world.delete_pod(KEY, grace=0)
    run_to(world, 100.0)
    assert pod_of(world).terminating


def test_a_pod_finishes_after_its_duration() -> None:
    world = world_with(make_pod("web").annotation("nominee.dev/duration", "1m30s"))
    world.bind(KEY, "", "a")
    run_to(world, 89.0)
    assert pod_of(world).status.phase == "Running"
    run_to(world, 90.0)
    assert KEY not in world.pods


def test_a_created_pod_has_the_priority_of_its_class_and_no_status() -> None:
    world = world_with()
    world.restore(PriorityClass(metadata=ObjectMeta(name="gold"), value=7, preemption_policy="Never"))
    pod = make_pod("web").nominated("a").obj
    world.create(make_pod("web").having(spec=_with_class(pod, "gold"), status=pod.status).obj)
    spec, status = pod_of(world).spec, pod_of(world).status
    assert (spec.priority, spec.preemption_policy) == (7, "Never")
    assert (status.phase, status.nominated_node_name) == ("Pending", "")


def test_an_unknown_class_is_refused() -> None:
    pod = make_pod("web").obj
    with pytest.raises(Forbidden, match="no PriorityClass with name gold was found"):
        world_with().create(make_pod("web").having(spec=_with_class(pod, "gold")).obj)


def test_what_exists_is_not_created_again() -> None:
    world = world_with(make_pod("web"))
    with pytest.raises(Conflict, match="already exists"):
        world.create(make_pod("web").obj)


def _with_class(pod: Pod, name: str) -> object:
    return replace(pod.spec, priority=None, priority_class_name=name)
