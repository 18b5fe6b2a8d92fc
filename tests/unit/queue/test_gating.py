"""PreEnqueue: gated pods stay out until their gating plugin lets them in."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from nominee.framework import Action, ClusterEvent, EventHint, Pod, Resource
from nominee.testing import make_pod
from tests.unit.queue.rig import FIT, NODE_ADDED, POD_GONE, Rig

GATE = {"Gate": (EventHint(Resource.ASSIGNED_POD, Action.DELETE),)}
Plugin = tuple[str, Callable[[Pod], str | None]]


class Doors:
    """PreEnqueue plugins by name; those in `closed` object."""

    def __init__(self, *closed: str) -> None:
        self.closed = set(closed)
        self.asked: list[str] = []

    def plugins(self, *names: str) -> Sequence[Plugin]:
        return [(name, partial(self._ask, name)) for name in names]

    def _ask(self, name: str, _: Pod) -> str | None:
        self.asked.append(name)
        return "closed" if name in self.closed else None


def _rig(doors: Doors, *names: str, pop_from_backoff: bool = True) -> Rig:
    hints = {**FIT, **GATE, "Other": FIT["Fit"]}
    return Rig(hints, doors.plugins(*(names or ("Gate",))), pop_from_backoff=pop_from_backoff)


def test_a_gated_pod_is_set_aside() -> None:
    rig = _rig(Doors("Gate")).add("a")
    assert rig.where("a") == "gated"
    assert rig.get("a").gating_plugin == "Gate"
    assert rig.get("a").rejectors == {"Gate"}
    assert rig.get("a").initial_attempt_timestamp is None
    assert rig.pop() is None


def test_the_first_objection_ends_the_questions() -> None:
    doors = Doors("B")
    _rig(doors, "A", "B", "C").add("a")
    assert doors.asked == ["A", "B"]


def test_the_gating_plugin_is_asked_first_the_next_time() -> None:
    doors = Doors("B")
    rig = _rig(doors, "A", "B", "C").add("a")
    doors.asked.clear()
    doors.closed.clear()
    rig.activate("a")
    assert doors.asked == ["B", "A", "C"]
    assert rig.where("a") == "active"


def test_only_an_event_of_the_gating_plugin_frees_the_pod() -> None:
    doors = Doors("Gate")
    rig = _rig(doors).add("a")
    doors.closed.clear()
    rig.move(NODE_ADDED)
    assert rig.where("a") == "gated"
    rig.move(POD_GONE)
    assert rig.where("a") == "active"
    assert rig.get("a").gating_plugin == ""
    assert rig.get("a").rejectors == {"Gate"}  # until it is popped


def test_an_event_that_any_rejector_likes_will_do_once_the_gating_plugin_hears_it() -> None:
    doors = Doors()
    rig = _rig(doors)
    rig.rejected("a", by=["Fit"])
    doors.closed.add("Gate")
    rig.at(1005.0).move(NODE_ADDED)
    assert rig.where("a") == "gated"
    assert rig.get("a").rejectors == {"Fit", "Gate"}
    doors.closed.clear()
    rig.move(NODE_ADDED)  # Fit would say yes, but the gating plugin does not hear of nodes
    assert rig.where("a") == "gated"


def test_a_pod_that_stays_gated_stays_where_it_is() -> None:
    rig = _rig(Doors("Gate")).add("a")
    rig.move(POD_GONE)
    assert rig.where("a") == "gated"


def test_another_plugin_may_take_over() -> None:
    doors = Doors("Gate")
    rig = _rig(doors, "Gate", "Other").add("a")
    doors.closed = {"Other"}
    rig.move(POD_GONE)
    assert rig.get("a").gating_plugin == "Other"
    assert rig.get("a").rejectors == {"Gate", "Other"}


def test_a_plugin_that_raises_gates_and_is_reported() -> None:
    def broken(pod: Pod) -> str | None:
        raise ValueError(pod.name)

    rig = Rig(GATE, [("Gate", broken)]).add("a")
    assert rig.where("a") == "gated"
    assert rig.seen.failures == [("a", "plugin 'Gate' failed in pre_enqueue: ValueError('a')")]


@pytest.mark.parametrize(("pop_from_backoff", "place"), [(True, "gated"), (False, "backoff")])
def test_a_pod_is_asked_on_the_way_into_back_off_if_it_may_be_popped_from_there(
    pop_from_backoff: bool, place: str
) -> None:
    doors = Doors()
    rig = _rig(doors, pop_from_backoff=pop_from_backoff)
    rig.rejected("a")
    doors.closed.add("Gate")
    rig.move()
    assert rig.where("a") == place


@pytest.mark.parametrize(("pop_from_backoff", "place"), [(True, "active"), (False, "gated")])
def test_and_is_not_asked_again_on_the_way_out(pop_from_backoff: bool, place: str) -> None:
    doors = Doors()
    rig = _rig(doors, pop_from_backoff=pop_from_backoff)
    rig.rejected("a")
    rig.move()
    doors.closed.add("Gate")
    rig.at(1002.0).flush()
    assert rig.where("a") == place


@pytest.mark.parametrize(("pop_from_backoff", "place"), [(True, "active"), (False, "gated")])
def test_nor_when_it_is_activated_from_back_off(pop_from_backoff: bool, place: str) -> None:
    doors = Doors()
    rig = _rig(doors, pop_from_backoff=pop_from_backoff)
    rig.rejected("a")
    rig.move()
    doors.closed.add("Gate")
    rig.activate("a")
    assert rig.where("a") == place


def test_a_pod_set_aside_after_its_attempt_is_not_asked_at_that_moment() -> None:
    doors = Doors()
    rig = _rig(doors).add("a")
    rig.pop()
    doors.closed.add("Gate")
    doors.asked.clear()
    rig.fail("a")
    assert (rig.where("a"), doors.asked) == ("unschedulable", [])


def test_a_gated_pod_is_looked_at_again_when_it_has_waited_too_long() -> None:
    doors = Doors("Gate")
    rig = _rig(doors).add("a")
    rig.at(1320.0).flush()
    assert rig.where("a") == "gated"
    assert rig.get("a").was_flushed is False  # no attempt came of it
    assert rig.queue.next_wakeup() == 1650
    doors.closed.clear()
    rig.at(1650.0).flush()
    assert rig.where("a") == "active"
    assert rig.get("a").was_flushed is True


def test_the_pod_itself_losing_its_gates_frees_it() -> None:
    gates = {"Gate": (EventHint(Resource.TARGET_POD, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED),)}
    rig = Rig(gates, [("Gate", lambda pod: "closed" if pod.spec.scheduling_gates else None)])
    rig.add(make_pod("a").gate("g1").gate("g2"))
    rig.update(make_pod("a").gate("g1"))
    rig.update(make_pod("a").gate("g1").label("k"))
    assert rig.where("a") == "gated"
    rig.update(make_pod("a"))
    assert rig.where("a") == "active"


def test_a_gated_pod_is_nominated_all_the_same() -> None:
    rig = _rig(Doors("Gate")).add(make_pod("a").nominated("n"))
    assert rig.cluster.nominations.node_of("default/a") == "n"


def test_an_event_nobody_registered_is_no_reason_to_look() -> None:
    rig = _rig(Doors("Gate")).add("a")
    rig.move(ClusterEvent(Resource.NODE, Action.DELETE))
    assert rig.where("a") == "gated"
