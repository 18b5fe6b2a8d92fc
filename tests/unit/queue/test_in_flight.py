from nominee.queue.in_flight import Happening, InFlight
from nominee.queue.observer import POD_POPPED
from tests.unit.queue.rig import NODE_ADDED, Recorder


def _happenings(in_flight: InFlight, uid: str) -> list[object]:
    return [happening.new for happening in in_flight.since(uid)]


def _record(in_flight: InFlight, *news: object) -> None:
    for new in news:
        in_flight.record(Happening(NODE_ADDED, None, new))


def test_a_pod_hears_of_what_came_after_it_was_popped() -> None:
    in_flight = InFlight(Recorder())
    in_flight.begin("a")
    _record(in_flight, 1)
    in_flight.begin("b")
    _record(in_flight, 2)
    assert _happenings(in_flight, "a") == [1, 2]
    assert _happenings(in_flight, "b") == [2]


def test_nothing_is_remembered_while_nobody_is_under_way() -> None:
    in_flight = InFlight(Recorder())
    _record(in_flight, 1)
    assert in_flight.events == 0


def test_events_go_when_the_last_who_may_have_missed_them_is_done() -> None:
    in_flight = InFlight(Recorder())
    in_flight.begin("a")
    _record(in_flight, 1)
    in_flight.begin("b")
    _record(in_flight, 2)
    in_flight.done("a")
    assert _happenings(in_flight, "b") == [2]
    assert in_flight.events == 1
    in_flight.done("b")
    assert in_flight.events == 0
    assert not list(in_flight.problems())


def test_a_later_pod_being_done_frees_nothing_that_an_earlier_one_may_need() -> None:
    in_flight = InFlight(Recorder())
    in_flight.begin("a")
    in_flight.begin("b")
    _record(in_flight, 1)
    in_flight.done("b")
    assert _happenings(in_flight, "a") == [1]


def test_done_of_somebody_else_changes_nothing() -> None:
    in_flight = InFlight(Recorder())
    in_flight.begin("a")
    _record(in_flight, 1)
    assert not in_flight.done("x")
    assert list(in_flight) == ["a"]


def test_the_observer_can_count_events_and_pods() -> None:
    seen = Recorder()
    in_flight = InFlight(seen)
    in_flight.begin("a")
    _record(in_flight, 1, 2)
    assert seen.events == {POD_POPPED: 1, "NodeAdd": 2}
    in_flight.done("a")
    assert seen.events == {POD_POPPED: 0, "NodeAdd": 0}


def test_a_long_line_of_pods_under_way_is_worked_off_in_linear_time() -> None:
    in_flight = InFlight(Recorder())
    for i in range(50_000):
        in_flight.begin(str(i))
        if i % 100 == 0:
            _record(in_flight, i)
    for i in range(50_000):
        in_flight.done(str(i))
    assert (len(in_flight), in_flight.events) == (0, 0)
