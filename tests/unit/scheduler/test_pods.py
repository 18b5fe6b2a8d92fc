from nominee.framework import Pod
from nominee.scheduler.effects import PatchPodStatus
from nominee.scheduler.inputs import Completed
from nominee.scheduler.outbox import Outbox
from nominee.scheduler.pods import PendingPods
from nominee.scheduler.ports import SilentRecorder
from nominee.state.cluster import ClusterState
from nominee.testing import PodBuilder, make_pod

CLUSTER = ClusterState()


class Shown:
    """The table, and what the watch shows of one pod."""

    def __init__(self) -> None:
        self.outbox = Outbox()
        self.pods = PendingPods(self.outbox, SilentRecorder())
        self.see("")

    def see(self, nomination: str, version: str = "") -> None:
        pod: PodBuilder = make_pod("p").nominated(nomination)
        self.pods.put(CLUSTER.pod(pod.obj), version)

    def write(self, nomination: str) -> PatchPodStatus:
        assert self.pods.patch_status(self.pod, nomination, None)
        (effect,) = self.outbox.take()
        assert isinstance(effect, PatchPodStatus)
        return effect

    def answer(self, effect: PatchPodStatus, error: str | None = None) -> None:
        self.outbox.completed(Completed(effect.id, error), 0)

    @property
    def pod(self) -> Pod:
        pod = self.pods.get("default/p")
        assert pod is not None
        return pod

    @property
    def nomination(self) -> str:
        return self.pod.nominated_node_name


def test_what_was_asked_for_counts_as_written() -> None:
    shown = Shown()
    shown.write("a")
    assert shown.nomination == "a"


def test_a_form_from_before_the_write_is_corrected() -> None:
    shown = Shown()
    shown.write("a")
    shown.see("")
    assert shown.nomination == "a"


def test_so_is_one_that_comes_after_the_answer() -> None:
    shown = Shown()
    shown.answer(shown.write("a"))
    shown.see("")
    assert shown.nomination == "a"


def test_a_form_that_knows_of_an_earlier_write_is_corrected_by_the_later() -> None:
    shown = Shown()
    shown.answer(shown.write("a"))
    shown.answer(shown.write("b"))
    shown.see("a")
    assert shown.nomination == "b"


def test_what_somebody_else_wrote_after_us_is_followed() -> None:
    shown = Shown()
    shown.answer(shown.write("a"))
    shown.see("a")
    shown.see("other")
    assert shown.nomination == "other"


def test_what_we_write_comes_after_what_somebody_else_wrote() -> None:
    shown = Shown()
    effect = shown.write("a")
    shown.see("other")
    shown.answer(effect)
    assert shown.nomination == "a"


def test_a_failed_write_leaves_the_form_that_was_seen_last() -> None:
    shown = Shown()
    effect = shown.write("a")
    shown.see("")
    shown.answer(effect, error="the API server is down")
    assert shown.nomination == ""


def test_a_failed_write_is_written_again() -> None:
    shown = Shown()
    shown.answer(shown.write("a"), error="the API server is down")
    assert shown.write("a").nominated_node_name == "a"


def test_a_nomination_is_foreign_unless_we_wrote_it() -> None:
    shown = Shown()
    shown.write("a")
    assert not shown.pods.is_foreign(shown.pod)
    shown.see("other")
    shown.see("a", "7")
    assert shown.pods.has_seen("default/p", "7")


def test_a_pod_that_is_dropped_leaves_nothing_behind() -> None:
    shown = Shown()
    effect = shown.write("a")
    shown.pods.drop("default/p")
    shown.answer(effect, error="not found")
    left = shown.pods._known, shown.pods._writes, shown.pods.ours, shown.pods._uid_of
    assert not any(left)
