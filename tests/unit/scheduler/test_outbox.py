from nominee.scheduler.effects import PatchPodStatus, RecordEvent
from nominee.scheduler.inputs import Completed
from nominee.scheduler.outbox import NOTE_LIMIT, Outbox
from nominee.state.cluster import ClusterState
from nominee.testing import make_pod

POD = ClusterState().pod(make_pod("p").obj)


def test_effects_are_taken_once_and_in_order() -> None:
    outbox = Outbox()
    outbox.record("Normal", "First", "Testing", "one", POD)
    outbox.record("Normal", "Second", "Testing", "two", POD)
    taken = outbox.take()
    assert [effect.reason for effect in taken if isinstance(effect, RecordEvent)] == ["First", "Second"]
    assert not outbox


def test_an_answer_reaches_whoever_asked_and_only_once() -> None:
    outbox, answers = Outbox(), list[Completed]()
    outbox.patch_status(POD, "a", None, lambda answer, _now: answers.append(answer))
    (effect,) = outbox.take()
    assert isinstance(effect, PatchPodStatus)
    for _ in range(2):
        outbox.completed(Completed(effect.id), 0)
    assert answers == [Completed(effect.id)]
    assert outbox.unanswered == 0


def test_an_answer_to_nothing_is_ignored() -> None:
    Outbox().completed(Completed(7), 0)


def test_a_note_that_is_too_long_loses_its_end() -> None:
    outbox = Outbox()
    outbox.record("Warning", "Long", "Testing", "x" * 2000, POD)
    (event,) = outbox.take()
    assert isinstance(event, RecordEvent)
    assert event.note == "x" * (NOTE_LIMIT - 4) + " ..."
