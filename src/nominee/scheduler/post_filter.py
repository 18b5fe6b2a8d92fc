"""The PostFilter plugins: what they can do for a pod that fits nowhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from nominee.errors import PluginError
from nominee.framework import Consult, Cycle, Diagnosis, Errand, Nomination, Pod, VictimsByNode
from nominee.profile.ask import check_answer
from nominee.profile.profile import Profile
from nominee.scheduler.metrics import SUCCESS, UNSCHEDULABLE
from nominee.scheduler.surroundings import Surroundings

DEFAULT_PREEMPTION = "DefaultPreemption"


@dataclass(slots=True)
class Rescue:
    """What came of it.

    answer      the nomination to settle on, and the victims
    rescuer     whose answer that is
    messages    to be appended to the text of the failure
    candidates  extenders are to be asked about these before anything is settled
    """

    answer: Nomination
    rescuer: str = ""
    messages: list[str] = field(default_factory=list)
    candidates: VictimsByNode | None = None
    errands: list[tuple[str, Errand]] = field(default_factory=list)


class PostFilters:
    """Asks the plugins until one has achieved something.

    Reproduces RunPostFilterPlugins (pkg/scheduler/framework/runtime/framework.go, v1.37).
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def run(self, pod: Pod, profile: Profile, diagnosis: Diagnosis, cycle: Cycle) -> Rescue:
        plugins = profile.points.get("postFilter", [])
        if not plugins:
            return Rescue(Nomination(""))
        metrics, started = self._around.metrics, self._around.metrics.stopwatch()
        rescue = Rescue(Nomination(None))
        for name, plugin in plugins:
            if self._ask(rescue, name, plugin, pod, diagnosis, cycle):
                break
        if rescue.candidates is not None:
            return rescue
        for name, errand in rescue.errands:
            self._around.run_errand(pod, name, errand)
        result = SUCCESS if rescue.answer.node_name else UNSCHEDULABLE
        metrics.extension_point("PostFilter", result, profile.scheduler_name, started)
        if DEFAULT_PREEMPTION in profile.plugins:
            metrics.preemption_evaluated(result, started)
        return rescue

    def _ask(
        self, rescue: Rescue, name: str, plugin: Any, pod: Pod, diagnosis: Diagnosis, cycle: Cycle
    ) -> bool:
        """Ask one; True when no other is to be asked."""
        try:
            said = self._around.metrics.ask(name, "postFilter", plugin.post_filter, pod, diagnosis, cycle)
            check_answer(name, "postFilter", said, Nomination, Consult, NoneType)
        except PluginError as raised:
            self._around.recorder.plugin_failed(pod, raised)
            rescue.messages.append(raised.said)
            rescue.answer = Nomination(None)
            return True
        if said is None:
            return False
        if isinstance(said, Consult):
            rescue.candidates = said.candidates
            return True
        if said.message:
            rescue.messages.append(said.message)
        if said.errand is not None:
            rescue.errands.append((name, said.errand))
        if said.node_name is not None:
            rescue.answer, rescue.rescuer = said, name
        return not said.reject
