"""The kubelets: bound pods start, run for as long as they say, and go away when they are deleted."""

from __future__ import annotations

from nominee.model.meta import NamedObject
from nominee.model.pod import Pod
from nominee.model.timestamps import parse_time
from nominee.sim.run_time import run_time
from nominee.sim.world import FINISHED, World


class Kubelets:
    """All of them; `start` seconds from binding to running, `termination` at most from deletion to gone.

    Without a `termination`, pods take the whole of their grace period.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.start = 0.0
        self.termination: float | None = None
        world.listeners.append(self._changed)

    def _changed(self, old: NamedObject | None, new: NamedObject | None) -> None:
        if new is None or type(new) is not Pod or not new.spec.node_name or new.status.phase in FINISHED:
            return
        before = old if type(old) is Pod and old.spec.node_name else None
        if new.status.start_time:
            if before is None or not before.status.start_time:
                self._started(new)
        elif before is None:
            self._world.agenda.after(self.start, self._world.start_pod, new.key, new.uid)
        meta = new.metadata
        if meta.deletion_timestamp and (
            before is None
            or before.metadata.deletion_grace_period_seconds != meta.deletion_grace_period_seconds
            or not before.terminating
        ):
            self._terminate(new)

    def _started(self, pod: Pod) -> None:
        seconds = run_time(pod)
        if seconds is not None:
            started = parse_time(pod.status.start_time or "")
            now = self._world.agenda.now
            begin = now if int(now) == int(started) else started
            self._world.agenda.at(begin + seconds, self._world.end_pod, pod.key, pod.uid, "Succeeded")

    def _terminate(self, pod: Pod) -> None:
        grace = float(pod.metadata.deletion_grace_period_seconds or 0)
        if self.termination is not None:
            grace = min(grace, self.termination)
        self._world.agenda.after(grace, self._world.end_pod, pod.key, pod.uid)
