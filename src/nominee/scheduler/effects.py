"""Effects: what the scheduler wants done, as plain data. Drivers do it; the core does none of it.

Writes to one pod's status, and errands for it, are carried out in the order in which they were given
out, and before a RunPreBind or RunBind of that pod which was given out later begins; everything else
may run side by side. Effects with an answer are reported back with `Completed(effect.id, …)`, once,
whatever came of them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from nominee.config.types import Extender
from nominee.framework import Cycle, Errand, Node, Pod
from nominee.model.meta import Condition
from nominee.scheduler.extenders import Question

Named = tuple[str, Any]


class PatchPodStatus(msgspec.Struct, frozen=True):
    """Write the nomination ("" clears it, None leaves it) and a condition into a pod's status."""

    id: int
    pod: Pod
    nominated_node_name: str | None = None
    condition: Condition | None = None


class RunPreBind(msgspec.Struct, frozen=True):
    """Run these PreBind plugins side by side; the first failure ends the others."""

    id: int
    pod: Pod
    node: Node
    plugins: tuple[Named, ...]
    cycle: Cycle


class CancelPreBind(msgspec.Struct, frozen=True):
    """End a RunPreBind, which is then answered with this cause. Has no answer of its own."""

    target: int
    cause: str


class RunBind(msgspec.Struct, frozen=True):
    """Ask these extenders, then these Bind plugins, one after the other until one does not skip.

    An extender binds in their stead; where it may be ignored, a failure of it counts as skipping.
    """

    id: int
    pod: Pod
    node: Node
    plugins: tuple[Named, ...]
    cycle: Cycle
    extenders: tuple[Extender, ...] = ()


class AskExtenders(msgspec.Struct, frozen=True):
    """Put a question to extenders. Its `Completed.said` is a FilterAnswer or a VictimsAnswer."""

    id: int
    question: Question


class RunPostBind(msgspec.Struct, frozen=True):
    """Tell these plugins that the pod was bound. Has no answer."""

    pod: Pod
    node: Node
    plugins: tuple[Named, ...]
    cycle: Cycle


class RunErrand(msgspec.Struct, frozen=True):
    """Run `errand.work(api)`, which this plugin wants done for the pod."""

    id: int
    pod: Pod
    plugin: str
    errand: Errand


class Evict(msgspec.Struct, frozen=True):
    """Write the condition into the victim's status, then delete it with its own grace period.

    A victim that does not exist any more is evicted.
    """

    id: int
    victim: Pod
    condition: Condition


class RecordEvent(msgspec.Struct, frozen=True):
    """Record an event (events.k8s.io/v1). Has no answer."""

    type: str
    reason: str
    action: str
    note: str
    regarding: Pod
    related: Pod | None = None


Effect = (
    PatchPodStatus
    | RunPreBind
    | CancelPreBind
    | RunBind
    | RunPostBind
    | RunErrand
    | Evict
    | RecordEvent
    | AskExtenders
)
"""Everything a driver has to know how to do."""

Answered = PatchPodStatus | RunPreBind | RunBind | RunErrand | Evict | AskExtenders
"""Those that are reported back."""
