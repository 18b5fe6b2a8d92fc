"""The scheduling cycle: one pod from the queue to its assumed node, or to the failure handler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import msgspec

from nominee.errors import PluginError
from nominee.framework import Allow, Diagnosis, Errand, Node, Nomination, Pod, Reject, Wait
from nominee.preemption import ADVICE, Advice
from nominee.profile.ask import ask, check_answer
from nominee.profile.profile import Profile
from nominee.profile.search import Search
from nominee.queue.queued_pod import QueuedPod
from nominee.scheduler.binding import Placement
from nominee.scheduler.consulting import ConsultedSelection, ExtenderFailed
from nominee.scheduler.extenders import Consultation, Question, VictimsQuestion
from nominee.scheduler.failure import UNSCHEDULABLE, Failure, error, refusal, rejection
from nominee.scheduler.metrics import ERROR, SUCCESS, WAIT, Lap, label_of
from nominee.scheduler.metrics import UNSCHEDULABLE as REJECTED
from nominee.scheduler.permits import MAX_WAIT
from nominee.scheduler.post_filter import PostFilters
from nominee.scheduler.selection import Selection, select_node
from nominee.scheduler.surroundings import Surroundings

_Plugins = Sequence[tuple[str, Any]]
_Asking = Callable[[Placement, _Plugins, dict[str, float]], Failure | None]
NO_NODES = "no nodes available to schedule pods"


class Outcome(msgspec.Struct):
    """What a cycle ended with: a placement (and who lets it wait), or a failure (and whom to evict).

    Or with a question that extenders have to answer before the cycle can be run again.
    """

    placement: Placement | None = None
    waits: dict[str, float] | None = None  # plugin to seconds
    failure: Failure | None = None
    rescue: Nomination | None = None
    rescuer: str = ""
    diagnosis: str = ""  # why no node would do, before anybody came to the rescue
    question: Question | None = None
    about_nominated: bool = False  # the question is about the nominated node alone


class SchedulingCycle:
    """Decides about one pod at a time.

    Reproduces schedulingCycle (pkg/scheduler/schedule_one.go, v1.37).
    """

    def __init__(self, around: Surroundings, draw: Callable[[], int]) -> None:
        self._around = around
        self._draw = draw
        self._post_filters = PostFilters(around)
        self._nominated_first = around.features.enabled("TryNominatedNodeFirst")

    def run(
        self,
        queued: QueuedPod,
        profile: Profile,
        started: float,
        now: float,
        said: Consultation | None = None,
    ) -> Outcome:
        """Run it; `said` is what extenders have answered in this attempt, where there are any."""
        around, pod = self._around, queued.pod
        if not len(around.cluster.nodes):
            return Outcome(failure=refusal(NO_NODES))
        lap = around.metrics.laps(profile.scheduler_name)
        try:
            selection = self._select(pod, profile, now, said, lap)
        except PluginError as failure:
            lap(label_of(failure.extension_point), ERROR)
            around.recorder.plugin_failed(pod, failure)
            return Outcome(failure=error(described(failure)))
        except ExtenderFailed as failed:
            return Outcome(failure=error(str(failed)))
        if isinstance(selection, Outcome):
            return selection
        if selection.row is None:
            if said is not None and around.extenders.preempting(pod):
                selection.search.cycle[ADVICE] = _advice(said)
            return self._rescue(pod, profile, selection)
        around.metrics.algorithm(started)
        node = Node(around.cluster, selection.row)
        promised = around.cluster.nominations.node_of(pod.uid)
        placement = Placement(
            queued, pod, node, profile, selection.search.plan, selection.search.cycle, started, promised
        )
        return self._reserve(placement)

    def _select(
        self, pod: Pod, profile: Profile, now: float, said: Consultation | None, lap: Lap
    ) -> Selection | Outcome:
        cluster, first, offset = self._around.cluster, self._nominated_first, self._draw()
        if said is None:
            return select_node(profile, cluster, pod, now, offset, nominated_first=first, lap=lap)
        search = Search(profile, cluster, pod, now, offset)
        consulted = ConsultedSelection(search, self._around.extenders, said)
        chosen = consulted.choose(offset, nominated_first=first, lap=lap)
        if isinstance(chosen, Selection):
            return chosen
        return Outcome(question=chosen, about_nominated=consulted.asks_about_nominated)

    # -- no node --------------------------------------------------------------------------------

    def _rescue(self, pod: Pod, profile: Profile, selection: Selection) -> Outcome:
        diagnosis = selection.diagnosis
        assert diagnosis is not None  # noqa: S101 - a selection without a row has one
        rescue = self._post_filters.run(pod, profile, diagnosis, selection.search.cycle)
        if rescue.candidates is not None:
            extenders = self._around.extenders.preempting(pod)
            pods_on = self._around.cluster.pods_on
            return Outcome(question=VictimsQuestion(pod, rescue.candidates, extenders, pods_on))
        failure = _unfit(diagnosis, rescue.messages, rescue.answer.node_name)
        victims = rescue.answer if rescue.answer.victims else None
        return Outcome(failure=failure, rescue=victims, rescuer=rescue.rescuer, diagnosis=diagnosis.message)

    # -- a node ---------------------------------------------------------------------------------

    def _reserve(self, placement: Placement) -> Outcome:
        """Assume the node, let the plugins reserve and permit; undo all of it if one refuses."""
        around = self._around
        around.cluster.assume(placement.pod, placement.node.name)
        waits: dict[str, float] = {}
        reserving = placement.plan.concerned("reserve")
        refused = self._timed("Reserve", reserving, self._ask_to_reserve, placement, waits)
        if refused is None:
            permitting = placement.profile.points.get("permit", ())
            refused = self._timed("Permit", permitting, self._ask_to_permit, placement, waits)
        if refused is not None:
            unreserve(placement, around)
            around.cluster.forget(placement.pod.uid)
            return Outcome(failure=refused)
        return Outcome(placement, waits)

    def _timed(
        self, point: str, plugins: _Plugins, ask_all: _Asking, p: Placement, waits: dict[str, float]
    ) -> Failure | None:
        """Ask the plugins of a point, if there are any, and note how long that took."""
        if not plugins:
            return None
        metrics = self._around.metrics
        started = metrics.stopwatch()
        refused = ask_all(p, plugins, waits)
        status = WAIT if waits and refused is None else _status(refused)
        metrics.extension_point(point, status, p.profile.scheduler_name, started)
        return refused

    def _ask_to_reserve(self, p: Placement, plugins: _Plugins, _waits: dict[str, float]) -> Failure | None:
        for name, plugin in plugins:
            try:
                said = self._around.metrics.ask(name, "reserve", plugin.reserve, p.pod, p.node, p.cycle)
                check_answer(name, "reserve", said, Reject, NoneType)
            except PluginError as failure:
                self._around.recorder.plugin_failed(p.pod, failure)
                return error(f'running Reserve plugin "{name}": {failure.said}')
            if isinstance(said, Reject):
                return rejection(name, said)
        return None

    def _ask_to_permit(self, p: Placement, plugins: _Plugins, waits: dict[str, float]) -> Failure | None:
        for name, plugin in plugins:
            try:
                said = self._around.metrics.ask(name, "permit", plugin.permit, p.pod, p.node, p.cycle)
                check_answer(name, "permit", said, Allow, Wait, Reject)
                if isinstance(said, Wait):
                    waits[name] = ask(name, "permit", _wait, said)
            except PluginError as failure:
                self._around.recorder.plugin_failed(p.pod, failure)
                return error(f'running Permit plugin "{name}": {failure.said}')
            if isinstance(said, Reject):
                return rejection(name, said)
        return None


def _status(failure: Failure | None) -> str:
    """A status code, as metrics name it."""
    if failure is None:
        return SUCCESS
    return REJECTED if failure.is_rejection else ERROR


def _wait(said: Wait) -> float:
    """How long to wait, in seconds; nonsense raises."""
    if not said.seconds >= 0:
        raise ValueError(f"must not wait for {said.seconds!r} seconds")
    return min(float(said.seconds), MAX_WAIT)


def unreserve(placement: Placement, around: Surroundings) -> None:
    """Every Reserve plugin, in reverse order, even those that never reserved."""
    p = placement
    for name, plugin in reversed(p.plan.concerned("reserve")):
        if not hasattr(plugin, "unreserve"):
            continue
        try:
            left = around.metrics.ask(name, "unreserve", plugin.unreserve, p.pod, p.node, p.cycle)
        except PluginError as failure:
            around.recorder.plugin_failed(p.pod, failure)
            continue
        if isinstance(left, Errand):
            around.run_errand(p.pod, name, left)


_RUNNING = {
    "preFilter": 'running PreFilter plugin "{}": {}',
    "filter": 'running "{}" filter plugin: {}',
    "preScore": 'running PreScore plugin "{}": {}',
    "score": 'running Score plugins: plugin "{}" failed with: {}',
    "normalize": 'running Normalize on Score plugins: plugin "{}" failed with: {}',
}


def _advice(said: Consultation) -> Advice:
    victims = said.victims
    return Advice() if victims is None else Advice(victims.candidates, victims.error)


def described(failure: PluginError) -> str:
    """The failure in upstream's words."""
    form = _RUNNING.get(failure.extension_point, 'running plugin "{}": {}')
    return form.format(failure.plugin, failure.said)


def _unfit(diagnosis: Diagnosis, messages: list[str], nomination: str | None) -> Failure:
    text = " ".join([diagnosis.message, *([", ".join(messages)] if messages else [])])
    return Failure(
        UNSCHEDULABLE,
        text,
        frozenset(diagnosis.unschedulable_plugins),
        frozenset(diagnosis.pending_plugins),
        nomination,
    )
