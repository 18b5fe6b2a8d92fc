import pytest

from nominee.framework import Action, ClusterEvent, EventHint, Resource
from nominee.queue.hints import FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT, QueueingHints, Strategy
from nominee.queue.in_flight import Happening
from nominee.queue.policy import EVERYTHING, QueuePolicy
from nominee.queue.queued_pod import QueuedPod
from nominee.testing import make_cluster, make_pod
from tests.unit.queue.rig import NODE_ADDED, POD_GONE, Recorder, hint

CLUSTER = make_cluster()
SKIP, AFTER_BACKOFF, IMMEDIATELY = Strategy.SKIP, Strategy.AFTER_BACKOFF, Strategy.IMMEDIATELY
HINTS = {
    "Yes": (hint(True),),
    "No": (hint(False),),
    "NoHint": (EventHint(Resource.NODE, Action.ADD),),
    "Broken": (hint(ValueError("oops")),),
    "Never": (),
}


def _hints(seen: Recorder | None = None) -> QueueingHints:
    return QueueingHints({"default-scheduler": QueuePolicy((), HINTS)}, CLUSTER.view, seen or Recorder())


def _queued(by: str = "", pending: str = "", name: str = "a") -> QueuedPod:
    queued = QueuedPod(CLUSTER.pod(make_pod(name).obj), 0.0)
    queued.blame(by.split(), pending.split())
    return queued


@pytest.mark.parametrize(
    ("by", "pending", "strategy"),
    [
        ("", "", AFTER_BACKOFF),
        ("Yes", "", AFTER_BACKOFF),
        ("No", "", SKIP),
        ("No Yes", "", AFTER_BACKOFF),
        ("NoHint", "", AFTER_BACKOFF),
        ("Broken", "", AFTER_BACKOFF),
        ("Never", "", SKIP),
        ("Unknown", "", SKIP),
        ("", "Yes", IMMEDIATELY),
        ("", "No", SKIP),
        ("Yes", "No", AFTER_BACKOFF),
        ("Yes", "NoHint", IMMEDIATELY),
        ("No", "Broken", IMMEDIATELY),
    ],
)
def test_the_rejectors_decide(by: str, pending: str, strategy: Strategy) -> None:
    assert _hints().judge(_queued(by, pending), Happening(NODE_ADDED, None, None)) is strategy


def test_an_event_that_no_rejector_registered_is_skipped() -> None:
    assert _hints().judge(_queued("Yes"), Happening(POD_GONE, None, None)) is SKIP


@pytest.mark.parametrize("event", [FORCE_ACTIVATE, UNSCHEDULABLE_TIMEOUT])
def test_a_wildcard_asks_nobody(event: ClusterEvent) -> None:
    assert _hints().judge(_queued("No", "No"), Happening(event, None, None)) is AFTER_BACKOFF


def test_a_wildcard_that_carries_a_pod_is_for_that_pod() -> None:
    happening = Happening(FORCE_ACTIVATE, None, _queued(name="a").pod)
    assert _hints().judge(_queued("No", name="a"), happening) is AFTER_BACKOFF
    assert _hints().judge(_queued("No", name="b"), happening) is SKIP


def test_the_update_of_another_pod_is_not_that_of_the_target() -> None:
    policy = QueuePolicy((), {"Fit": EVERYTHING})
    hints = QueueingHints({"default-scheduler": policy}, CLUSTER.view, Recorder())
    event = ClusterEvent(Resource.TARGET_POD, Action.UPDATE_POD_LABEL)
    own = _queued("Fit", name="a")
    assert hints.judge(own, Happening(event, own.pod, own.pod)) is AFTER_BACKOFF
    assert hints.judge(_queued("Fit", name="b"), Happening(event, own.pod, own.pod)) is SKIP


def test_a_pod_of_no_known_profile_gets_the_benefit_of_the_doubt() -> None:
    queued = QueuedPod(CLUSTER.pod(make_pod("a").scheduler("other").obj), 0.0)
    queued.blame(["No"])
    assert _hints().judge(queued, Happening(NODE_ADDED, None, None)) is AFTER_BACKOFF


def test_once_one_has_agreed_the_others_are_not_asked() -> None:
    seen = Recorder()
    _hints(seen).judge(_queued("Yes NoHint Broken"), Happening(NODE_ADDED, None, None))
    assert seen.hints == [("Yes", "NodeAdd", "Queue")]


def test_every_answer_is_reported_and_an_exception_is_blamed() -> None:
    seen = Recorder()
    for plugin in ("No", "NoHint", "Broken"):
        _hints(seen).judge(_queued(plugin), Happening(NODE_ADDED, None, None))
    assert [(plugin, says) for plugin, _, says in seen.hints] == [
        ("No", "QueueSkip"),
        ("NoHint", "Queue"),
        ("Broken", "Error"),
    ]
    assert seen.failures == [("a", "plugin 'Broken' failed in events_to_register: ValueError('oops')")]


def test_a_hint_gets_the_pod_the_objects_and_the_cluster() -> None:
    asked: list[tuple[object, ...]] = []

    def ask(*arguments: object) -> bool:
        asked.append(arguments)
        return True

    policy = QueuePolicy((), {"Fit": (EventHint(Resource.NODE, Action.ADD, ask),)})
    hints = QueueingHints({"default-scheduler": policy}, CLUSTER.view, Recorder())
    queued = _queued("Fit")
    hints.judge(queued, Happening(NODE_ADDED, "old", "new"))
    assert asked == [(queued.pod, "old", "new", CLUSTER.view)]


def test_listeners_are_the_plugins_of_all_profiles() -> None:
    policies = {"x": QueuePolicy((), {"A": (hint(True),)}), "y": QueuePolicy((), {"B": (hint(True),)})}
    hints = QueueingHints(policies, CLUSTER.view, Recorder())
    assert hints.listeners(NODE_ADDED) == ("A", "B")
    assert hints.listeners(POD_GONE) == ()


@pytest.mark.parametrize(
    ("registered", "action", "reached"),
    [
        (Action.UPDATE, Action.UPDATE_NODE_LABEL, True),
        (Action.UPDATE_NODE_LABEL, Action.UPDATE, False),
        (Action.UPDATE_NODE_LABEL, Action.UPDATE_NODE_LABEL, True),
        (Action.ADD | Action.UPDATE_NODE_TAINT, Action.UPDATE_NODE_LABEL, False),
        (Action.ALL, Action.DELETE, True),
    ],
)
def test_a_general_registration_hears_fine_events_but_not_the_other_way_round(
    registered: Action, action: Action, reached: bool
) -> None:
    policies = {"x": QueuePolicy((), {"A": (EventHint(Resource.NODE, registered),)})}
    hints = QueueingHints(policies, CLUSTER.view, Recorder())
    assert bool(hints.listeners(ClusterEvent(Resource.NODE, action))) is reached


@pytest.mark.parametrize("resource", [Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD, Resource.TARGET_POD])
def test_registering_pods_hears_all_three_kinds(resource: Resource) -> None:
    policies = {"x": QueuePolicy((), {"A": (EventHint(Resource.POD, Action.ADD),)})}
    hints = QueueingHints(policies, CLUSTER.view, Recorder())
    assert hints.listeners(ClusterEvent(resource, Action.ADD)) == ("A",)
