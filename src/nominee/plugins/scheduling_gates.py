"""SchedulingGates: a pod waits outside until its gates are gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nominee.framework import Action, EventHint, Pod, Resource


@dataclass(frozen=True, slots=True)
class SchedulingGates:
    """Reproduces pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go, v1.37."""

    def pre_enqueue(self, pod: Pod, /) -> str | None:
        gates = pod.spec.scheduling_gates
        if not gates:
            return None
        return f"waiting for scheduling gates: [{' '.join(gate.name for gate in gates)}]"

    def events_to_register(self) -> Sequence[EventHint]:
        return (EventHint(Resource.TARGET_POD, Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED),)
