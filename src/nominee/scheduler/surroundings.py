"""What every part of the scheduler has at hand."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field

from nominee.config.features import FeatureGates
from nominee.framework import Action, ClusterEvent, Errand, Pod, Resource
from nominee.profile.profile import Profile
from nominee.queue.queued_pod import QueuedPod
from nominee.queue.scheduling_queue import SchedulingQueue
from nominee.scheduler.extenders import Extenders
from nominee.scheduler.inputs import Completed
from nominee.scheduler.metrics import Metrics
from nominee.scheduler.outbox import Outbox
from nominee.scheduler.permits import WaitingPods
from nominee.scheduler.pods import PendingPods
from nominee.scheduler.ports import Recorder
from nominee.state.cluster import ClusterState
from nominee.state.shapes import rewrite

ASSIGNED_POD_DELETE = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)


@dataclass(slots=True)
class Surroundings:
    """The state, the queue, the way out; shared by the cycles, the handlers and the preemptions."""

    cluster: ClusterState
    queue: SchedulingQueue
    profiles: dict[str, Profile]
    features: FeatureGates
    recorder: Recorder
    outbox: Outbox
    pods: PendingPods
    metrics: Metrics
    waiting: WaitingPods = field(default_factory=WaitingPods)
    extenders: Extenders = field(default_factory=Extenders)

    def place_became_free(self, pod: Pod, node_name: str, now: float, *, but_for: str = "") -> None:
        """A pod left its place: others may fit there now."""
        left = copy(pod)  # as it was there; hints may be asked much later, when the pod is elsewhere
        rewrite(left, node_name=node_name)
        self.queue.move(ASSIGNED_POD_DELETE, left, None, now, lambda queued: queued.pod.uid != but_for)

    def promise_became_void(self, pod: Pod, node_name: str, now: float, *, robbed: bool = False) -> None:
        """A pod left its nomination: others of no higher priority, who kept off, may fit there now.

        If it was `robbed` of it, it may look for another place itself.
        """
        left = copy(pod)
        rewrite(left, nominated_node_name=node_name)

        def kept_off(queued: QueuedPod) -> bool:
            return queued.pod.priority <= pod.priority and (robbed or queued.pod.uid != pod.uid)

        self.queue.move(ASSIGNED_POD_DELETE, left, None, now, kept_off)

    def run_errand(self, pod: Pod, plugin: str, errand: Errand) -> None:
        """Let the driver do something that a plugin wants done for the pod."""

        def then(answer: Completed, _now: float) -> None:
            if answer.error is not None:
                self.recorder.warn(pod, f"plugin {plugin!r} could not finish its work: {answer.error}")

        self.outbox.run_errand(pod, plugin, errand, then)

    def withdraw_nomination(self, pod: Pod, now: float, *, robbed: bool = False) -> None:
        """Take a pending pod's nomination back, here at once and in its status."""
        node_name = self.cluster.nominations.node_of(pod.uid)
        if not self.cluster.nominations.remove(pod.uid):
            return
        if self.pods.get(pod.uid) is not None:
            self.pods.patch_status(pod, "", None)
        self.promise_became_void(pod, node_name, now, robbed=robbed)
